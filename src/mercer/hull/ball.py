"""The smallest ball around rows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from mercer import _core
from mercer.formulations import enclosing_ball as enclosing_ball_problem
from mercer.gram.origin import far_origin, moved
from mercer.hull.exactly import combine, goes_exactly
from mercer.hull.result import EnclosingBall
from mercer.hull.rows import Cloud, check_limits, check_rows, make_gram, resolve, takes_objects
from mercer.hull.unit import in_unit, unit_of
from mercer.kernels import Kernel, Linear
from mercer.solvers import Solver, solve

__all__ = ["enclosing_ball"]

_TOL = 1e-6
_MOST_STEPS = 1_000_000


def enclosing_ball(
    X: Any,
    *,
    kernel: Any = None,
    solver: str | Solver = "auto",
    tol: float | None = None,
    max_time: float | None = None,
    n_threads: int | None = None,
) -> EnclosingBall:
    """The smallest ball around all rows, in their own space or that of a kernel.

    Its radius R is that of the radius-margin bound R^2 |w|^2 of model selection.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_rows, n_features)
        The rows.
    kernel : str, Kernel or callable, default=None
        The kernel whose feature space the ball is in, as for :class:`mercer.SVC`; None for the
        rows themselves.
    solver : str or Solver, default="auto"
        "wolfe" is exact but for rounding, for dense rows without a kernel; "auto" takes it up to
        128 features, else a solver of :mod:`mercer.solvers`. Any of these may be named.
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
    cloud = check_rows("X", X, None, any_rows=takes_objects(found))
    unit = unit_of((cloud,), found, moves=True)
    if unit is not None:
        cloud = in_unit(cloud, unit)
    if goes_exactly(solver, found, cloud):
        ball = _exactly(cloud.rows)
    else:
        ball = _by_solver(cloud, found, solver, tol, max_time, n_threads)
    if unit is None:
        return ball
    radius, gap, centre = unit.length(ball.radius), unit.length(ball.gap), unit.point(ball.centre)
    return replace(ball, radius=radius, gap=gap, centre=centre)


def _by_solver(
    cloud: Cloud,
    kernel: Kernel | None,
    solver: str | Solver,
    tol: float | None,
    max_time: float | None,
    n_threads: int | None,
) -> EnclosingBall:
    gram = make_gram(kernel, _near(cloud, kernel), n_threads=n_threads, balanced=False)
    diagonal = gram.diagonal(precision="double")
    size = float(np.abs(diagonal).max()) or 1.0
    formulation = enclosing_ball_problem(diagonal)
    tolerance = (_TOL if tol is None else tol) * size
    solution = solve(formulation.problem, gram, solver, tol=tolerance, max_time=max_time)
    centre = None if kernel is not None else combine(solution.coef, cloud.rows)
    # half the squared radius lies between the dual and the primal value, but for their rounding
    off = 0.5 * solution.rounding if np.isfinite(solution.rounding) else 0.0
    low = float(np.sqrt(2.0 * max(solution.objective - off, 0.0)))
    high = float(np.sqrt(2.0 * max(solution.objective + (solution.gap or 0.0) + off, 0.0)))
    gap = high - low if solution.gap is not None else np.inf
    cost = (solution.n_iter, solution.n_kernel, solution.solver)
    return EnclosingBall(high, gap, centre, solution.coef, solution.status, *cost)


def _near(cloud: Cloud, kernel: Kernel | None) -> Any:
    """The rows, from their mean where it is far from the origin: distances stay as they are."""
    origin = far_origin(Linear().form(), cloud.rows) if kernel is None else None
    return cloud.rows if origin is None else moved(cloud.rows, origin)


def _exactly(rows: np.ndarray) -> EnclosingBall:
    members, weight, radius, gap, n_iter, converged = _core.smallest_ball(rows, _MOST_STEPS)
    coef = np.zeros(len(rows))
    coef[members] = weight
    centre = rows[0] + weight @ (rows[members] - rows[0])
    status = "converged" if converged else "max-iter"
    return EnclosingBall(radius, gap, centre, coef, status, n_iter, 0, "wolfe")
