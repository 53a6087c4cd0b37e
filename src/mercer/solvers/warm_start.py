"""Where to start a problem from the solution of one that differs in its box."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer import _core
from mercer.problem import Problem, Solution
from mercer.problem.certificate import assess
from mercer.solvers.runs.selective_certificate import KnownGradient

__all__ = ["carried", "reused"]

FloatArray = NDArray[np.float64]
_ROUNDED = 1e-14  # relative


def carried(last: Solution, before: Problem, problem: Problem) -> dict[str, Any]:
    """A multiple of the last coefficients that the new box allows, with its gradient.

    None of them, all of them or the best multiple, by how many were at a bound. Groups whose sums
    are not zero fix it to 1. What rounding leaves beside a bound is put on it: to bring it there
    would take a step for each variable.
    """
    start, gradient, scale = _core.carry(
        problem._native, before._native, last.coef, last.gradient, _may_scale(before, problem)
    )
    for bound in (problem.lower, problem.upper):
        is_met = np.abs(start - bound) <= _ROUNDED * np.abs(bound)
        np.copyto(start, bound, where=is_met & np.isfinite(bound))
    if not _has_same_matrix(before, problem):
        return {"start": start}
    corrections = None if last.corrections is None else scale * last.corrections
    known = KnownGradient(gradient, scale * last.error, corrections)
    return {"start": start, "start_gradient": known}


def reused(last: Solution, before: Problem, problem: Problem) -> Solution | None:
    """The last solution as that of the problem, if it is: nothing lies at a bound that moved."""
    coef = last.coef
    is_held = (coef == before.upper) & (coef != problem.upper)
    is_held |= (coef == before.lower) & (coef != problem.lower)
    is_outside = (coef < problem.lower) | (coef > problem.upper)
    if not last.converged or (is_held | is_outside).any():
        return None
    if not (_has_same_matrix(before, problem) and np.array_equal(before.linear, problem.linear)):
        return None
    if not np.array_equal(before.group_sum, problem.group_sum):
        return None
    found = assess(problem, coef, problem.linear - problem.ridge * coef - last.gradient)
    # that of the last one knows what rounding has done to the gradient
    gap = None if last.gap is None or found.gap is None else max(found.gap, last.gap)
    primal = None if gap is None else found.objective + gap
    return replace(last, gap=gap, primal=primal, n_iter=0, n_kernel=0, seconds=0.0, trace={})


def _may_scale(before: Problem, problem: Problem) -> bool:
    """Whether multiples of a feasible point have the right sums."""
    return not (problem.group_sum.any() or before.group_sum.any())


def _has_same_matrix(a: Problem, b: Problem) -> bool:
    """Whether both have the same kernel values and ridges."""
    if a.ridge is b.ridge and a.index is b.index:
        return True
    return bool((a.ridge == b.ridge).all() and (a.index == b.index).all())
