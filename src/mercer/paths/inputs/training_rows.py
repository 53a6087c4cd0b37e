"""What people hand over, checked as every machine does it: rows, labels or targets, weights."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import column_or_1d

from mercer.gram.native import count_rows
from mercer.machines.base import KernelMachine
from mercer.machines.checked_input import naming
from mercer.paths.inputs.numbers import plain

__all__ = [
    "TrainingRows",
    "check_bounds",
    "check_total",
    "read_labels",
    "read_targets",
    "read_weight",
    "unit_weight",
]

FloatArray = NDArray[np.float64]


class TrainingRows(KernelMachine):
    """The rows a path is made of, and what other rows must have in common with them.

    Parameters
    ----------
    kernel : str, Kernel or callable, default="rbf"
        Decides what a row is: numbers, kernel values, or any object.
    """

    def __init__(self, kernel: Any = "rbf") -> None:
        self.kernel = kernel

    @classmethod
    def of(cls, machine: KernelMachine) -> TrainingRows:
        """Those that ``machine`` was fitted to."""
        rows = cls(machine.kernel)
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(machine, name):
                setattr(rows, name, getattr(machine, name))
        rows.shape_fit_ = machine.shape_fit_
        return rows

    def fit(self, X: Any, y: Any = None) -> Self:
        """Remember what rows are like."""
        self.read(X, y, None)
        return self

    def read(
        self, X: Any, y: Any, sample_weight: ArrayLike | None, *, y_numeric: bool = False
    ) -> tuple[Any, Any, FloatArray]:
        """Training rows, labels or targets (None without) and weights, checked."""
        options = {} if y is None else {"y_numeric": y_numeric}
        rows, targets, weight = self._validate_fit(X, y, sample_weight, **options)
        check_total(weight)
        self.shape_fit_ = getattr(rows, "shape", (len(weight),))
        if targets is None:
            return rows, None, weight
        if y_numeric:
            return rows, read_targets(targets, len(weight)), weight
        return rows, column_or_1d(targets), weight

    def check(self, X: Any) -> Any:
        """Other rows, checked as ``predict`` of a machine does it."""
        rows = self._validate_predict(X)
        if not count_rows(rows):
            raise ValueError("X must have at least one row, got 0")
        return rows


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


def check_total(weight: FloatArray) -> FloatArray:
    """``weight``, if sums of weights are numbers."""
    total = float(np.ldexp(weight, -8).sum())
    if not total < np.ldexp(np.finfo(np.float64).max, -10):
        raise ValueError(
            "sample_weight, times class_weight, must add up to less than 4e307, got a largest "
            f"weight of {float(weight.max())!r}"
        )
    return weight


def check_bounds(name: str, C: float, weight: FloatArray) -> None:
    """Refuse a C whose bounds, C times the weights, add up to no number."""
    largest = float(weight.max())
    total = float(np.ldexp(weight / largest, -8).sum())
    # in logarithms, which do not overflow
    if np.log2(C) + np.log2(largest) + np.log2(total) > 1013:
        raise ValueError(
            f"{name} times the sum of sample_weight must be less than 4e307, got {plain(C)!r} "
            f"times weights of up to {largest!r}"
        )


def unit_weight(weight: FloatArray) -> FloatArray:
    """Weights of which shares count, the largest between 1/2 and 1.

    A power of two is taken out, which rounds nothing, so that no sum of weights overflows.
    """
    return np.asarray(np.ldexp(weight, -int(np.frexp(weight.max())[1])))


def read_weight(sample_weight: ArrayLike | None, n_rows: int) -> FloatArray:
    """A weight for each of ``n_rows`` rows, none negative, not all zero, of which shares count."""
    return unit_weight(KernelMachine._check_weight(sample_weight, np.empty((n_rows, 0))))
