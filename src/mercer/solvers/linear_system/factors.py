"""Two factorizations of A + alpha with the same face: (A + alpha)^-1 = T' diag(filter) T."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh, norm
from scipy.linalg.blas import dtrmv, dtrsm, dtrsv

from mercer.solvers.linear_system.blocked_cholesky import cholesky, triangular_inverse

__all__ = ["CholeskyFactor", "Factor", "SpectralFactor", "linear_form", "quadratic_form"]

FloatArray = NDArray[np.float64]

# Power iterations at most, and the relative change that ends them.
ITERATIONS, CHANGE = 25, 5e-3
_SQUARED = 64  # rows that are squared at a time


class Factor(Protocol):
    """Factorization of a symmetric matrix plus alpha."""

    def coordinates(self, rows: Any) -> FloatArray:
        """``rows T'``: rows in the coordinates in which the inverse is diagonal."""

    def back(self, z: FloatArray) -> FloatArray:
        """``T' z``: from coordinates back."""

    def filters(self, alphas: FloatArray) -> FloatArray:
        """The diagonals, shape (n_alphas, n_coordinates)."""

    def shrinkage(self, alphas: FloatArray) -> FloatArray:
        """tr(A (A + alpha)^-1)."""

    def condition(self, alpha: float) -> float:
        """Largest by smallest eigenvalue of A + alpha."""

    @property
    def largest(self) -> float:
        """Largest eigenvalue of A."""


def linear_form(T: FloatArray, filters: FloatArray, z: FloatArray) -> FloatArray:
    """``T diag(filter) z`` for every filter: shape (n_alphas, n_rows, n_outputs)."""
    weighted = filters.T[:, :, None] * z[:, None, :]
    flat = T @ weighted.reshape(len(z), len(filters) * z.shape[1])
    return flat.reshape(len(T), len(filters), z.shape[1]).transpose(1, 0, 2)


def quadratic_form(T: FloatArray, filters: FloatArray) -> FloatArray:
    """``diag(T diag(filter) T')`` for every filter: shape (n_alphas, n_rows)."""
    out = np.empty((len(filters), len(T)))
    # a whole array of squares takes ten times as long as the sums: its memory is new
    for start in range(0, len(T), _SQUARED):
        rows = slice(start, start + _SQUARED)
        out[:, rows] = filters @ np.square(T[rows]).T
    return out


class SpectralFactor:
    """A = V diag(values) V': every alpha from one eigendecomposition (Rifkin 2002, section 3.3).

    Parameters
    ----------
    A : ndarray of shape (r, r)
        Its lower triangle is read; overwritten.
    clip : bool, default=True
        Whether negative eigenvalues are rounding (the matrix is positive semi-definite).
    """

    def __init__(self, A: FloatArray, *, clip: bool = True) -> None:
        n = len(A)
        if n:
            # divide and conquer: every eigenvector is wanted
            self.values, self.vectors = eigh(
                A, lower=True, driver="evd", overwrite_a=True, check_finite=False
            )
        else:
            self.values, self.vectors = np.empty(0), np.empty((0, 0))
        if clip:
            np.maximum(self.values, 0.0, out=self.values)

    def drop(self, coordinate: int) -> None:
        """Forget the eigenvector that is this coordinate alone: its filter becomes 0."""
        self.values[np.abs(self.vectors[coordinate]).argmax()] = np.inf

    def coordinates(self, rows: Any) -> FloatArray:
        """Rows in the basis of the eigenvectors."""
        return rows @ self.vectors

    def back(self, z: FloatArray) -> FloatArray:
        """From the basis of the eigenvectors."""
        return self.vectors @ z

    def filters(self, alphas: FloatArray) -> FloatArray:
        """1 / (values + alpha)."""
        return 1.0 / np.add.outer(alphas, self.values)

    def shrinkage(self, alphas: FloatArray) -> FloatArray:
        """Sum of values / (values + alpha)."""
        values = self._finite
        return (values / np.add.outer(alphas, values)).sum(axis=1)

    @property
    def _finite(self) -> FloatArray:
        return self.values[np.isfinite(self.values)]

    @property
    def largest(self) -> float:
        """Largest eigenvalue of A."""
        return float(self._finite.max(initial=0.0))

    def condition(self, alpha: float) -> float:
        """Largest by smallest eigenvalue."""
        sizes = np.abs(self._finite + alpha)
        smallest = sizes.min(initial=np.inf)
        return float(sizes.max(initial=smallest) / smallest) if smallest > 0 else np.inf


class CholeskyFactor:
    """A + alpha = L L' for one alpha (Rifkin 2002, section 3.2).

    Parameters
    ----------
    A : ndarray of shape (r, r), in Fortran order
        Its lower triangle is read; overwritten.
    alpha : float
        Added to the diagonal.
    """

    def __init__(self, A: FloatArray, alpha: float) -> None:
        self.alpha = alpha
        np.einsum("ii->i", A)[:] += alpha
        self.lower = cholesky(A)

    def coordinates(self, rows: Any) -> FloatArray:
        """``rows L^-T``."""
        dense = rows.toarray(order="F") if hasattr(rows, "toarray") else rows
        if not dense.size:
            return dense
        return dtrsm(1.0, self.lower, dense, side=1, lower=1, trans_a=1)

    def solve(self, b: FloatArray) -> FloatArray:
        """``(A + alpha)^-1 b``."""
        return self.back(dtrsm(1.0, self.lower, b, lower=1)) if b.size else b

    def back(self, z: FloatArray) -> FloatArray:
        """``L^-T z``."""
        return dtrsm(1.0, self.lower, z, lower=1, trans_a=1) if z.size else z

    def filters(self, alphas: FloatArray) -> FloatArray:
        """Ones: the factor is that of its own alpha."""
        if (alphas != self.alpha).any():
            raise ValueError(f"the factor is for alpha={self.alpha!r}, got {alphas!r}")
        return np.ones((len(alphas), len(self.lower)))

    def shrinkage(self, alphas: FloatArray) -> FloatArray:
        """r - alpha |L^-1|^2."""
        inverse = triangular_inverse(self.lower)
        return len(self.lower) - alphas * float(np.vdot(inverse, inverse))

    def condition(self, alpha: float) -> float:
        """Largest by smallest eigenvalue, each by power iteration (from below)."""
        n, L = len(self.lower), self.lower
        if not n:
            return 1.0
        inverse = lambda v: dtrsv(L, dtrsv(L, v, lower=1), lower=1, trans=1)  # noqa: E731
        return self._largest * _power(inverse, n)

    @property
    def largest(self) -> float:
        """Largest eigenvalue of A, by power iteration."""
        return max(self._largest - self.alpha, 0.0) if len(self.lower) else 0.0

    @cached_property
    def _largest(self) -> float:
        L = self.lower
        return _power(lambda v: dtrmv(L, dtrmv(L, v, lower=1, trans=1), lower=1), len(L))


def _power(apply: Callable[[FloatArray], FloatArray], n: int) -> float:
    """Largest eigenvalue of a positive definite operator after some power iterations."""
    v = np.random.default_rng(0).standard_normal(n)
    size = 0.0
    for _ in range(ITERATIONS):
        v /= norm(v)
        v = apply(v)
        before, size = size, float(norm(v))  # of BLAS: its squares do not overflow
        if size - before <= CHANGE * size:
            break
    return size
