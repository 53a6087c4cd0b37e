"""Values of held-out rows by copies of a machine, fitted one after the other."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from mercer._sklearn import safe_split
from mercer.predictions.splits import Splits
from mercer.predictions.values import values_of
from mercer.training.splits import Split

__all__ = ["refitted_values"]

FloatArray = NDArray[np.float64]


def refitted_values(
    machine: Any,
    fitted: FloatArray,
    splits: Splits,
    X: Any,
    y: Any,
    sample_weight: ArrayLike | None,
) -> FloatArray:
    """Values by one copy for each split; ``fitted`` are those of the machine of all rows."""
    weight = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    y = None if y is None else np.asarray(y)
    values = fitted.copy()
    for k, split in enumerate(splits.each()):
        train = np.repeat(np.arange(len(split.times)), split.times)
        copy, rows = clone(machine), safe_split(machine, X, None, train)[0]
        options = {} if weight is None else {"sample_weight": weight[train]}
        copy.fit(rows, None if y is None else y[train], **options)
        found = values_of(copy, safe_split(machine, X, None, split.test, train)[0])
        _check_shape(found, values, split, k)
        values[split.test] = found
    return values


def _check_shape(found: FloatArray, values: FloatArray, split: Split, k: int) -> None:
    if found.shape[1:] != values.shape[1:]:
        raise ValueError(
            f"cv must leave rows of every class to train on, not so in split {k}, which tests "
            f"{len(split.test)} rows"
        )
