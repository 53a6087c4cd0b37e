"""The kind of values that class labels are: labels of two kinds are never equal."""

from __future__ import annotations

from datetime import date, timedelta
from numbers import Number
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["check_kinds"]

_OF_DTYPE = {
    **dict.fromkeys("biufc", "numbers"),
    **{"U": "text", "S": "bytes", "M": "dates", "m": "durations"},
}
_OF_TYPE: tuple[tuple[Any, str], ...] = (
    ((np.bool_, Number), "numbers"),
    (str, "text"),
    (bytes, "bytes"),
    ((date, np.datetime64), "dates"),
    ((timedelta, np.timedelta64), "durations"),
)


def check_kinds(name: str, classes: NDArray[Any], labels: NDArray[Any]) -> None:
    """Refuse missing classes, and kinds that the labels have none of: text "1" is not 1."""
    if _has_missing(classes):
        raise ValueError(f"{name} must not have missing classes, got None, NaN or the like")
    ours, theirs = _kinds(classes), _kinds(labels)
    if not ours <= theirs:
        raise ValueError(
            f"{name} must be classes as those of y, {_listed(theirs)} ({labels.dtype}), got "
            f"{_listed(ours)} ({classes.dtype})"
        )


def _kinds(classes: NDArray[Any]) -> set[str]:
    if classes.dtype != object:
        return {_OF_DTYPE.get(classes.dtype.kind, str(classes.dtype))}
    return {_of_type(found) for found in set(map(type, classes))}


def _of_type(found: type) -> str:
    fitting = (kind for types, kind in _OF_TYPE if issubclass(found, types))
    return next(fitting, found.__name__)


def _has_missing(classes: NDArray[Any]) -> bool:
    """Whether some are None, or not equal to themselves (NaN, NaT, a missing value of pandas)."""
    if classes.dtype != object:
        return bool((classes != classes).any())
    return any(map(_is_missing, classes))


def _is_missing(one: Any) -> bool:
    if one is None:
        return True
    try:
        return not bool(one == one)
    except TypeError:  # a missing value of pandas is neither equal nor not
        return True


def _listed(kinds: set[str]) -> str:
    return " and ".join(sorted(kinds))
