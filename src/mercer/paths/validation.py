"""Errors on held-out rows along paths: cross-validation and leave-one-out for every C.

A row that is not trained on is one whose box is collapsed to zero: all splits share one Gram.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from mercer.formulations import svc
from mercer.gram import Gram
from mercer.paths.crossings import Block, sign_changes
from mercer.paths.inputs import Inputs
from mercer.paths.limits import Limits
from mercer.paths.segments import FREE
from mercer.paths.splits import Split
from mercer.paths.step_function import StepFunction
from mercer.problem import Problem

if TYPE_CHECKING:
    from mercer.paths.path import Path

__all__ = ["ENDED", "HeldOut", "cross_validated_error", "leave_one_out_error"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]
STOPPED = ("max-time", "callback", "max-events")
ENDED = (*STOPPED, "precision-limit")


@dataclass(frozen=True, eq=False)
class HeldOut:
    """An error on held-out rows, and what it rests on.

    Attributes
    ----------
    error : StepFunction or None
        As a function of C; None if there was no time for any.
    parts : list of StepFunction
        The error of each split that was followed; empty for leave-one-out.
    n_done, n_asked : int
        Splits or rows that were followed to the end, and all of them.
    unit : str
        "splits" or "rows".
    status : str
        Why some are missing; empty if none is.
    """

    error: StepFunction | None
    parts: list[StepFunction]
    n_done: int
    n_asked: int
    unit: str
    status: str

    def warn_if_incomplete(self, consequence: str) -> bool:
        """Say on how little the error rests; whether there was anything to say."""
        if self.status:
            warnings.warn(
                f"validation ended early ({self.status}) with {self.n_done} of {self.n_asked} "
                f"{self.unit}: {consequence}",
                ConvergenceWarning,
                stacklevel=5,
            )
        return bool(self.status)


def cross_validated_error(
    inputs: Inputs, splits: Iterable[Split], gram: Gram, limits: Limits, path: Path
) -> HeldOut:
    """Error on held-out rows, the mean over the splits, as a function of C.

    Parameters
    ----------
    inputs : Inputs
        Rows, classes and weights: of a split's errors too.
    splits : iterable of Split
        Rows to train on, and rows to test with.
    gram : Gram
        Kernel values of all rows.
    limits : Limits
        Where the paths of the splits stop.
    path : Path
        The path of all rows, whose beginning and accuracy those of the splits have.
    """
    done: list[StepFunction] = []
    partial: list[StepFunction] = []
    asked, status = list(splits), ""
    for split in asked:
        if status != "max-time":
            error, ended = _split_error(inputs, split, gram, limits, path)
            status = ended or status
            (partial if ended else done).extend([] if error is None else [error])
    parts = done or partial
    error = StepFunction.mean(parts) if parts else None
    return HeldOut(error, parts, len(done), len(asked), "splits", status)


def _split_error(
    inputs: Inputs, split: Split, gram: Gram, limits: Limits, path: Path
) -> tuple[StepFunction | None, str]:
    """Error on the held-out rows of one split, and why it ended early, if it did."""
    problem = svc(inputs.sign, 1.0, inputs.full_weight(split.times)).problem
    weight = inputs.weight[split.test]
    return _fold_error(path, problem, gram, split.test, limits, weight)


def leave_one_out_error(path: Path, limits: Limits, weight: FloatArray) -> HeldOut:
    """Share of rows that the machine trained without them gets wrong, as a function of C.

    A row without a coefficient may as well be left out: it is on the right side of its
    margin. So each row needs a path without it only as far as it is used.
    """
    at, by, first, end = [np.zeros(0)], [np.zeros(0)], 0.0, min(path.C_end, limits.C_max)
    total, n_done, status, last_use = 0.0, 0, "", _last_use(path)
    # if the time is over before all rows are done, those that are should be like the others
    for row in np.random.default_rng(0).permutation(len(last_use)):
        last = float(last_use[row])
        if last > path.C_begin:
            nearer = replace(limits, C_max=min(last, limits.C_max))
            error, ended = _fold_error(
                path, without(path.problem, np.array([row])), path.gram, np.array([row]), nearer,
                np.ones(1),
            )  # fmt: skip
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
    if not total:
        return HeldOut(None, [], n_done, len(weight), "rows", status)
    jumps = np.concatenate(by) / total
    curve = StepFunction.from_jumps(path.C_begin, first / total, np.concatenate(at), jumps, end)
    return HeldOut(curve, [], n_done, len(weight), "rows", status)


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


def _fold_error(
    path: Path,
    problem: Problem,
    gram: Gram,
    rows: IntArray,
    limits: Limits,
    weight: FloatArray,
) -> tuple[StepFunction | None, str]:
    """Error on some rows of the path of a part of the problem, and why that ended early."""
    from mercer.paths.svc import trace

    sign = np.sign(problem.linear)
    trained = problem.lower < problem.upper
    if len(np.unique(sign[trained])) < 2:
        # one class is all there is: everything else is wrong, for every C
        wrong = sign[rows] != sign[trained][:1]
        share = float(weight @ wrong / weight.sum())
        return StepFunction(np.array([path.C_begin]), np.array([share])), ""
    fold = trace(problem, gram, limits, C_min=path.C_begin or None, accuracy=path.accuracy)
    if fold.C_end == 0.0:
        return None, fold.status
    changes = sign_changes(fold, _gram_block(gram, rows), len(rows))
    return changes.error(sign[rows], weight), fold.status if fold.status in ENDED else ""


def without(problem: Problem, variables: IntArray) -> Problem:
    """The problem with some variables held at zero."""
    lower, upper = problem.lower.copy(), problem.upper.copy()
    lower[variables] = upper[variables] = 0.0
    return replace(problem, lower=lower, upper=upper)


def _gram_block(gram: Gram, rows: IntArray) -> Block:
    native = gram.native("double")
    return lambda variables: native.block(rows, np.ascontiguousarray(variables, dtype=np.int64))
