"""Least squares in the space of features: linear kernels and low-rank ones."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.linalg import LinAlgError
from scipy.linalg.blas import dsymm

from mercer.least_squares.high_leverage import left_out_values
from mercer.least_squares.moments import Moments
from mercer.solvers.linear_system.factors import (
    CholeskyFactor,
    Factor,
    SpectralFactor,
    linear_form,
    quadratic_form,
)
from mercer.solvers.linear_system.residual import relative_residual
from mercer.solvers.linear_system.system import System

__all__ = ["FeatureSolver", "FeatureSystem"]

FloatArray = NDArray[np.float64]
Source = Callable[[slice], Any]

# 1 - h_i below which its subtraction has lost too many digits.
LEAST_REMAINDER = 1e-6
# Rows of a block that may then be left out by a machine of all others.
MOST_ROWS = 512


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

    def fitted_and_remainder(
        self, alphas: FloatArray, features: Any, weight: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """f(x_i), (n_alphas, n_rows, n_outputs), and 1 - h_i, (n_alphas, n_rows).

        The leverage is h_i = w_i (1/W + (phi_i - mean)'(S + alpha)^-1 (phi_i - mean)), 1/W for
        the bias.
        """
        T, filters = self.coordinates(features), self.factor.filters(alphas)
        fitted = self.moments.target_mean + linear_form(T, filters, self.z)
        return fitted, self.remainder(T, filters, weight)

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
        self._rank, self._alpha = rank, alpha
        self.solver = self._solver(system.weight)

    def _solver(self, weight: FloatArray) -> FeatureSolver:
        """The factored moments of the rows with these weights."""
        targets = self.system.targets
        moments = Moments(self._rank, targets.shape[1], self.system.bias)
        for rows in self.blocks:
            moments.add(self.source(rows), targets[rows], weight[rows])
        return FeatureSolver(moments, self._alpha)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.system.n_rows

    @property
    def largest(self) -> float:
        """Largest eigenvalue of the inner products of the features."""
        return self.solver.factor.largest

    @property
    def rounding(self) -> float:
        """That of the moments."""
        return self.solver.moments.rounding

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
        """Fitted and leave-one-out values of some rows.

        See docs/theory/least_squares.md#leave-one-out-values.

        y_i - f_-i(x_i) = (y_i - f(x_i)) / (1 - h_i), except for rows of leverage h_i near 1, where
        both differences cancel.
        """
        targets, weight, features = *self._known(rows), self.source(rows)
        fitted, rest = self.solver.fitted_and_remainder(alphas, features, weight)
        held_out = targets - (targets - fitted) / rest[:, :, None]
        close = rest < LEAST_REMAINDER
        at = np.flatnonzero(close.any(axis=0))
        if 0 < len(at) <= MOST_ROWS:
            with suppress(LinAlgError):  # where rounding has hidden the 1 of 1 - h_i
                values = self._left_out(features[at], rows.start + at, alphas)
                held_out[:, at] = np.where(close[:, at, None], values, held_out[:, at])
        return fitted, held_out

    def _left_out(self, features: Any, at: NDArray[np.intp], alphas: FloatArray) -> FloatArray:
        """Values of the rows ``at`` of high leverage, each by the machine of all others."""
        # a bias needs a row to come from: where all rows are of high leverage in two groups
        cut = 1 if len(at) == self.n_rows else 0
        if self.n_rows == 1:
            # without it there is no machine, and its value counts as 0
            return np.zeros((len(alphas), 1, self.system.targets.shape[1]))
        values = []
        for group in (slice(0, cut), slice(cut, None)):
            weight = self.system.weight.copy()
            weight[at[group]] = 0.0
            if len(at[group]):
                others = self._solver(weight)
                known = self._known(at[group])
                values.append(left_out_values(others, features[group], *known, alphas))
        return np.concatenate(values, axis=1)

    def _known(self, rows: Any) -> tuple[FloatArray, FloatArray]:
        """Targets and weights of some rows."""
        return self.system.targets[rows], self.system.weight[rows]

    def dof(self, alphas: FloatArray) -> FloatArray:
        """Effective degrees of freedom."""
        return self.solver.dof(alphas)
