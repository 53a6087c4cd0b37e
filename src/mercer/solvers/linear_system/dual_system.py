"""The n x n system in the dual coefficients, for one alpha or for all."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError
from scipy.linalg.blas import dger, dsyr2

from mercer.solvers.linear_system.blocked_cholesky import triangular_inverse
from mercer.solvers.linear_system.factors import CholeskyFactor, SpectralFactor
from mercer.solvers.linear_system.system import System

__all__ = ["DualSystem"]

FloatArray = NDArray[np.float64]


class DualSystem:
    """Factored (sKs + alpha) U + s b' = sY, s'U = 0.

    A Householder reflection H turns s into a multiple of the first unit vector. There the
    constraint says that the first coordinate is zero, so that its row and column go and the
    rest is an ordinary positive definite system. With U = H T' (T as in a
    :class:`~mercer.solvers.linear_system.factors.Factor`), M = U diag(filter) U' is the
    block of the inverse of the bordered matrix that belongs to the rows.

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
        if (scale != 1.0).any():
            K *= scale[:, None]
            K *= scale
        self._row_sums = K @ scale
        self._size = float(np.abs(np.diagonal(K)).sum())
        self._mirror = None
        if system.bias:
            self._mirror = _reflect(K, system.unit, self._row_sums / np.sqrt(system.total))
        self.factor: SpectralFactor | CholeskyFactor
        if alpha is None:
            self.factor = SpectralFactor(K, clip=clip)
            if system.bias:
                self.factor.drop(0)
        else:
            if system.bias and len(K) > 1:
                # the coordinate that goes: amid the spectrum, where it changes no condition
                K[0, 0] = np.trace(K) / (len(K) - 1)
            self.factor = CholeskyFactor(K, alpha)

    @classmethod
    def of(
        cls,
        system: System,
        matrix: Callable[[], FloatArray],
        alpha: float | None,
        *,
        clip: bool = True,
    ) -> Self:
        """The factored system: Cholesky for one alpha, or where that fails the spectrum.

        ``matrix`` makes the kernel matrix, which is overwritten.
        """
        if alpha is not None:
            try:
                return cls(system, matrix(), alpha)
            except LinAlgError:
                pass
        return cls(system, matrix(), None, clip=clip)

    @cached_property
    def directions(self) -> FloatArray:
        """U = H T'; of a Cholesky factor another n x n array, and as much work as the factor."""
        if isinstance(self.factor, SpectralFactor):
            U = self.factor.vectors
            if self._mirror is None:
                return U
            tau, v = self._mirror
            return dger(-tau, v, v @ U, a=U, overwrite_a=1)
        inverse = triangular_inverse(self.factor.lower)
        if self._mirror is not None:
            inverse[0, 0] = 0.0
            tau, v = self._mirror
            inverse = dger(-tau, inverse @ v, v, a=inverse, overwrite_a=1)
        return inverse.T

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
        filters = self.factor.filters(np.array([alpha]))[0][:, None]
        if isinstance(self.factor, SpectralFactor):
            U = self.directions @ (filters * (self.directions.T @ self.system.centred))
        else:
            right = self._mirrored(self.system.centred)
            if self.system.bias:
                right[0] = 0.0
            U = self._mirrored(self.factor.solve(right))
        return self.system.scale[:, None] * U, self.system.intercept(U, self._row_sums)

    def _mirrored(self, V: FloatArray) -> FloatArray:
        """``H V``."""
        if self._mirror is None:
            return V
        tau, v = self._mirror
        return V - tau * np.outer(v, v @ V)


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
