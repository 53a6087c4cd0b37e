"""Starting unequal classes with an artificial point (Sentelle 2014, chapter 6).

A point of the lighter class with the missing weight balances the classes, so that the path can
begin with everything at its bound. Placed far out in the direction that separates the classes it
comes to rest at zero before anything else happens, and is forgotten. It is one variable with a
wide box; its place is a combination of the others, known by its kernel values alone.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from mercer.gram import Gram
from mercer.paths.exact.follow import Run, follow
from mercer.paths.exact.start import (
    Start,
    at_first_event,
    exact_start,
    first_free,
    linear_program,
    unfinished,
)
from mercer.paths.inputs.limits import Limits
from mercer.problem import Problem
from mercer.problem.family import Family

__all__ = ["artificial_start"]

FloatArray = NDArray[np.float64]
_FARNESS = (10.0, 100.0, 1000.0)


def artificial_start(problem: Problem, gram: Gram, limits: Limits) -> tuple[Start, str]:
    """The start of a classification path, and how it was found.

    "artificial", or "artificial, late" if a row of the lighter class moved while the
    artificial point was still there: the path then begins at a larger C than it could; or
    "exact" where the classes are balanced or the artificial point did not leave.
    """
    missing = float(problem.lower.sum() + problem.upper.sum())
    width = float((problem.upper - problem.lower).sum())
    if abs(missing) <= 1e-12 * width:
        return exact_start(problem, gram, limits), "exact"
    sign = -float(np.sign(missing))
    late: Start | None = None
    for farness in _FARNESS:
        values = _place(problem, gram, sign, farness)
        if values is None:
            break
        larger = _with_artificial(problem, gram, sign, abs(missing))
        run = _balanced_run(larger, gram, values, limits)
        if run.status in ("max-time", "callback"):
            return unfinished(problem, run.status), "artificial"
        if run.status != "at-zero":
            continue
        if not _moved_early(run, problem, sign):
            return _continue(problem, gram, run), "artificial"
        late = late or _late(problem, run)
    if late is not None:
        return late, "artificial, late"
    return exact_start(problem, gram, limits), "exact"


def _place(problem: Problem, gram: Gram, sign: float, farness: float) -> FloatArray | None:
    """Kernel values of the artificial point against all rows and itself; None if there is no
    direction.

    phi_t = mean + rho sign sum_j c_j phi_j with c the centred labels, and rho so large that it
    lies ``farness`` times as far out as any row of its class.
    """
    weight = problem.upper - problem.lower
    share = weight / weight.sum()
    centred = weight * (problem.linear - share @ problem.linear)
    parts = np.column_stack([problem.row_coef(x, gram.n_rows) for x in (centred, share)])
    direction, mean = gram.product(None, parts, precision="double").T
    at_rows = direction[problem.index]
    length = float(centred @ at_rows)
    own = problem.linear * sign > 0
    reach = float((sign * (at_rows[own] - share @ at_rows)).max())
    if not length > 0 or not reach > 0:
        return None
    rho = farness * reach / length
    values = mean + rho * sign * direction
    middle = share @ mean[problem.index]
    itself = middle + 2 * rho * sign * (share @ at_rows) + rho**2 * length
    return np.append(values, itself)


def _with_artificial(problem: Problem, gram: Gram, sign: float, missing: float) -> Problem:
    return Problem(
        np.append(problem.linear, sign),
        np.append(problem.lower, min(sign * missing, 0.0)),
        np.append(problem.upper, max(sign * missing, 0.0)),
        np.append(problem.index, gram.n_rows),
        np.append(problem.ridge, 0.0),
        np.append(problem.group, 0),
        problem.group_sum,
    )


def _balanced_run(problem: Problem, gram: Gram, values: FloatArray, limits: Limits) -> Run:
    """From everything at its bound until the artificial point is at zero."""
    coef, threshold, _ = linear_program(problem)
    rows = problem.row_coef(coef, gram.n_rows + 1)
    at_rows = gram.product(None, rows[:-1], precision="double") + rows[-1] * values[:-1]
    value = np.append(at_rows, values @ rows)[problem.index] + problem.ridge * coef
    free = first_free(problem, coef, value, threshold)
    start = at_first_event(problem, gram, coef, free, value, threshold, is_pinned=False)
    family, last = Family(problem), problem.n_variables - 1
    return follow(family, gram, start, limits, extra=values, until_zero=last)


def _moved_early(run: Run, problem: Problem, sign: float) -> bool:
    """Whether a row of the lighter class left its bound."""
    moved = run.segments.changed[run.segments.changed < problem.n_variables]
    return bool((problem.linear[moved] * sign > 0).any())


def _late(problem: Problem, run: Run) -> Start:
    C = 1.0 / run.parameter
    return Start(run.coef[:-1], run.free, run.parameter, np.nan, np.nan, False, begin=C)


def _continue(problem: Problem, gram: Gram, run: Run) -> Start:
    """The start proper: the same point at the first event without the artificial one."""
    coef = run.coef[:-1]
    rows = problem.row_coef(coef, gram.n_rows)
    used = np.flatnonzero(rows)
    values = gram.product(used, rows[used], precision="double")[problem.index]
    threshold = float(problem.linear[run.free[0]])
    values += problem.ridge * coef
    start = at_first_event(problem, gram, coef, run.free, values, threshold, is_pinned=True)
    return replace(start, parameter=min(start.parameter, run.parameter))
