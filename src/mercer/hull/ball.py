"""The smallest ball around rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from mercer import _core
from mercer.formulations import enclosing_ball as enclosing_ball_problem
from mercer.hull.result import EnclosingBall
from mercer.hull.rows import check_rows, check_tol, make_gram, resolve
from mercer.solvers import Solver, solve

__all__ = ["enclosing_ball"]

_MOST_FEATURES = 128
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
    check_tol(tol)
    cloud = check_rows("X", X, None, any_rows=found is not None and found._row_kind == "object")
    is_plain = found is None and not sp.issparse(cloud.rows)
    if isinstance(solver, str) and solver == "wolfe" and not is_plain:
        got = "sparse rows" if found is None else f"kernel={found!r}"
        raise ValueError(f"solver='wolfe' takes dense rows without a kernel, got {got}")
    is_narrow = is_plain and cloud.rows.shape[1] <= _MOST_FEATURES
    if isinstance(solver, str) and (solver == "wolfe" or (solver == "auto" and is_narrow)):
        return _exactly(cloud.rows)
    gram = make_gram(found, cloud.rows, n_threads=n_threads, balanced=False)
    diagonal = gram.diagonal(precision="double")
    size = float(np.abs(diagonal).max()) or 1.0
    formulation = enclosing_ball_problem(diagonal)
    tolerance = (_TOL if tol is None else tol) * size
    solution = solve(formulation.problem, gram, solver, tol=tolerance, max_time=max_time)
    centre = None if found is not None else np.asarray(solution.coef @ cloud.rows).ravel()
    # half the squared radius lies between the dual and the primal value, but for their rounding
    off = 0.5 * solution.rounding if np.isfinite(solution.rounding) else 0.0
    low = float(np.sqrt(2.0 * max(solution.objective - off, 0.0)))
    high = float(np.sqrt(2.0 * max(solution.objective + (solution.gap or 0.0) + off, 0.0)))
    cost = (solution.n_iter, solution.n_kernel, solution.solver)
    return EnclosingBall(high, high - low, centre, solution.coef, solution.status, *cost)


def _exactly(rows: np.ndarray) -> EnclosingBall:
    members, weight, radius, gap, n_iter, converged = _core.smallest_ball(rows, _MOST_STEPS)
    coef = np.zeros(len(rows))
    coef[members] = weight
    centre = rows[0] + weight @ (rows[members] - rows[0])
    status = "converged" if converged else "max-iter"
    return EnclosingBall(radius, gap, centre, coef, status, n_iter, 0, "wolfe")
