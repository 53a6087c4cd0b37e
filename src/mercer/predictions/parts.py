"""Machines trained on parts of the rows, which have not seen the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import train_test_split

from mercer.gram.native import count_rows
from mercer.predictions.given_rows import fit_machine
from mercer.predictions.splits import read_splits, shuffled_folds
from mercer.predictions.stacked_rows import some_rows

__all__ = ["Part", "Parts", "cross_parts", "fit_parts", "refuse_stored", "split_part"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]
Part = tuple[IntArray, IntArray]


@dataclass(frozen=True, eq=False)
class Parts:
    """Machines, and the rows each of them has not seen.

    Attributes
    ----------
    machines : list of estimators
        One for each part.
    held_out : list of rows
        As each machine takes them.
    index, fold : ndarray of shape (n_held_out,)
        Positions of these rows, one part after the other, and which machine they are for.
    weight : ndarray of shape (n_held_out,)
        Their weights.
    columns : list of ndarray or None
        The columns of a kernel matrix that each machine was trained on.
    """

    machines: list[Any]
    held_out: list[Any]
    index: IntArray
    fold: IntArray
    weight: FloatArray
    columns: list[IntArray] | None


def fit_parts(
    machine: Any,
    X: Any,
    y: NDArray[Any],
    weight: FloatArray | None,
    parts: Sequence[Part],
    pairwise: bool,
) -> Parts:
    """Fit a clone to the first rows of each part; the second ones are held out."""
    machines, held_out = [], []
    for train, test in parts:
        columns = train if pairwise else None
        own = None if weight is None else weight[train]
        machines.append(fit_machine(clone(machine), some_rows(X, train, columns), y[train], own))
        held_out.append(some_rows(X, test, columns))
    index = np.concatenate([test for _, test in parts])
    return Parts(
        machines=machines,
        held_out=held_out,
        index=index,
        fold=np.repeat(np.arange(len(parts)), [len(test) for _, test in parts]),
        weight=np.ones(len(index)) if weight is None else weight[index],
        columns=[train for train, _ in parts] if pairwise else None,
    )


def split_part(X: Any, labels: IntArray | None, size: float, random_state: Any) -> list[Part]:
    """One part: a share of the rows, of each class if there are any, is held out."""
    rows = np.arange(count_rows(X))
    counts = None if labels is None else np.bincount(labels)
    is_stratified = counts is not None and counts.min() > 1
    if len(rows) < 2:
        raise ValueError(f"kind='split' needs two rows at least, got n_samples={len(rows)}")
    try:
        train, test = train_test_split(
            rows,
            test_size=size,
            random_state=random_state,
            stratify=labels if is_stratified else None,
        )
    except ValueError as error:
        raise ValueError(
            f"calibration_size={size!r} leaves no rows to train or to rank, of {len(rows)}: {error}"
        ) from error
    return [(np.sort(train), np.sort(test))]


def cross_parts(
    machine: Any,
    cv: Any,
    X: Any,
    y: NDArray[Any],
    weight: FloatArray | None,
    groups: Any,
    random_state: Any,
) -> list[Part]:
    """The folds; every row is held out once, which the ranks rely on.

    Rows of weight 0 are in none of them.
    """
    if count_rows(X) < 2:
        raise ValueError(f"cv={cv!r} needs two rows at least, got n_samples={count_rows(X)}")
    if isinstance(cv, Integral):
        cv = shuffled_folds(machine, X, y, int(cv), random_state)
    found = read_splits(machine, X, y, cv, weight, groups)
    weighs = np.ones(len(y)) if weight is None else weight
    return [
        (np.repeat(np.arange(len(y)), split.times * (weighs > 0)), np.flatnonzero(found.fold == k))
        for k, split in enumerate(found.each())
    ]


def refuse_stored(pairwise: bool) -> None:
    """A kernel matrix does not hold the value of a new row with itself."""
    if pairwise:
        raise ValueError(
            "kind='full' needs rows, which a precomputed kernel does not have: use another kind, "
            "or a kernel of rows"
        )
