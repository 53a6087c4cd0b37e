"""Labels and targets that somebody hands over, one for each row."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer.training.checked_input import naming
from mercer.training.numbers import plain

__all__ = ["read_labels", "read_targets"]

FloatArray = NDArray[np.float64]


def read_labels(y: ArrayLike, classes: NDArray[Any], n_rows: int) -> NDArray[np.intp]:
    """Which of the classes each of ``n_rows`` rows has."""
    labels = _vector(y, n_rows)
    known = np.isin(labels, classes)
    if not known.all():
        raise ValueError(
            f"y must hold the classes {classes.tolist()}, got {plain(labels[~known][0])!r}"
        )
    order = np.argsort(classes)
    return np.asarray(order[np.searchsorted(classes, labels, sorter=order)])


def read_targets(y: ArrayLike, n_rows: int) -> FloatArray:
    """A finite number for each of ``n_rows`` rows."""
    with naming(y=y):
        given = _vector(y, n_rows)
    if np.iscomplexobj(given):
        raise ValueError(f"y must be real numbers, got {given.dtype} such as {plain(given[0])}")
    with naming(y=y):
        targets = np.asarray(given, dtype=np.float64)
    if not np.isfinite(targets).all():
        raise ValueError(f"y must be finite, got {targets[~np.isfinite(targets)][0]}")
    return targets


def _vector(y: ArrayLike, n_rows: int) -> NDArray[Any]:
    values = np.asarray(y)
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 1 or len(values) != n_rows:
        raise ValueError(f"y must have shape ({n_rows},), got {values.shape}")
    return values
