"""Past a tie, where many variables change sides at one parameter.

There the solution may jump, and its next direction is a quadratic program of its own, which one
event after the other does not solve where the kernel matrix is nearly singular. So the solution a
little further is found by the active-set method, and the path goes there straight. Points of that
chord are feasible, and the objective of a point a changes by linear'a when t does by 1: the gap of
the chord is at most its length times the change of linear'a between its ends.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from mercer.gram import Gram
from mercer.paths.exact.start import Start, at_box_one
from mercer.paths.inputs.limits import Limits
from mercer.paths.results.segments import FREE, LOWER, UPPER, Segments
from mercer.problem import Problem
from mercer.problem.family import Family
from mercer.solvers import Basis

__all__ = ["chord", "solution_at", "step_over"]

FloatArray = NDArray[np.float64]
_TOLERANCE = 1e-9  # of a slope
_STEP = 1e-12  # of the parameter and the offset
_ORDERS = 4  # steps, each ten times as long as the one before


def solution_at(family: Family, gram: Gram, t: float, near: Start, limits: Limits) -> Start:
    """The solution at the parameter ``t``, found from the point of ``near``.

    Its status is empty, or why it was not found: "max-time", "callback" or "precision-limit".
    """
    scale = family.coef_scale(t)
    basis = Basis(family.at_inverse(t), gram, near.coef * scale)
    solution = basis.solve(tol=_TOLERANCE, max_time=limits.deadline.seconds_left)
    return replace(
        near,
        coef=at_box_one(family.problem, basis.problem, solution.coef, 1.0 / scale),
        free=basis.free,
        parameter=t,
        bias=float(basis.multiplier.sum()) / scale,
        expansion=None,
        status="" if solution.status == "converged" else solution.status,
    )


def step_over(
    family: Family, gram: Gram, near: Start, limits: Limits, order: int = 0
) -> tuple[Segments | None, Start]:
    """The next solution behind ``near`` that can be found, and the chord to it.

    Parameters
    ----------
    order : int, default=0
        How often this was tried from the same place: the step is ten times as long each time.
    """
    stop = 0.0 if limits.C_max == np.inf else 1.0 / limits.C_max
    status = "precision-limit"
    for longer in range(order, _ORDERS):
        step = 10.0**longer * _STEP * (near.parameter + _size(family.offset))
        t = max(near.parameter - step, stop)
        there = solution_at(family, gram, t, near, limits)
        if not there.status:
            return chord(family.problem, near, there), there
        status = there.status
        if status != "precision-limit":
            break
    return None, replace(near, status=status)


def _size(offset: FloatArray | None) -> float:
    """The largest entry of the offset."""
    return 0.0 if offset is None else float(np.abs(offset).max(initial=0.0))


def chord(problem: Problem, near: Start, there: Start) -> Segments:
    """One segment between two solutions; what differs is free on it."""
    lower, upper = problem.lower, problem.upper
    side = np.where(near.coef == upper, UPPER, LOWER).astype(np.int8)
    side[lower == upper] = LOWER
    moves = (near.coef != there.coef) | ((near.coef > lower) & (near.coef < upper))
    side[moves] = FREE
    length = there.parameter - near.parameter
    bias = near.bias if np.isfinite(near.bias) else there.bias
    nothing = np.zeros(0, np.int64)
    return Segments(
        lower,
        upper,
        side,
        np.array([near.parameter]),
        np.array([bias]),
        np.array([(there.bias - bias) / length]),
        np.zeros(1, np.int64),
        np.array([int(moves.sum())]),
        nothing,
        nothing.astype(np.int8),
        near.coef[moves],
        (there.coef - near.coef)[moves] / length,
        there.parameter,
    )
