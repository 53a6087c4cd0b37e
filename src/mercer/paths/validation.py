"""Errors on held-out rows along paths: cross-validation and leave-one-out for every C.

A held-out row is one whose box is collapsed to zero: all folds share one Gram.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer.gram import Gram
from mercer.paths.crossings import error_function
from mercer.paths.follow import Limits
from mercer.paths.segments import FREE
from mercer.paths.step_function import StepFunction
from mercer.problem import Problem

if TYPE_CHECKING:
    from mercer.paths.path import Path

__all__ = ["cross_validated_error", "leave_one_out_error"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]


def cross_validated_error(
    path: Path,
    folds: Iterable[ArrayLike],
    limits: Limits,
    sample_weight: ArrayLike | None = None,
) -> StepFunction:
    """Error on held-out rows, averaged over all of them, as a function of C.

    Parameters
    ----------
    path : Path
        The path of all rows.
    folds : iterable of arrays of int
        The rows held out together.
    limits : Limits
        Where the paths of the folds stop.
    sample_weight : array-like of shape (n_rows,), default=None
        Weights of the errors.
    """
    held_out = [np.asarray(fold, dtype=np.intp) for fold in folds]
    weight = np.ones(path.problem.n_variables) if sample_weight is None else sample_weight
    weight = np.asarray(weight, dtype=np.float64)
    errors = [_fold_error(path, fold, limits, weight[fold]) for fold in held_out]
    return StepFunction.mean(errors, [weight[fold].sum() for fold in held_out])


def leave_one_out_error(
    path: Path, limits: Limits, sample_weight: ArrayLike | None = None
) -> StepFunction:
    """Share of rows that the machine trained without them gets wrong, as a function of C.

    A row without a coefficient may as well be left out: it is on the right side of its
    margin. So each row needs a path without it only as far as it is used.
    """
    n = path.problem.n_variables
    weight = np.ones(n) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    share = weight / weight.sum()
    at, by, first, end = [np.zeros(0)], [np.zeros(0)], 0.0, min(path.C_end, limits.C_max)
    for row, last in enumerate(_last_use(path)):
        if last <= path.C_begin:
            continue
        nearer = replace(limits, C_max=min(last, limits.C_max))
        error = _fold_error(path, np.array([row]), nearer, np.ones(1))
        first += share[row] * error.value[0]
        at.append(error.x[1:])
        by.append(share[row] * np.diff(error.value))
        if last < end and error.end >= last:
            at.append(np.array([last]))
            by.append(np.array([-share[row] * error(last)]))
        elif error.end < last:
            end = min(end, error.end)
    return StepFunction.from_jumps(path.C_begin, first, np.concatenate(at), np.concatenate(by), end)


def _last_use(path: Path) -> FloatArray:
    """The C from which on each variable is zero; infinite if it never is."""
    segments = path.segments
    sides = segments.first_side
    bound = np.where(sides > 0, segments.upper, segments.lower)
    in_use = (sides == FREE) | (bound != 0)
    last = np.where(in_use, np.inf, 0.0)
    after = np.where(segments.side > 0, segments.upper[segments.changed], 0.0)
    after = np.where(segments.side < 0, segments.lower[segments.changed], after)
    rests = (segments.side != FREE) & (after == 0)
    of = np.searchsorted(segments.changes_end, np.arange(len(rests)), side="right")
    # of several changes of one variable the last one counts, as in assignment
    last[segments.changed] = np.where(rests, path.C[of], np.inf)
    return last


def _fold_error(path: Path, rows: IntArray, limits: Limits, weight: FloatArray) -> StepFunction:
    """Error on some rows of the path without them, up to the limits."""
    from mercer.paths.svc import trace

    whole, gram = path.problem, path.gram
    if gram is None:
        raise ValueError("this needs the kernel values of the path, which a loaded one lacks")
    sign = np.sign(whole.linear)
    problem = without(whole, rows)
    left = problem.lower < problem.upper
    if len(np.unique(sign[left])) < 2:
        # one class is all there is: everything else is wrong, for every C
        wrong = sign[rows] != sign[left][:1]
        share = float(weight @ wrong / weight.sum())
        return StepFunction(np.array([path.C_begin]), np.array([share]))
    fold = trace(
        problem, gram, limits, classes=path.classes, C_min=path.C_begin or None,
        accuracy=path.accuracy,
    )  # fmt: skip
    return error_function(fold, _gram_block(gram, rows), sign[rows], weight)


def without(problem: Problem, variables: IntArray) -> Problem:
    """The problem with some variables held at zero."""
    lower, upper = problem.lower.copy(), problem.upper.copy()
    lower[variables] = upper[variables] = 0.0
    return replace(problem, lower=lower, upper=upper)


def _gram_block(gram: Gram, rows: IntArray):  # type: ignore[no-untyped-def]
    native = gram.native("double")
    return lambda variables: native.block(rows, np.ascontiguousarray(variables, dtype=np.int64))
