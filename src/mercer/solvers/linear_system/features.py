"""Least squares in the space of features: linear kernels and low-rank ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.linalg import LinAlgError
from scipy.linalg.blas import dsymm

from mercer.solvers.linear_system.factors import (
    CholeskyFactor,
    Factor,
    SpectralFactor,
    linear_form,
    quadratic_form,
)
from mercer.solvers.linear_system.moments import Moments
from mercer.solvers.linear_system.residual import relative_residual
from mercer.solvers.linear_system.system import System

__all__ = ["FeatureSolver", "FeatureSystem"]

FloatArray = NDArray[np.float64]
Source = Callable[[slice], Any]


class FeatureSolver:
    """(S + alpha) theta = S_y on the moments of the features (Rifkin 2002, sections 3.6 and 3.7).

    Parameters
    ----------
    moments : Moments
        Of all rows; not changed.
    alpha : float or None
        One alpha (Cholesky, or an eigendecomposition where that fails), or None for all.
    """

    def __init__(self, moments: Moments, alpha: float | None) -> None:
        self.moments = moments
        self.factor: Factor
        try:
            if alpha is None:
                raise LinAlgError
            self.factor = CholeskyFactor(moments.inner.copy(order="F"), alpha)
        except LinAlgError:
            self.factor = SpectralFactor(moments.inner.copy(order="F"))
        self.z = self.factor.coordinates(np.asfortranarray(moments.cross.T)).T

    def solve(self, alpha: float) -> tuple[FloatArray, FloatArray]:
        """Weights theta (rank, n_outputs) and intercepts b = mean y - mean phi' theta."""
        m, filters = self.moments, self.factor.filters(np.array([alpha]))
        theta = self.factor.back(filters[0][:, None] * self.z)
        return theta, m.target_mean - m.mean @ theta

    def residual(self, alpha: float) -> float:
        """Largest |S_y - (S + alpha) theta| / |S_y| over the outputs."""
        theta, cross = self.solve(alpha)[0], self.moments.cross
        if not cross.size:
            return 0.0
        image = dsymm(1.0, self.moments.inner, theta, lower=1) + alpha * theta
        return relative_residual(cross - image, np.linalg.norm(cross, axis=0))

    def coordinates(self, features: Any) -> FloatArray:
        """Centred features in the coordinates of the factor."""
        if sp.issparse(features):
            return self.factor.coordinates(features) - self.factor.coordinates(
                self.moments.mean[None]
            )
        return self.factor.coordinates(features - self.moments.mean)

    def evaluate(
        self, alphas: FloatArray, features: Any, targets: FloatArray, weight: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Fitted and leave-one-out values of training rows.

        See docs/theory/least_squares.md#leave-one-out-values.

        y_i - f_-i(x_i) = (y_i - f(x_i)) / (1 - h_i), with the leverage
        h_i = w_i (1/W + (phi_i - mean)'(S + alpha)^-1 (phi_i - mean)), 1/W for the bias.
        """
        T, filters = self.coordinates(features), self.factor.filters(alphas)
        fitted = self.moments.target_mean + linear_form(T, filters, self.z)
        rest = self.remainder(T, filters, weight)[:, :, None]
        return fitted, targets - (targets - fitted) / rest

    def remainder(self, T: FloatArray, filters: FloatArray, weight: FloatArray) -> FloatArray:
        """1 - h_i, at least the rounding of the subtraction: (n_alphas, n_rows)."""
        constant = 1.0 / self.moments.total if self.moments.bias else 0.0
        leverage = weight * (constant + quadratic_form(T, filters))
        return np.maximum(1.0 - leverage, np.finfo(float).eps)

    def residual_square(self, alphas: FloatArray) -> FloatArray:
        """sum_i w_i |y_i - f(x_i)|^2 = S_yy - theta'S_y - alpha |theta|^2."""
        explained = [self._explained(float(alpha)) for alpha in alphas]
        return np.maximum(self.moments.square - np.array(explained), 0.0)

    def _explained(self, alpha: float) -> float:
        theta = self.solve(alpha)[0]
        return float(np.vdot(theta, self.moments.cross) + alpha * np.vdot(theta, theta))

    def dof(self, alphas: FloatArray) -> FloatArray:
        """tr(S (S + alpha)^-1), and 1 for the bias."""
        return self.factor.shrinkage(alphas) + float(self.moments.bias)


class FeatureSystem:
    """A :class:`FeatureSolver` with its rows: an evaluator.

    Parameters
    ----------
    system : System
        Targets, weights and bias.
    source : callable
        From a slice of rows to a new array of their features (or a sparse matrix).
    rank : int
        Number of features.
    blocks : list of slice
        In which pieces the rows are passed over.
    alpha : float or None
        One alpha, or None for all.
    """

    def __init__(
        self, system: System, source: Source, rank: int, blocks: list[slice], alpha: float | None
    ) -> None:
        self.system, self.source, self.blocks = system, source, blocks
        moments = Moments(rank, system.targets.shape[1], system.bias)
        for rows in blocks:
            moments.add(source(rows), system.targets[rows], system.weight[rows])
        self.solver = FeatureSolver(moments, alpha)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.system.n_rows

    @property
    def largest(self) -> float:
        """Largest eigenvalue of the inner products of the features."""
        return self.solver.factor.largest

    def condition(self, alpha: float) -> float:
        """Condition of the matrix solved with."""
        return self.solver.factor.condition(alpha)

    def residual(self, alpha: float) -> float:
        """Relative residual of the system of the features."""
        return self.solver.residual(alpha)

    def solve(self, alpha: float) -> tuple[FloatArray, FloatArray]:
        """Weights of the features and intercepts."""
        return self.solver.solve(alpha)

    def evaluate(self, alphas: FloatArray, rows: slice) -> tuple[FloatArray, FloatArray]:
        """Fitted and leave-one-out values of some rows."""
        s = self.system
        return self.solver.evaluate(alphas, self.source(rows), s.targets[rows], s.weight[rows])

    def dof(self, alphas: FloatArray) -> FloatArray:
        """Effective degrees of freedom."""
        return self.solver.dof(alphas)
