"""Rows to train on and rows to test with: given, or drawn anew at every evaluation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from math import comb
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.model_selection import check_cv
from sklearn.utils import check_random_state

from mercer._warning import warn
from mercer.selection.task import Task

__all__ = ["Split", "draw_splits", "every_split", "given_splits"]

IntArray = NDArray[np.intp]
_MOST_SPLITS = 100_000
_MOST_NAMED = 5  # classes in a warning


@dataclass(frozen=True, eq=False)
class Split:
    """How often each row is trained on, and the rows to test with."""

    times: NDArray[np.intp]
    test: IntArray


def given_splits(task: Task, cv: Any, groups: ArrayLike | None = None) -> list[Split]:
    """The splits of ``cv`` as in scikit-learn, exactly the indices it gives."""
    try:
        splitter = check_cv(_possible(task, cv), task.y, classifier=task.is_classifier)
        pairs = list(splitter.split(task.rows, task.y, groups))
    except (TypeError, ValueError, AttributeError) as error:
        raise ValueError(f"cv={cv!r} gives no splits: {error}") from error
    splits = [_checked(task, k, *pair) for k, pair in enumerate(pairs)]
    splits = [split for split in splits if len(split.test)]
    if not splits:
        raise ValueError(f"cv={cv!r} must give rows of positive sample_weight to test with")
    _tell_missing(task, splits)
    return splits


def _possible(task: Task, cv: Any) -> Any:
    """No more folds than the largest class has rows."""
    if task.classes is None or not isinstance(cv, Integral):
        return cv
    most = int(np.bincount(task.labels).max())
    if most < 2:
        raise ValueError(f"cv={cv} needs a class of at least two rows, every class has one")
    if int(cv) > most:
        warn(f"{most} folds instead of cv={cv}: no class has more rows")
    return min(int(cv), most)


def draw_splits(task: Task, share: float, count: int, random_state: Any) -> Iterator[Split]:
    """Random splits that train on a share of the rows and test with the others.

    Drawn again if a class is missing among the training rows.
    """
    random = check_random_state(random_state)
    size = _training_size(task, share)
    for _ in range(count):
        for _ in range(1000):
            order = random.permutation(task.n_rows)
            if _has_all_classes(task, order[:size]) and task.weight[order[size:]].any():
                break
        else:
            raise ValueError(
                "no random split has rows of every class to train on and others to test with, of "
                "positive sample_weight: give cv"
            )
        yield _split(task, order[:size], order[size:])


def every_split(task: Task, share: float) -> Iterator[Split]:
    """All splits with as many training rows; those without a class are left out."""
    size = _training_size(task, share)
    if comb(task.n_rows, size) > _MOST_SPLITS:
        raise ValueError(
            f"n_draws='all' means {comb(task.n_rows, size):.3g} machines for {task.n_rows} rows, "
            f"at most {_MOST_SPLITS} are trained: give a number of draws"
        )
    for chosen in combinations(range(task.n_rows), size):
        train = np.array(chosen)
        if _has_all_classes(task, train) and len(_split(task, train, _others(task, train)).test):
            yield _split(task, train, _others(task, train))


def _others(task: Task, train: IntArray) -> IntArray:
    return np.setdiff1d(np.arange(task.n_rows), train)


def _training_size(task: Task, share: float) -> int:
    size = int(np.floor(share * task.n_rows))
    if not 0 < size < task.n_rows:
        raise ValueError(
            f"train_size must leave rows to train on and rows to test with, got {share} of "
            f"{task.n_rows} rows"
        )
    return size


def _has_all_classes(task: Task, train: IntArray) -> bool:
    used = train[task.weight[train] > 0]
    if task.classes is None:
        return bool(len(used))
    return len(np.unique(task.labels[used])) == task.n_classes


def _split(task: Task, train: IntArray, test: IntArray) -> Split:
    return Split(np.bincount(train, minlength=task.n_rows), test[task.weight[test] > 0])


def _checked(task: Task, number: int, train: Any, test: Any) -> Split:
    parts = []
    for name, given in (("train", train), ("test", test)):
        array = np.asarray(given)
        array = np.flatnonzero(array) if array.dtype == bool else array
        if array.ndim != 1 or not len(array) or array.dtype.kind not in "iu":
            raise ValueError(f"cv must give indices, got {given!r} as {name} of split {number}")
        if array.min() < 0 or array.max() >= task.n_rows:
            raise ValueError(
                f"cv must give indices in 0..{task.n_rows - 1}, got {array.min()}..{array.max()} "
                f"as {name} of split {number}"
            )
        parts.append(array.astype(np.intp))
    if not task.weight[parts[0]].any():
        raise ValueError(f"cv must train on rows of positive weight, not so in split {number}")
    return _split(task, *parts)


def _tell_missing(task: Task, splits: list[Split]) -> None:
    """Name the classes that some splits have nothing of to train on.

    Their rows count as wrong there, as in scikit-learn; nu machines cannot be trained so.
    """
    if task.classes is None:
        return
    counts = [np.bincount(task.labels, task.weight * split.times) for split in splits]
    missing = np.flatnonzero((np.array(counts) == 0).any(axis=0))
    if not len(missing):
        return
    total = np.bincount(task.labels[task.weight > 0], minlength=task.n_classes)
    named = zip(task.classes[missing].tolist(), total[missing], strict=True)
    shown = ", ".join([f"{name!r} ({n} of all rows)" for name, n in named][:_MOST_NAMED])
    more = f" and {len(missing) - _MOST_NAMED} more" if len(missing) > _MOST_NAMED else ""
    message = f"some splits of cv have no row to train on of the classes {shown}{more}"
    if hasattr(task.machine, "nu"):
        raise ValueError(f"{message}: leave them out, join them, or give other splits")
    warn(f"{message}: their rows count as wrong there")
