"""Warnings about a search that did not go well."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any
from warnings import catch_warnings, filterwarnings

import numpy as np

from mercer.gram.native import take_rows
from mercer.machines.svm.classifiers import SVC
from mercer.machines.svm.isolated_support import is_support_isolated
from mercer.selection.held_out import HeldOut
from mercer.selection.search_result import SearchResult
from mercer.selection.training_task import TrainingTask
from mercer.training.rows import is_precomputed

__all__ = ["constant_prediction", "messages_of"]

_BY_STATUS = {
    "flat": "the criterion is the same everywhere: the parameters chosen are as good as any others",
    "no-value": "no score of the search is a number: the parameters are those it begins with",
}
_BOUNDARY = "the best parameters lie at the edge of those searched: better ones may lie beyond"
_NOTHING = (
    "max_time was over before the criterion had a value: the parameters are those that the search "
    "begins with. Allow more time, or take the objective 'auto'"
)
_FIRST = (
    "the search ended ({}) after its first evaluation: the parameters are those that it begins "
    "with, compared with no others"
)
_ALL_ROWS = (
    "every row is a support vector and similar to no other: the machine predicts like the nearest "
    "neighbour. The kernel is too narrow, or the rows tell nothing of the classes"
)

_CONSTANT = (
    "all {} rows are predicted to be {!r}, as {:.3g} % of them are: the machine is a constant. "
    "class_weight='balanced' or scoring='balanced_accuracy' (or another score) make the other "
    "classes count"
)
_MOST_PREDICTED = 1000  # rows that are looked at where none were held out


def messages_of(
    found: SearchResult, status: str, edges: Sequence[str], machine: Any, ranges: Sequence[str] = ()
) -> Iterator[str]:
    """Of a search, what of its result lies at an edge, and the machine that was fitted.

    ``ranges`` are the parameters that move that edge.
    """
    if not len(found.listed):
        yield _NOTHING
        return
    if len(found.listed) == 1 and status in ("max-time", "max-evals"):
        yield _FIRST.format(status)
    if status in _BY_STATUS:
        yield _BY_STATUS[status]
    if edges or status == "boundary":
        where = f" ({', '.join(edges)})" if edges else ""
        yield f"{_BOUNDARY}{where}" + (f"; look there with {' or '.join(ranges)}" if ranges else "")
    if _keeps_all_rows(machine):
        yield _ALL_ROWS


def _keeps_all_rows(machine: Any) -> bool:
    """Whether a machine of two classes keeps every row, each for itself."""
    if not isinstance(machine, SVC) or len(machine.classes_) != 2:
        return False
    return len(machine.support_) == int(machine.shape_fit_[0]) and is_support_isolated(machine)


def constant_prediction(machine: Any, held_out: HeldOut | None, task: TrainingTask) -> str | None:
    """The warning about a classifier that predicts one class for all rows; None for others."""
    if held_out is not None:
        rows, predicted = np.concatenate(held_out.rows), np.concatenate(held_out.predicted)
    elif is_precomputed(machine.kernel):
        return None
    else:
        rows = task.sample_rows(_MOST_PREDICTED)
        with catch_warnings():
            # the rows of a task have no names any more
            filterwarnings("ignore", "X does not have valid feature names")
            predicted = machine.predict(take_rows(task.rows, rows))
    if not len(predicted) or (predicted != predicted[0]).any():
        return None
    share = 100.0 * float(np.average(task.y[rows] == predicted[0], weights=task.weight[rows]))
    kind = "training" if held_out is None else "held-out"
    return _CONSTANT.format(kind, np.asarray(predicted[0]).item(), share)
