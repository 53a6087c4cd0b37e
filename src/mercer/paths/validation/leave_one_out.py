"""Leaving out each row along a path, for every C."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer.paths.curves.crossings import sign_changes
from mercer.paths.curves.step_function import StepFunction
from mercer.paths.inputs.limits import Limits
from mercer.paths.results.segments import FREE
from mercer.paths.results.statuses import ENDED, STOPPED
from mercer.paths.validation.cross_validation import HeldOut, gram_block
from mercer.problem import Problem
from mercer.solvers.runs.deadline import Deadline
from mercer.training.numbers import plain, positive
from mercer.training.weights import read_weight

if TYPE_CHECKING:
    from mercer.paths.results.path import Path

__all__ = ["leave_one_out", "leave_one_out_error"]

FloatArray = NDArray[np.float64]


def leave_one_out(
    path: Path, C_max: float, sample_weight: ArrayLike | None, max_time: float | None
) -> StepFunction:
    """The arguments of :meth:`Path.leave_one_out`, checked, and what it returns."""
    if path.classes is None:
        raise ValueError("leave_one_out is for classifiers, this is a path of regression")
    path.over_C.check_known()
    deadline = Deadline.after(max_time)
    limits = Limits(C_max=min(positive("C_max", C_max), path.end), deadline=deadline)
    weight = read_weight(sample_weight, path.n_rows)[path.problem.index]
    found = leave_one_out_error(path, limits, weight)
    if found.error is None:
        raise ValueError(f"max_time={plain(max_time)} is too short to leave out any row")
    found.warn_if_incomplete("the error is that of these")
    return found.error


def leave_one_out_error(path: Path, limits: Limits, weight: FloatArray) -> HeldOut:
    """Share of rows that the machine trained without them gets wrong, as a function of C.

    A row without a coefficient may as well be left out: it is on the right side of its
    margin. So each row needs a path without it only as far as it is used.

    Parameters
    ----------
    path : Path
        The path of all rows, with one variable for each.
    limits : Limits
        Where to stop.
    weight : ndarray of shape (n_variables,)
        Weights of the errors.
    """
    at, by, first, end = [np.zeros(0)], [np.zeros(0)], 0.0, min(path.end, limits.C_max)
    total, n_done, status, last_use = 0.0, 0, "", _last_use(path)
    # if the time is over before all rows are done, those that are should be like the others
    for row in np.random.default_rng(0).permutation(len(last_use)):
        last = float(last_use[row])
        if last > path.begin:
            error, ended = _error_without(path, int(row), min(last, limits.C_max), limits)
            status = ended or status
            if error is None or ended in STOPPED:
                break
            first += weight[row] * error.value[0]
            at.append(error.x[1:])
            by.append(weight[row] * np.diff(error.value))
            if last < end and error.end >= last:
                at.append(np.array([last]))
                by.append(np.array([-weight[row] * error(last)]))
            elif error.end < last:
                end = min(end, error.end)
        total, n_done = total + weight[row], n_done + 1
    curve = None
    if total:
        jumps = np.concatenate(by) / total
        curve = StepFunction.from_jumps(path.begin, first / total, np.concatenate(at), jumps, end)
    return HeldOut(curve, n_done, len(weight), "rows", status)


def _last_use(path: Path) -> FloatArray:
    """The C from which on each variable is zero; infinite if it never is."""
    segments = path.segments
    sides = segments.first_side
    bound = np.where(sides > 0, segments.upper, segments.lower)
    in_use = (sides == FREE) | (bound != 0)
    last = np.where(in_use, np.inf, 0.0)
    after = np.where(segments.side > 0, segments.upper[segments.changed], 0.0)
    after = np.where(segments.side < 0, segments.lower[segments.changed], after)
    at_zero = (segments.side != FREE) & (after == 0)
    of = np.searchsorted(segments.changes_end, np.arange(len(at_zero)), side="right")
    # a variable may change more than once: assignment keeps the last change
    last[segments.changed] = np.where(at_zero, path.C[of], np.inf)
    return last


def _error_without(
    path: Path, variable: int, C_max: float, limits: Limits
) -> tuple[StepFunction | None, str]:
    """Error on a row of the path without it, and why that ended early, if it did."""
    from mercer.paths.svc import trace

    problem = _without(path.problem, variable)
    sign, trained = np.sign(problem.linear), problem.lower < problem.upper
    if len(np.unique(sign[trained])) < 2:
        # one class is all there is: the other one is wrong, for every C
        wrong = float(sign[variable] != sign[trained][0])
        return StepFunction(np.array([path.begin]), np.array([wrong])), ""
    fold = trace(
        problem, path.gram, replace(limits, C_max=C_max), C_min=path.begin or None,
        accuracy=path.accuracy,
    )  # fmt: skip
    if fold.end == 0.0:
        return None, fold.status
    values = gram_block(path.gram, problem.index[[variable]])
    changes = sign_changes(fold, lambda v: values(problem.index[v]), 1)
    error = changes.error(sign[[variable]], np.ones(1))
    return error, fold.status if fold.status in ENDED else ""


def _without(problem: Problem, variable: int) -> Problem:
    """The problem with a variable held at zero."""
    lower, upper = problem.lower.copy(), problem.upper.copy()
    lower[variable] = upper[variable] = 0.0
    return replace(problem, lower=lower, upper=upper)
