"""The course of an algorithm for nearest points, step by step."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer._shown import shown
from mercer.formulations import nearest_points
from mercer.gram import Gram
from mercer.hull.rows import check_mu, check_rows, check_tol
from mercer.kernels import Linear
from mercer.lab.solver_names import resolve_solver
from mercer.solvers import Solver, solve

__all__ = ["HullTrace", "hull_trace", "on_one_scale"]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class HullTrace:
    """Where an algorithm stood before its first step and after each one.

    Attributes
    ----------
    solver : str
        Name of the algorithm.
    A, B : ndarray of shape (n_points, n_features)
        The points.
    mu : float or None
        Largest coefficient of a point.
    coef_a, coef_b : ndarray of shape (n_steps + 1, n_points)
        Coefficients.
    gap : ndarray of shape (n_steps + 1,)
        How much the distance may still be too large.
    converged : bool
        Whether the last point is the answer, to the tolerance.

    Examples
    --------
    >>> from mercer.lab import hull_trace
    >>> trace = hull_trace([[0, 0], [0, 2]], [[3, 1], [4, 0]], solver="mdm")
    >>> trace.converged, trace.coef_a.shape[0] == len(trace.gap)
    (True, True)
    """

    solver: str
    A: FloatArray
    B: FloatArray
    mu: float | None
    coef_a: FloatArray
    coef_b: FloatArray
    gap: FloatArray
    converged: bool

    __repr__ = shown()

    def __len__(self) -> int:
        return len(self.coef_a)

    @property
    def point_a(self) -> FloatArray:
        """The point in the hull of A at each moment."""
        return self.coef_a @ self.A

    @property
    def point_b(self) -> FloatArray:
        """The point in the hull of B at each moment."""
        return self.coef_b @ self.B

    @property
    def distance(self) -> FloatArray:
        """Their distance at each moment."""
        (a, b), size = on_one_scale(self.A, self.B)
        return np.asarray(size * np.linalg.norm(self.coef_a @ a - self.coef_b @ b, axis=1))


def hull_trace(
    A: ArrayLike,
    B: ArrayLike,
    *,
    mu: float | None = None,
    solver: str | Solver = "mdm",
    max_steps: int = 60,
    tol: float = 1e-6,
) -> HullTrace:
    """Follow a solver to the nearest points of two (reduced) hulls.

    Parameters
    ----------
    A, B : array-like of shape (n_points, n_features)
        The points; some dozens, for every step is found by a run of its own.
    mu : float, default=None
        Largest coefficient of a point; None for convex hulls.
    solver : str or Solver, default="mdm"
        "mdm", "gsk", "gilbert", "smo" or another solver that :func:`mercer.solve` takes.
    max_steps : int, default=60
        Steps to follow at most.
    tol : float, default=1e-6
        Tolerance of the solver.

    Returns
    -------
    HullTrace

    Examples
    --------
    >>> from mercer.lab import hull_trace
    >>> trace = hull_trace([[0, 0], [0, 2]], [[3, 1], [4, 0]], solver="gilbert", max_steps=5)
    >>> trace.solver, bool(trace.gap[-1] <= trace.gap[0])
    ('gilbert', True)
    """
    if isinstance(max_steps, bool) or not isinstance(max_steps, Integral):
        raise TypeError(f"max_steps must be an integer, got {max_steps!r}")
    if not max_steps >= 0:
        raise ValueError(f"max_steps must not be negative, got {max_steps!r}")
    check_tol(tol)
    a, b = check_rows("A", A, None), check_rows("B", B, None)
    if a.rows.shape[1] != b.rows.shape[1]:
        raise ValueError(
            f"A and B must have the same number of features, got {a.rows.shape[1]} and "
            f"{b.rows.shape[1]}"
        )
    mu = check_mu(mu, (a, b))
    labels = np.repeat([1.0, -1.0], [a.n, b.n])
    problem = nearest_points(labels, np.inf if mu is None else mu).problem
    rows, size = on_one_scale(a.rows, b.rows)
    gram = Gram(Linear(), np.vstack(rows), precision="double")
    found: Any = resolve_solver(solver)
    coef, gaps, converged = [], [], False
    for steps in range(int(max_steps) + 1):
        solution = solve(problem, gram, found, tol=tol, max_iter=steps)
        coef.append(solution.coef)
        square = max(-2.0 * solution.objective, 0.0)
        slack = 2.0 * solution.gap if solution.gap is not None else np.inf
        gaps.append(size * (np.sqrt(square) - np.sqrt(max(square - slack, 0.0))))
        converged = solution.converged
        if solution.n_iter < steps or converged:
            break
    both = np.array(coef)
    parts = (both[:, : a.n], -both[:, a.n :])
    return HullTrace(found.name, a.rows, b.rows, mu, *parts, np.array(gaps), converged)


def on_one_scale(A: FloatArray, B: FloatArray) -> tuple[tuple[FloatArray, FloatArray], float]:
    """Both from the first row, divided by the size of the farthest; and that size.

    Hulls far from the origin keep the digits of their distance so.
    """
    a, b = A - A[0], B - A[0]
    size = float(max(np.abs(a).max(), np.abs(b).max()))
    exponent = int(np.frexp(size)[1]) if size > 0.0 else 0
    return (np.ldexp(a, -exponent), np.ldexp(b, -exponent)), float(np.ldexp(1.0, exponent))
