"""Splits that leave every row out once."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import is_classifier
from sklearn.model_selection import KFold, StratifiedKFold

from mercer._sklearn import num_samples
from mercer.training.folds import given_splits, possible_folds
from mercer.training.splits import Split
from mercer.training.training_set import TrainingSet
from mercer.training.weights import check_weight

__all__ = ["Splits", "are_given", "read_splits", "shuffled_folds"]

IntArray = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Splits:
    """Which split leaves each row out, and how often splits train on each row.

    Attributes
    ----------
    fold : ndarray of int of shape (n_rows,)
        -1 for rows of weight 0.
    splits : list of Split
        Empty if single rows are left out.
    """

    fold: IntArray
    splits: list[Split]

    @property
    def are_single(self) -> bool:
        """Whether one row is left out at a time."""
        return not self.splits

    def each(self) -> list[Split]:
        """The splits, those of single rows included."""
        if self.splits:
            return self.splits
        rows, weighs = np.flatnonzero(self.fold >= 0), np.ones(len(self.fold), dtype=np.intp)
        return [Split(weighs - (np.arange(len(weighs)) == row), np.array([row])) for row in rows]


def _training_set(machine: Any, X: Any, y: Any, weight: NDArray[np.float64]) -> TrainingSet:
    """What any estimator learns from; labels in several columns are no classes."""
    targets = None if y is None else np.asarray(y)
    if is_classifier(machine) and targets is not None and targets.ndim == 1:
        return TrainingSet.of_classes(X, targets, weight)
    return TrainingSet(X, targets, weight)


def read_splits(
    machine: Any,
    X: Any,
    y: Any,
    cv: Any,
    sample_weight: ArrayLike | None,
    groups: ArrayLike | None,
) -> Splits:
    """The splits of ``cv``; "loo" for single rows."""
    n_rows = num_samples(X)
    ones = np.ones(n_rows) if sample_weight is None else np.asarray(sample_weight, dtype=float)
    weight = check_weight(ones, n_rows)
    if isinstance(cv, str):
        if cv != "loo":
            raise ValueError(f"cv must be 'loo', a number of folds or a splitter, got {cv!r}")
        _check_enough(int(np.count_nonzero(weight)), cv)
        rows = np.arange(n_rows)
        return Splits(np.where(weight > 0, rows, -1), [])
    data = _training_set(machine, X, y, weight)
    splits = given_splits(data, cv, groups, needs_all=hasattr(machine, "nu"))
    fold = np.full(n_rows, -1, dtype=np.intp)
    count = np.zeros(n_rows, dtype=np.intp)
    for k, split in enumerate(splits):
        _check_apart(split, k)
        fold[split.test] = k
        count[split.test] += 1
    if (count[weight > 0] != 1).any():
        wrong = np.flatnonzero((count != 1) & (weight > 0))
        raise ValueError(
            f"cv must leave every row out exactly once, got {cv!r}, which leaves row {wrong[0]} "
            f"out {count[wrong[0]]} times"
        )
    return Splits(fold, splits)


def are_given(cv: Any, groups: ArrayLike | None) -> bool:
    """Whether splits are of the rows as they were given, those of weight 0 included."""
    return groups is not None or not isinstance(cv, Integral)


def shuffled_folds(machine: Any, X: Any, y: Any, cv: int, random_state: Any) -> Any:
    """So many folds in a random order, of classes stratified; fewer where there are fewer rows."""
    data = _training_set(machine, X, y, np.ones(len(y)))
    folds = StratifiedKFold if is_classifier(machine) else KFold
    return folds(possible_folds(data, cv), shuffle=True, random_state=random_state)


def _check_apart(split: Split, number: int) -> None:
    """A row that its own machine was trained on has no out-of-sample value."""
    both = split.test[split.times[split.test] > 0]
    if len(both):
        raise ValueError(
            f"cv must not train on the rows it tests with, got row {both[0]} in both parts of "
            f"split {number}"
        )


def _check_enough(count: int, cv: Any) -> None:
    if count < 2:
        raise ValueError(f"cv={cv!r} needs two rows of positive weight, got n_samples={count}")
