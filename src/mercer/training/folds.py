"""Splits of searches: folds that every set of rows can have, or drawn anew at every evaluation."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from math import comb
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state

from mercer._warning import warn
from mercer.training.splits import Split, check_classes, read_splits
from mercer.training.training_set import TrainingSet

__all__ = ["draw_splits", "every_split", "given_splits", "possible_folds"]

IntArray = NDArray[np.intp]
_MOST_SPLITS = 100_000
_MOST_NAMED = 5  # classes in a warning


def given_splits(
    data: TrainingSet,
    cv: Any,
    groups: ArrayLike | None = None,
    *,
    needs_all: bool = False,
    may_miss: bool = False,
) -> list[Split]:
    """The splits of ``cv``, fewer folds than asked for where rows are few.

    Parameters
    ----------
    needs_all : bool, default=False
        Whether machines can be trained only with rows of all classes, as those with nu.
    may_miss : bool, default=False
        Whether splits that somebody chose may have one class, as among a sample of the rows.
    """
    splits = read_splits(data, possible_folds(data, cv), groups)
    for number, split in enumerate(splits):
        if not data.weight[split.times > 0].any():
            raise ValueError(f"cv must train on rows of positive weight, not so in split {number}")
    if data.has_classes:
        # folds that were counted only have all but rare classes: one of a single row is in no
        # training rows where it is tested
        is_chosen = not (isinstance(cv, Integral) or may_miss)
        if is_chosen and (np.bincount(data.class_index[data.weight > 0]) > 1).sum() >= 2:
            check_classes(data, splits)
        _tell_missing(data, splits, needs_all)
    return splits


def possible_folds(data: TrainingSet, cv: Any) -> Any:
    """No more folds than the largest class has rows, or than there are rows of numbers."""
    if not isinstance(cv, Integral):
        return cv
    used = data.weight > 0
    most, reason = int(np.count_nonzero(used)), "there are no more rows"
    if data.has_classes:
        most = int(np.bincount(data.class_index[used], minlength=1).max())
        reason = "no class has more rows"
    if most < 2:
        needs = "two rows, got n_samples=1"
        if data.has_classes:
            needs = "a class of at least two rows, every class has one"
        raise ValueError(f"cv={cv} needs {needs}")
    if int(cv) > most:
        warn(f"{most} folds instead of cv={cv}: {reason}")
    return min(int(cv), most)


def draw_splits(data: TrainingSet, share: float, count: int, random_state: Any) -> Iterator[Split]:
    """Random splits that train on a share of the rows and test with the others.

    Drawn again if a class is missing among the training rows.
    """
    random = check_random_state(random_state)
    size = _training_size(data, share)
    for _ in range(count):
        for _ in range(1000):
            order = random.permutation(data.n_rows)
            if _has_all_classes(data, order[:size]) and data.weight[order[size:]].any():
                break
        else:
            raise ValueError(
                "no random split has rows of every class to train on and others to test with, of "
                "positive sample_weight: give cv"
            )
        yield Split.of(data, order[:size], order[size:])


def every_split(data: TrainingSet, share: float) -> Iterator[Split]:
    """All splits with as many training rows; those without a class are left out."""
    size = _training_size(data, share)
    if comb(data.n_rows, size) > _MOST_SPLITS:
        raise ValueError(
            f"n_draws='all' means {comb(data.n_rows, size):.3g} machines for {data.n_rows} rows, "
            f"at most {_MOST_SPLITS} are trained: give a number of draws"
        )
    for chosen in combinations(range(data.n_rows), size):
        train = np.array(chosen)
        split = Split.of(data, train, np.setdiff1d(np.arange(data.n_rows), train))
        if _has_all_classes(data, train) and len(split.test):
            yield split


def _training_size(data: TrainingSet, share: float) -> int:
    size = int(np.floor(share * data.n_rows))
    if not 0 < size < data.n_rows:
        raise ValueError(
            f"train_size must leave rows to train on and rows to test with, got {share} of "
            f"{data.n_rows} rows"
        )
    return size


def _has_all_classes(data: TrainingSet, train: IntArray) -> bool:
    used = train[data.weight[train] > 0]
    if not data.has_classes:
        return bool(len(used))
    return len(np.unique(data.class_index[used])) == data.n_classes


def _tell_missing(data: TrainingSet, splits: list[Split], needs_all: bool) -> None:
    """Name the classes that some splits have nothing of to train on.

    Their rows count as wrong there, as in scikit-learn; nu machines cannot be trained so.
    """
    counts = [np.bincount(data.class_index, data.weight * split.times) for split in splits]
    missing = np.flatnonzero((np.array(counts) == 0).any(axis=0))
    if not len(missing):
        return
    total = np.bincount(data.class_index[data.weight > 0], minlength=data.n_classes)
    named = zip(data.classes[missing].tolist(), total[missing], strict=True)
    shown = ", ".join([f"{name!r} ({n} of all rows)" for name, n in named][:_MOST_NAMED])
    more = f" and {len(missing) - _MOST_NAMED} more" if len(missing) > _MOST_NAMED else ""
    message = f"some splits of cv have no row to train on of the classes {shown}{more}"
    if needs_all:
        raise ValueError(f"{message}: leave them out, join them, or give other splits")
    warn(f"{message}: their rows count as wrong there")
