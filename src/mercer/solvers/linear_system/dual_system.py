"""The n x n system in the dual coefficients, for one alpha or for all."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError
from scipy.linalg.blas import dger, dsyr2
from scipy.linalg.lapack import dtrtri

from mercer.solvers.linear_system.factors import (
    CholeskyFactor,
    SpectralFactor,
    linear_form,
    quadratic_form,
)
from mercer.solvers.linear_system.system import System

__all__ = ["DualSystem", "factored"]

FloatArray = NDArray[np.float64]


def factored(
    system: System, matrix: Callable[[], FloatArray], alpha: float | None, *, clip: bool = True
) -> DualSystem:
    """The factored system: Cholesky for one alpha, or where that fails the spectrum."""
    if alpha is not None:
        try:
            return DualSystem(system, matrix(), alpha)
        except LinAlgError:
            pass
    return DualSystem(system, matrix(), None, clip=clip)


class DualSystem:
    """Factored (sKs + alpha) U + s b' = sY, s'U = 0.

    A Householder reflection H turns s into a multiple of the first unit vector. There the
    constraint says that the first coordinate is zero, so that its row and column go and the
    rest is an ordinary positive definite system. With U = H T' (T as in a
    :class:`~mercer.solvers.linear_system.factors.Factor`), M = U diag(filter) U' is the
    block of the bordered inverse that leave-one-out needs.

    Parameters
    ----------
    system : System
        Targets, weights and bias.
    K : ndarray of shape (n_rows, n_rows)
        Kernel matrix; overwritten, and the only n x n array besides the factor.
    alpha : float or None
        One alpha (Cholesky), or None for all (eigendecomposition).
    clip : bool, default=True
        Whether negative eigenvalues are rounding.
    """

    def __init__(
        self, system: System, K: FloatArray, alpha: float | None, *, clip: bool = True
    ) -> None:
        self.system = system
        K = K.T if K.flags.c_contiguous else np.asfortranarray(K)
        scale = system.scale
        K *= scale[:, None]
        K *= scale
        self._levels = K @ scale
        self._size = float(np.abs(np.diagonal(K)).sum())
        mirror = (
            _reflect(K, system.unit, self._levels / np.sqrt(system.total))
            if (system.bias)
            else None
        )
        if alpha is None:
            self._spectral(K, mirror, clip)
        else:
            self._triangular(K, alpha, mirror)
        self._z = self._U.T @ system.centred

    def _spectral(self, A: FloatArray, mirror: tuple[float, FloatArray] | None, clip: bool) -> None:
        self.factor: SpectralFactor | CholeskyFactor = SpectralFactor(A, clip=clip)
        self._U = self.factor.vectors
        if mirror is not None:
            self.factor.drop(0)
            tau, v = mirror
            self._U = dger(-tau, v, v @ self._U, a=self._U, overwrite_a=1)

    def _triangular(
        self, A: FloatArray, alpha: float, mirror: tuple[float, FloatArray] | None
    ) -> None:
        if mirror is not None and len(A) > 1:
            # the coordinate that goes: amid the spectrum, where it changes no condition
            A[0, 0] = np.trace(A) / (len(A) - 1)
        self.factor = CholeskyFactor(A, alpha)
        inverse, _ = dtrtri(self.factor.lower, lower=1)
        if mirror is not None:
            inverse[0, 0] = 0.0
            tau, v = mirror
            inverse = dger(-tau, inverse @ v, v, a=inverse, overwrite_a=1)
        self._U = inverse.T

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.system.n_rows

    @property
    def largest(self) -> float:
        """Largest eigenvalue of the (projected, weighted) kernel matrix."""
        return self.factor.largest

    @property
    def rounding(self) -> float:
        """What rounding may leave of a constant kernel: some eps tr(sKs) if there is a bias."""
        return 10 * np.finfo(float).eps * self._size if self.system.bias else 0.0

    def condition(self, alpha: float) -> float:
        """Condition of the matrix solved with."""
        return self.factor.condition(alpha)

    def solve(self, alpha: float) -> tuple[FloatArray, FloatArray]:
        """Coefficients (n_rows, n_outputs) and intercepts (n_outputs,)."""
        filters = self.factor.filters(np.array([alpha]))
        U = self._U @ (filters[0][:, None] * self._z)
        return self.system.scale[:, None] * U, self.system.intercept(U, self._levels)

    def evaluate(self, alphas: FloatArray, rows: slice) -> tuple[FloatArray, FloatArray]:
        """Fitted and leave-one-out values of some rows.

        See docs/theory/least_squares.md#leave-one-out-values.

        y_i - f(x_i) = alpha c_i / weight_i and y_i - f_-i(x_i) = c_i / [B^-1]_ii, B the
        bordered matrix; in terms of U and M both are divided by s_i.
        """
        filters = self.factor.filters(alphas)
        T, y = self._U[rows], self.system.targets[rows]
        U = linear_form(T, filters, self._z) / self.system.scale[rows, None]
        M = quadratic_form(T, filters)[:, :, None]
        # a lone row with a bias: without it there is no machine, and its value counts as 0
        held_out = np.divide(U, M, out=np.broadcast_to(y, U.shape).copy(), where=M > 0)
        return y - alphas[:, None, None] * U, y - held_out

    def dof(self, alphas: FloatArray) -> FloatArray:
        """tr(S) = n - alpha tr(M)."""
        if isinstance(self.factor, SpectralFactor):
            return self.factor.shrinkage(alphas) + float(self.system.bias)
        return self.n_rows - alphas * np.vdot(self._U, self._U)


def _reflect(K: FloatArray, unit: FloatArray, image: FloatArray) -> tuple[float, FloatArray]:
    """H K H in the lower triangle of K without its first column; H = I - tau v v'.

    v = unit + sign e_0 and q = p - (tau/2)(p'v) v with p = tau K v give
    H K H = K - v q' - q v'. ``image`` is K unit.
    """
    sign = 1.0 if unit[0] >= 0 else -1.0
    v = unit.copy()
    v[0] += sign
    tau = 2.0 / float(v @ v)
    p = tau * (image + sign * K[:, 0])
    q = p - 0.5 * tau * float(p @ v) * v
    dsyr2(-1.0, v, q, a=K, lower=1, overwrite_a=1)
    K[:, 0] = 0.0
    return tau, v
