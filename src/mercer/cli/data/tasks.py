"""The task: classes, a number, or normal rows."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api import types

from mercer.cli.choices import Task
from mercer.cli.data.columns import check_missing
from mercer.cli.data.notation import notation_of
from mercer.cli.data.values import MISSING_WORDS
from mercer.cli.errors import InputError, absent, plural, quoted, shown

__all__ = ["alike", "find_target", "known_targets", "resolve_task", "target_values"]

USUAL_NAMES = ("target", "label", "class", "y")
MOST_CLASSES = 20
LARGEST_LABEL = 2.0**53  # whole numbers beyond are not told apart
LEAST_NAMES = 20  # labels from which on, if all differ, they name rows


def find_target(names: list[str], target: str | None, task: Task) -> str | None:
    """Return the name of the target column; None if there is to be none.

    Without `target` it is the one column called "target", "label", "class" or "y".
    """
    listed = quoted(names) + _header_hint(names)
    if target is not None:
        if target not in names:
            raise InputError(absent(target, names) + _header_hint(names))
        return target
    if task is Task.outliers:
        return None
    usual = [name for name in names if name.lower() in USUAL_NAMES]
    if len(usual) != 1:
        raise InputError(f"say which column to predict with --target; the columns are {listed}")
    return usual[0]


def alike(labels: NDArray[Any]) -> list[str]:
    """Note on labels that differ in case or spaces only: most likely these are mistakes."""
    if labels.dtype.kind not in "US":
        return []
    same: dict[str, list[str]] = {}
    for label in np.unique(labels).tolist():
        same.setdefault(" ".join(label.casefold().split()), []).append(label)
    return [
        f"labels {quoted(own)} differ in case or spaces only, they are taken for different classes"
        for own in same.values()
        if len(own) > 1
    ]


def _header_hint(names: list[str]) -> str:
    """The message about names most of which are numbers."""
    n_numbers = 0
    for name in names:
        with suppress(ValueError):
            float(name)
            n_numbers += 1
    if 2 * n_numbers <= len(names):
        return ""
    return ". They look like values: the first line of a file must hold the names of its columns"


def resolve_task(values: pd.Series[Any], task: Task) -> Task:
    """Return the task that suits a target.

    Texts and booleans are classes, but many different values like $1,133.98 are numbers. Whole
    numbers with at most 20 different values that each occur twice or more on average are classes,
    too. Other numbers are a quantity: regression.
    """
    values = _plain(values, task)
    is_number = types.is_numeric_dtype(values.dtype) and not types.is_bool_dtype(values.dtype)
    if task is Task.regression and not is_number:
        raise InputError(
            f"the target {values.name!r} must hold numbers for --task regression, "
            f"got {values.dtype}"
        )
    if task is not Task.auto:
        return task
    if not is_number:
        return Task.classification
    distinct = values.nunique()
    is_few = distinct <= MOST_CLASSES and 2 * distinct <= len(values)
    return Task.classification if is_few and _is_whole(values) else Task.regression


def target_values(values: pd.Series[Any], task: Task, n_gaps: int = 0) -> NDArray[Any]:
    """Return the target as the machine wants it: floats, or labels, and not all the same.

    `n_gaps` rows without a target were left out.
    """
    name = values.name
    targets = known_targets(values, task)
    distinct = values.nunique()
    if task is Task.classification and distinct == len(values) >= LEAST_NAMES:
        raise InputError(
            f"the target {name!r} has {distinct:,} different values in as many rows, e.g. "
            f"{shown(values.iloc[0])}: these are names or dates of rows, there are no classes to "
            "learn; --target takes another column"
        )
    if distinct < 2:
        raise InputError(
            f"the target {name!r} is constant, all {len(values)} values are "
            f"{shown(values.iloc[0])}; there is nothing to learn{_of_gaps(n_gaps)}"
        )
    return targets


def _of_gaps(n_gaps: int) -> str:
    """A hint at the other class: its name may have been read as a missing value."""
    if not n_gaps:
        return ""
    return f"; {plural(n_gaps, 'row')} without a target left out: {MISSING_WORDS}"


def _plain(values: pd.Series[Any], task: Task) -> pd.Series[Any]:
    """Numbers written with a unit or marks between thousands as numbers; few of them are labels."""
    notation = notation_of(values)
    is_few = 2 * values.nunique() <= len(values) and values.nunique() <= MOST_CLASSES
    if notation is None or task is Task.classification or (task is Task.auto and is_few):
        return values
    return pd.Series(notation.read(values), index=values.index, name=values.name)


def known_targets(values: pd.Series[Any], task: Task) -> NDArray[Any]:
    """Return targets to compare predictions with: floats, or labels."""
    name = values.name
    check_missing(values.to_frame())
    if types.is_datetime64_any_dtype(values.dtype):
        raise InputError(f"the target {name!r} holds dates; it must hold numbers or texts")
    if task is Task.regression:
        numbers = _plain(values, task).to_numpy(dtype=np.float64)
        if not np.isfinite(numbers).all():
            raise InputError(f"the target {name!r} must hold finite numbers")
        return numbers
    return _labels(values)


def _labels(values: pd.Series[Any]) -> NDArray[Any]:
    if types.is_bool_dtype(values.dtype) or not types.is_numeric_dtype(values.dtype):
        return np.array([str(value) for value in values])
    if not _is_whole(values):
        raise InputError(
            f"the target {values.name!r} must hold texts or whole numbers for --task "
            f"classification, got e.g. {shown(values[values % 1 != 0].iloc[0])}"
        )
    largest = float(np.abs(values.to_numpy(dtype=np.float64)).max())
    if largest > LARGEST_LABEL:
        raise InputError(
            f"the target {values.name!r} holds numbers of up to {largest:.3g}, classes may be "
            f"whole numbers of up to {LARGEST_LABEL:.3g}; --task regression takes them as they are"
        )
    return values.to_numpy(dtype=np.int64)


def _is_whole(values: pd.Series[Any]) -> bool:
    numbers = values.to_numpy(dtype=np.float64, na_value=np.nan)
    return bool(np.all(np.isfinite(numbers)) and np.all(numbers == np.floor(numbers)))
