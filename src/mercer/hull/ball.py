"""The smallest ball around rows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer import _core
from mercer.formulations import Formulation
from mercer.formulations import enclosing_ball as enclosing_ball_problem
from mercer.gram import Gram
from mercer.gram.shift import moved, shift_of_far_rows
from mercer.hull.result import EnclosingBall
from mercer.hull.row_scale import row_scale_of, scaled_rows
from mercer.hull.rows import (
    Cloud,
    check_limits,
    check_mu,
    check_rows,
    make_gram,
    resolve,
    takes_objects,
)
from mercer.hull.wolfe import combine, takes_wolfe
from mercer.kernels import Kernel, Linear
from mercer.problem import Solution
from mercer.solvers import Solver, solve

__all__ = ["enclosing_ball"]

FloatArray = NDArray[np.float64]

_TOL = 1e-6
_ON_BOUND = 1e-9  # of a bound: coefficients as near to it are on it
_MOST_STEPS = 1_000_000


def enclosing_ball(
    X: Any,
    *,
    mu: float | None = None,
    kernel: Any = None,
    weight: ArrayLike | None = None,
    solver: str | Solver = "auto",
    tol: float | None = None,
    max_time: float | None = None,
    n_threads: int | None = None,
) -> EnclosingBall:
    """The smallest ball around all rows, or most of them, in their own space or that of a kernel.

    Its radius R is that of the radius-margin bound R^2 |w|^2 of model selection. With ``mu`` it is
    soft (Tax & Duin 2004): the least R^2 + mu sum_i weight_i max(|x_i - c|^2 - R^2, 0), the ball of
    a one-class machine.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_rows, n_features)
        The rows; for ``kernel="precomputed"`` the matrix of their kernel values.
    mu : float, default=None
        Largest coefficient of a row in the centre, times its weight: what lying outside costs.
        Fewer than 1 / mu rows do, if none has a weight. At least 1 / (number of rows, or sum of
        weights); None for a ball around all rows.
    kernel : str, Kernel or callable, default=None
        The kernel whose feature space the ball is in, as for :class:`mercer.SVC`; None for the
        rows themselves.
    weight : array-like of shape (n_rows,), default=None
        Weights of the rows; 2 is the same as the row given twice, 0 as left out.
    solver : str or Solver, default="auto"
        "wolfe" is exact except for rounding, for dense rows without a kernel and without ``mu``;
        "auto" takes it up to 128 features, else a solver of :mod:`mercer.solvers`. Any of these
        may be named.
    tol : float, default=None
        Largest violation a solver may leave, relative to the largest k(x, x); None means 1e-6.
        "wolfe" goes on to rounding.
    max_time : float, default=None
        Seconds after which a solver returns what it has.
    n_threads : int, default=None
        Threads of kernel values.

    Returns
    -------
    EnclosingBall

    Examples
    --------
    >>> from mercer.hull import enclosing_ball
    >>> ball = enclosing_ball([[0, 0], [4, 0], [2, 1]])
    >>> ball.radius, ball.centre.tolist()
    (2.0, [2.0, 0.0])
    """
    found = resolve(kernel)
    check_limits(tol, max_time, n_threads)
    cloud = check_rows("X", X, weight, any_rows=takes_objects(found))
    mu = check_mu(mu, (cloud,))
    row_scale = row_scale_of((cloud,), found, moves=True)
    if row_scale is not None:
        cloud = scaled_rows(cloud, row_scale)
    if (cloud.caps(mu)[cloud.weights > 0.0] == 1.0).all():
        mu = None
    elif isinstance(solver, str) and solver == "wolfe":
        raise ValueError(f"solver='wolfe' takes balls around all rows, got mu={mu!r}")
    if mu is None and takes_wolfe(solver, found, cloud):
        ball = _by_wolfe(cloud)
    else:
        ball = _by_solver(cloud, found, mu, solver, tol, max_time, n_threads)
    if row_scale is None:
        return ball
    radius, gap, centre = (
        row_scale.length(ball.radius),
        row_scale.length(ball.gap),
        row_scale.point(ball.centre),
    )
    return replace(ball, radius=radius, gap=gap, centre=centre)


def _by_solver(
    cloud: Cloud,
    kernel: Kernel | None,
    mu: float | None,
    solver: str | Solver,
    tol: float | None,
    max_time: float | None,
    n_threads: int | None,
) -> EnclosingBall:
    gram = make_gram(kernel, _near(cloud, kernel), n_threads=n_threads, balanced=False)
    diagonal = gram.diagonal(precision="double")
    size = float(np.abs(diagonal).max()) or 1.0
    most = np.inf if mu is None else mu
    formulation = enclosing_ball_problem(diagonal, most, cloud.weights)
    tolerance = (_TOL if tol is None else tol) * size
    solution = solve(formulation.problem, gram, solver, tol=tolerance, max_time=max_time)
    centre = None if kernel is not None else combine(solution.coef, cloud.rows)
    # half the squared radius lies between the dual and the primal value, except for their rounding
    off = 0.5 * solution.rounding if np.isfinite(solution.rounding) else 0.0
    low = float(np.sqrt(2.0 * max(solution.objective - off, 0.0)))
    high = float(np.sqrt(2.0 * max(solution.objective + (solution.gap or 0.0) + off, 0.0)))
    gap = high - low if solution.gap is not None else np.inf
    radius = high if most == np.inf else _soft_radius(gram, diagonal, solution, formulation)
    cost = (solution.n_iter, solution.n_kernel, solution.solver)
    return EnclosingBall(radius, gap, centre, solution.coef, solution.status, *cost)


def _soft_radius(
    gram: Gram, diagonal: FloatArray, solution: Solution, formulation: Formulation
) -> float:
    """Of the rows that are not paid for, that of the farthest; if all are, of the nearest."""
    coef, upper = solution.coef, formulation.problem.upper
    support = np.flatnonzero(coef)
    values = gram.product(support, coef[support], precision="double")
    squares = diagonal - 2.0 * values + float(coef[support] @ values[support])
    is_free = (coef < (1.0 - _ON_BOUND) * upper) & (upper > 0.0)
    square = squares[is_free].max() if is_free.any() else squares[upper > 0.0].min()
    return float(np.sqrt(max(square, 0.0)))


def _near(cloud: Cloud, kernel: Kernel | None) -> Any:
    """The rows, from their mean where it is far from the origin: distances stay as they are."""
    shift = shift_of_far_rows(Linear().form(), cloud.rows) if kernel is None else None
    return cloud.rows if shift is None else moved(cloud.rows, shift)


def _by_wolfe(cloud: Cloud) -> EnclosingBall:
    there = np.flatnonzero(cloud.weights > 0.0)
    rows = cloud.rows if len(there) == cloud.n else np.ascontiguousarray(cloud.rows[there])
    members, weight, radius, gap, n_iter, converged = _core.smallest_ball(rows, _MOST_STEPS)
    coef = np.zeros(cloud.n)
    coef[there[members]] = weight
    centre = rows[0] + weight @ (rows[members] - rows[0])
    status = "converged" if converged else "max-iter"
    return EnclosingBall(radius, gap, centre, coef, status, n_iter, 0, "wolfe")
