"""Conjugate gradients for a block of right-hand sides."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve, qr

__all__ = ["Iterate", "LowRankPreconditioner", "Preconditioner", "conjugate_gradient"]

FloatArray = NDArray[np.float64]
Operator = Callable[[FloatArray], FloatArray]

# Runs of the recurrence; after each the residual is computed afresh (Rifkin 2002, appendix C).
ROUNDS = 10


class Preconditioner(Protocol):
    """A positive definite matrix M near the operator, with powers that are cheap to apply."""

    def apply(self, V: FloatArray, power: float) -> FloatArray:
        """``M^power V``."""


@dataclass(frozen=True, eq=False)
class Iterate:
    """Where an iterative method ended.

    Attributes
    ----------
    x : ndarray of shape (n, n_columns)
        The solution.
    n_iter : int
        Iterations; every one applies the operator once to all columns.
    residual : float
        Largest |b - A x| / |b| over the columns.
    converged : bool
        Whether that is at most the tolerance.
    """

    x: FloatArray
    n_iter: int
    residual: float
    converged: bool


def conjugate_gradient(
    apply: Operator,
    b: FloatArray,
    *,
    preconditioner: Preconditioner | None = None,
    tol: float = 1e-8,
    max_iter: int | None = None,
    start: FloatArray | None = None,
) -> Iterate:
    """Solve A x = b, A positive definite, for all columns of b together.

    One column is the method of Rifkin 2002, appendix C. Several columns search the sum of their
    Krylov spaces, so that one pass over the kernel values serves them all and fewer are needed than
    for the worst column alone. The block is kept orthonormal by QR, which copes with columns that
    depend on each other.

    Parameters
    ----------
    apply : callable
        From V to A V.
    b : ndarray of shape (n, n_columns)
        Right-hand sides.
    preconditioner : Preconditioner, default=None
        Run with M^-1/2 A M^-1/2 in the place of A.
    tol : float, default=1e-8
        Largest |b - A x| / |b| accepted.
    max_iter : int, default=None
        Bound on the iterations; None means 10 n.
    start : ndarray of shape (n, n_columns), default=None
        Where to start; None means zero.
    """
    run = _Run(apply, b, preconditioner, tol, 10 * len(b) if max_iter is None else max_iter)
    x = np.zeros_like(b) if start is None else start.copy()
    residual = b - apply(x) if start is not None else b.copy()
    for _ in range(ROUNDS):
        if run.error(residual) <= tol or run.left <= 0:
            break
        x += run.correction(residual)
        residual = b - apply(x)
    error = run.error(residual)
    return Iterate(x, run.n_iter, error, error <= tol)


class _Run:
    def __init__(
        self,
        apply: Operator,
        b: FloatArray,
        preconditioner: Preconditioner | None,
        tol: float,
        limit: int,
    ) -> None:
        self.preconditioner, self.tol, self.left, self.n_iter = preconditioner, tol, limit, 0
        self.sizes = np.linalg.norm(b, axis=0)
        self.apply = apply

    def error(self, residual: FloatArray) -> float:
        norms = np.linalg.norm(residual, axis=0)
        return float(np.divide(norms, self.sizes, out=norms, where=self.sizes > 0).max(initial=0.0))

    def _power(self, V: FloatArray, power: float) -> FloatArray:
        return V if self.preconditioner is None else self.preconditioner.apply(V, power)

    def correction(self, residual: FloatArray) -> FloatArray:
        """Approximate A^-1 residual by the block method.

        With R = Q C, Q orthonormal, P = Q first and S = P'A P:

            X += P S^-1 C,   Q' rho = Q - A P S^-1,   C = rho C,   P = Q' + P rho'.
        """
        Q, C = _orthonormal(self._power(residual, -0.5))
        P, X = Q, np.zeros((len(Q), C.shape[1]))
        while self.left > 0:
            T = self._power(self.apply(self._power(P, -0.5)), -0.5)
            try:
                factor = cho_factor(P.T @ T, lower=True)
            except LinAlgError:
                break
            X += P @ cho_solve(factor, C)
            self.left -= 1
            self.n_iter += 1
            Q, rho = _orthonormal(Q - cho_solve(factor, T.T).T)
            C = rho @ C
            if self.error(self._power(Q, 0.5) @ C) <= 0.9 * self.tol:
                break
            P = Q + P @ rho.T
        return self._power(X, -0.5)


def _orthonormal(V: FloatArray) -> tuple[FloatArray, FloatArray]:
    q, r = qr(V, mode="economic", check_finite=False)
    return q, r


class LowRankPreconditioner:
    """M = F F' + alpha, F the features of the rows in a space of few dimensions.

    With F F' = U diag(v) U', M^p = alpha^p (I + U diag(((v + alpha)/alpha)^p - 1) U'): the
    better F F' fits the kernel matrix, the nearer M^-1/2 A M^-1/2 is to the identity.

    Parameters
    ----------
    features : ndarray of shape (n_rows, rank)
        F, weighted and projected as the system is.
    alpha : float
        The number on the diagonal.
    """

    def __init__(self, features: FloatArray, alpha: float) -> None:
        values, vectors = np.linalg.eigh(features.T @ features)
        large = values > 1e-14 * values.max(initial=0.0)
        self.alpha, self.values = alpha, values[large]
        self.directions = features @ (vectors[:, large] / np.sqrt(self.values))

    def apply(self, V: FloatArray, power: float) -> FloatArray:
        """``M^power V``."""
        change = (1.0 + self.values / self.alpha) ** power - 1.0
        moved = self.directions @ (change[:, None] * (self.directions.T @ V))
        return self.alpha**power * (V + moved)
