"""What users are told of a search that did not go well."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from mercer.machines.svm.classifiers import SVC
from mercer.machines.svm.lonely import is_lonely
from mercer.selection.found import Found

__all__ = ["messages_of"]

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


def messages_of(found: Found, status: str, edges: Sequence[str], machine: Any) -> Iterator[str]:
    """Of a search, what of its result lies at an edge, and the machine that was fitted."""
    if not len(found.listed):
        yield _NOTHING
        return
    if len(found.listed) == 1 and status in ("max-time", "max-evals"):
        yield _FIRST.format(status)
    if status in _BY_STATUS:
        yield _BY_STATUS[status]
    if edges:
        yield f"{_BOUNDARY} ({', '.join(edges)})"
    elif status == "boundary":
        yield _BOUNDARY
    if _keeps_all_rows(machine):
        yield _ALL_ROWS


def _keeps_all_rows(machine: Any) -> bool:
    """Whether a machine of two classes keeps every row, each for itself."""
    if not isinstance(machine, SVC) or len(machine.classes_) != 2:
        return False
    return len(machine.support_) == int(machine.shape_fit_[0]) and is_lonely(machine)
