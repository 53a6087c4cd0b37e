"""Conjugate gradients for a block of right-hand sides."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve, qr

from mercer.lowrank.low_rank import feature_blocks
from mercer.solvers.linear_system.residual import relative_residual

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
    largest : float
        Largest v'Av / v'v of the directions searched: an eigenvalue of A, from below.
    condition : float or None
        Condition of A, from below: that by the smallest; None if nothing was searched.
    """

    x: FloatArray
    n_iter: int
    residual: float
    converged: bool
    largest: float = 0.0
    condition: float | None = None


def conjugate_gradient(
    apply: Operator,
    b: FloatArray,
    *,
    preconditioner: Preconditioner | None = None,
    tol: float = 1e-8,
    max_iter: int | None = None,
    deadline: float = np.inf,
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
        Run with M^-1/2 A M^-1/2 in place of A.
    tol : float, default=1e-8
        Largest |b - A x| / |b| accepted.
    max_iter : int, default=None
        Bound on the iterations; None means 10 n.
    deadline : float, default=inf
        Time of ``time.perf_counter`` after which no iteration begins.
    start : ndarray of shape (n, n_columns), default=None
        Where to start; None means zero.
    """
    limit = 10 * len(b) if max_iter is None else max_iter
    run = _Run(apply, b, preconditioner, tol, limit, deadline)
    x = np.zeros_like(b) if start is None else start.copy()
    residual = b - apply(x) if start is not None else b.copy()
    for _ in range(ROUNDS):
        if run.error(residual) <= tol or not run.may_go_on:
            break
        x += run.correction(residual)
        residual = b - apply(x)
    error = run.error(residual)
    met = [quotient for quotient in run.quotients if quotient > 0]
    condition = max(met) / min(met) if met else None
    return Iterate(x, run.n_iter, error, error <= tol, max(met, default=0.0), condition)


class _Run:
    def __init__(
        self,
        apply: Operator,
        b: FloatArray,
        preconditioner: Preconditioner | None,
        tol: float,
        limit: int,
        deadline: float,
    ) -> None:
        self.preconditioner, self.tol, self.left, self.n_iter = preconditioner, tol, limit, 0
        self.deadline = deadline
        self.sizes = np.linalg.norm(b, axis=0)
        self.apply = apply
        self.quotients: list[float] = []

    @property
    def may_go_on(self) -> bool:
        """Whether iterations and time are left."""
        return self.left > 0 and time.perf_counter() < self.deadline

    def error(self, residual: FloatArray) -> float:
        return relative_residual(residual, self.sizes)

    def _image(self, P: FloatArray) -> FloatArray:
        """M^-1/2 A M^-1/2 P; quotients v'Av / v'v are noted on the way."""
        V = self._power(P, -0.5)
        AV = self.apply(V)
        square = np.einsum("ij,ij->j", V, V)
        self.quotients += (np.einsum("ij,ij->j", V, AV)[square > 0] / square[square > 0]).tolist()
        return self._power(AV, -0.5)

    def _power(self, V: FloatArray, power: float) -> FloatArray:
        return V if self.preconditioner is None else self.preconditioner.apply(V, power)

    def correction(self, residual: FloatArray) -> FloatArray:
        """Approximate A^-1 residual by the block method.

        With R = Q C, Q orthonormal, P = Q first and S = P'A P:

            X += P S^-1 C,   Q' rho = Q - A P S^-1,   C = rho C,   P = Q' + P rho'.
        """
        Q, C = _orthonormal(self._power(residual, -0.5))
        P, X = Q, np.zeros((len(Q), C.shape[1]))
        while self.may_go_on:
            T = self._image(P)
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
        blocks = feature_blocks(*features.shape)  # Ctrl-C waits for one of them
        square = np.zeros((features.shape[1], features.shape[1]))
        for rows in blocks:
            square += features[rows].T @ features[rows]
        values, vectors = np.linalg.eigh(square)
        large = values > 1e-14 * values.max(initial=0.0)
        self.alpha, self.values = alpha, values[large]
        basis = vectors[:, large] / np.sqrt(self.values)
        self.directions = np.empty((len(features), basis.shape[1]))
        for rows in blocks:
            self.directions[rows] = features[rows] @ basis

    @property
    def largest(self) -> float:
        """Largest eigenvalue of F F'."""
        return float(self.values.max(initial=0.0))

    def apply(self, V: FloatArray, power: float) -> FloatArray:
        """``M^power V``."""
        change = (1.0 + self.values / self.alpha) ** power - 1.0
        moved = self.directions @ (change[:, None] * (self.directions.T @ V))
        return self.alpha**power * (V + moved)
