"""Which rows are trained on and which are held out: what ``cv`` means.

Exactly the indices that a splitter gives are used: rows in neither part are left out, an index
that is given twice counts twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.model_selection import check_cv

from mercer.training.training_set import TrainingSet

__all__ = [
    "Split",
    "check_classes",
    "leave_one_out_splits",
    "read_splits",
    "splits_on_rows",
    "two_class_splits",
]

IntArray = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Split:
    """Positions of the rows to train on and of those to test with.

    Attributes
    ----------
    times : ndarray of shape (n_rows,) of integers
        How often each row is trained on.
    test : ndarray of int
        The rows of positive weight that are held out, as often as they count.
    share : float, default=1.0
        How much the split counts in a mean over several.
    """

    times: NDArray[Any]
    test: IntArray
    share: float = 1.0

    @classmethod
    def of(cls, data: TrainingSet, train: IntArray, test: IntArray) -> Split:
        """That of two sets of indices."""
        times = np.bincount(train, minlength=data.n_rows)
        # a byte for each row: a row left out at a time makes as many splits as rows
        times = times.astype(np.min_scalar_type(times.max()))
        return cls(times, test[data.weight[test] > 0])


def read_splits(data: TrainingSet, cv: Any, groups: ArrayLike | None = None) -> list[Split]:
    """The splits of ``cv``, those with rows to test with.

    Parameters
    ----------
    data : TrainingSet
        Rows, classes or targets, and weights.
    cv : int, cross-validation generator or iterable of (train, test)
        As in scikit-learn.
    groups : array-like of shape (n_rows,), default=None
        Groups of rows that stay together, for the splitters that need them.
    """
    pairs = enumerate(_pairs(data, cv, groups))
    found = [Split.of(data, *_checked(data.n_rows, k, pair)) for k, pair in pairs]
    splits = [split for split in found if len(split.test)]
    if not splits:
        raise ValueError(
            f"cv must give splits with rows of positive sample_weight to test on, got none from "
            f"{cv!r}"
        )
    return splits


def check_classes(data: TrainingSet, splits: list[Split]) -> None:
    """Refuse splits that have no two classes to tell apart."""
    for number, split in enumerate(splits):
        found = np.unique(data.class_index[(split.times > 0) & (data.weight > 0)])
        if len(found) < 2:
            raise ValueError(
                f"cv must train on at least two classes, got {data.classes[found].tolist()} with "
                f"positive weight in the training rows of split {number}"
            )


def two_class_splits(data: TrainingSet, cv: Any, groups: ArrayLike | None = None) -> list[Split]:
    """The splits of ``cv``, each with classes to tell apart; none for None."""
    splits = [] if cv is None else read_splits(data, cv, groups)
    check_classes(data, splits)
    return splits


def leave_one_out_splits(data: TrainingSet) -> list[Split]:
    """Each row that has a weight alone, its error counting as much as the row."""
    n, alone = data.n_rows, np.flatnonzero(data.weight > 0)
    return [
        Split(1 - np.eye(1, n, i, dtype=np.uint8)[0], np.array([i]), float(data.weight[i]))
        for i in alone.tolist()
    ]


def splits_on_rows(splits: list[Split], rows: IntArray) -> list[tuple[IntArray, IntArray]]:
    """Indices of splits among some of the rows, ascending.

    Without splits that keep nothing to train on, or nothing to test with.
    """
    pairs = [
        (
            np.repeat(np.arange(len(rows)), split.times[rows]),
            np.flatnonzero(np.isin(rows, split.test)),
        )
        for split in splits
    ]
    return [(train, test) for train, test in pairs if len(train) and len(test)]


def _pairs(data: TrainingSet, cv: Any, groups: ArrayLike | None) -> Iterator[Any]:
    """The splits of the splitter, one after the other; its errors name ``cv``."""
    is_integer = isinstance(cv, Integral) and not isinstance(cv, bool)
    if not (is_integer or hasattr(cv, "split") or isinstance(cv, Iterable)) or isinstance(cv, str):
        raise ValueError(f"cv must be an integer, a splitter or pairs of indices, got {cv!r}")
    if groups is not None and np.shape(groups)[:1] != (data.n_rows,):
        raise ValueError(f"groups must have {data.n_rows} entries, got shape {np.shape(groups)}")
    if not is_integer and not hasattr(cv, "split"):
        yield from cv
        return
    try:
        if is_integer and not data.weight.all():
            yield from _folds_of_weight(data, int(cv))
            return
        splitter = check_cv(cv, data.y, classifier=data.has_classes)
        yield from splitter.split(data.rows, data.y, groups)
    except (TypeError, ValueError) as error:
        if "groups" in str(error) and groups is None:
            raise ValueError(f"groups must be given, as cv={cv!r} needs them: {error}") from error
        raise ValueError(f"cv={cv!r} gives no splits: {error}") from error


def _folds_of_weight(data: TrainingSet, n_folds: int) -> Iterator[tuple[IntArray, IntArray]]:
    """Folds as if rows of weight 0 were not there."""
    used = np.flatnonzero(data.weight)
    y = None if data.y is None else data.y[used]
    splitter = check_cv(n_folds, y, classifier=data.has_classes)
    for train, test in splitter.split(used, y):
        yield used[train], used[test]


def _checked(n_rows: int, number: int, pair: Any) -> tuple[IntArray, IntArray]:
    """One pair of index arrays."""
    try:
        train, test = pair
    except (TypeError, ValueError):
        raise ValueError(
            f"cv must give pairs of (train, test) indices, got {pair!r} for split {number}"
        ) from None
    return _indices(number, "train", train, n_rows), _indices(number, "test", test, n_rows)


def _indices(number: int, part: str, given: Any, n_rows: int) -> IntArray:
    """Positions of rows, also from a mask."""
    where = f"the {part} rows of split {number}"
    array = np.asarray(given)
    if array.dtype == bool and array.shape == (n_rows,):
        array = np.flatnonzero(array)
    if array.ndim != 1 or not len(array):
        raise ValueError(f"cv must give some indices, got shape {array.shape} for {where}")
    if array.dtype.kind not in "iu":
        raise ValueError(f"cv must give indices that are integers, got {array.dtype} for {where}")
    outside = (array < 0) | (array >= n_rows)
    if outside.any():
        raise ValueError(
            f"cv must give indices in 0..{n_rows - 1}, got {array[outside][0]} in {where}"
        )
    return array.astype(np.intp)
