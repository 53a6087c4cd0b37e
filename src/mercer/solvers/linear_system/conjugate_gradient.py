"""Conjugate gradients for many right-hand sides at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Iterate", "conjugate_gradient", "low_rank_preconditioner"]

FloatArray = NDArray[np.float64]
Operator = Callable[[FloatArray], FloatArray]

# Steps after which the residual is computed afresh (spec 003, 2.15).
REFRESH = 50


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
    precondition: Operator | None = None,
    tol: float = 1e-8,
    max_iter: int | None = None,
    start: FloatArray | None = None,
) -> Iterate:
    """Solve A x = b, A positive definite, for all columns of b (spec 003, 2.15).

    The columns run side by side, so that one pass over the kernel values or the data serves
    them all; a column that has converged stays where it is.

    Parameters
    ----------
    apply : callable
        From V to A V.
    b : ndarray of shape (n, n_columns)
        Right-hand sides.
    precondition : callable, default=None
        From R to an approximation of A^-1 R, symmetric and positive definite.
    tol : float, default=1e-8
        Largest |b - A x| / |b| accepted.
    max_iter : int, default=None
        Bound on the iterations; None means 10 n.
    start : ndarray of shape (n, n_columns), default=None
        Where to start; None means zero.
    """
    limit = 10 * len(b) if max_iter is None else max_iter
    goal = tol * np.linalg.norm(b, axis=0)
    x = np.zeros_like(b) if start is None else start.copy()
    r = b - apply(x) if start is not None else b.copy()
    precondition = precondition or (lambda v: v)
    z = precondition(r)
    d, rz, n_iter = z.copy(), _dots(r, z), 0
    active = np.linalg.norm(r, axis=0) > goal
    while active.any() and n_iter < limit:
        q = apply(d)
        curvature = _dots(d, q)
        active &= curvature > 0
        step = np.divide(rz, curvature, out=np.zeros_like(rz), where=active)
        x += step * d
        n_iter += 1
        if n_iter % REFRESH:
            r -= step * q
        else:
            r = b - apply(x)
        active &= np.linalg.norm(r, axis=0) > goal
        z = precondition(r)
        before, rz = rz, _dots(r, z)
        d *= np.divide(rz, before, out=np.zeros_like(rz), where=active & (before > 0))
        d += z
    return _result(apply, b, x, n_iter, tol)


def _dots(u: FloatArray, v: FloatArray) -> FloatArray:
    return np.einsum("ij,ij->j", u, v)


def _result(apply: Operator, b: FloatArray, x: FloatArray, n_iter: int, tol: float) -> Iterate:
    sizes = np.linalg.norm(b, axis=0)
    errors = np.linalg.norm(b - apply(x), axis=0) if n_iter else np.zeros(len(sizes))
    residual = float(np.divide(errors, sizes, out=errors, where=sizes > 0).max(initial=0.0))
    # the recurrence and the true residual differ by rounding
    return Iterate(x, n_iter, residual, residual <= 2.0 * tol)


def low_rank_preconditioner(features: FloatArray, alpha: float) -> Operator:
    """R -> (F F' + alpha)^-1 R = (R - F (F'F + alpha)^-1 F'R) / alpha.

    ``features`` are rows in a feature space of few dimensions, weighted and projected as the
    system is; the better F F' fits the kernel matrix, the fewer iterations.
    """
    values, vectors = np.linalg.eigh(features.T @ features)
    directions = features @ vectors
    filters = 1.0 / (np.maximum(values, 0.0) + alpha)

    def apply(r: FloatArray) -> FloatArray:
        return (r - directions @ (filters[:, None] * (directions.T @ r))) / alpha

    return apply
