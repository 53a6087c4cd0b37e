"""Classes, the class of each row and the weights of both, read alike by every classifier."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from mercer import _core
from mercer.training.checked_input import telling_where

__all__ = ["check_weighted_classes", "find_classes", "read_classes", "weigh_classes"]

FloatArray = NDArray[np.float64]


def read_classes(
    y: Any, class_weight: Any, weight: FloatArray
) -> tuple[NDArray[Any], NDArray[np.intp], FloatArray]:
    """Classes in ascending order, which of them each row has, and the weight of each.

    Two classes at least, each with a row of positive weight and a positive weight of its own:
    what every classifier asks for.
    """
    classes, labels = find_classes(y)
    check_weighted_classes(classes, labels, weight)
    return classes, labels, weigh_classes(class_weight, classes, y, weight)


def find_classes(y: Any) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """The classes in ascending order, and which of them each row has."""
    y = y if y.ndim == 1 else column_or_1d(y, warn=True)
    if y.dtype.kind not in "biuUS":
        with telling_where(y=y):
            check_classification_targets(y)
            return np.unique(y, return_inverse=True)
    # np.unique, small whole numbers by counting
    counted: Any = _core.count_classes(np.ascontiguousarray(y)) if y.dtype == np.intp else None
    classes, labels = np.unique(y, return_inverse=True) if counted is None else counted
    if 5 * len(classes) > len(y):
        # names or whole numbers are classes, but so many of them deserve a warning
        check_classification_targets(y)
    return classes, labels


def check_weighted_classes(classes: NDArray[Any], labels: NDArray[Any], weight: FloatArray) -> None:
    """Two classes at least, and some weight on each."""
    total = np.bincount(labels, weights=weight, minlength=len(classes))
    if len(total) > 1 and min(total.tolist()) > 0.0:
        return
    seen = total > 0.0
    if seen.sum() < 2:
        raise ValueError(
            "The number of classes has to be greater than one; got "
            f"{seen.sum()} class{'' if seen.sum() == 1 else 'es'} with positive weight"
        )
    raise ValueError(
        "sample_weight must be positive for some row of each class, got only zeros for the "
        f"classes {classes[~seen].tolist()}"
    )


def weigh_classes(
    class_weight: Any, classes: NDArray[Any], y: Any, weight: FloatArray
) -> FloatArray:
    """Weight of each class, positive and finite."""
    if class_weight is None:
        return np.ones(len(classes))
    weights = compute_class_weight(class_weight, classes=classes, y=y, sample_weight=weight)
    if not (np.isfinite(weights) & (weights > 0)).all():
        raise ValueError(
            "class_weight must be positive and finite for every class, got "
            f"{dict(zip(classes.tolist(), weights.tolist(), strict=True))}"
        )
    return np.asarray(weights, dtype=np.float64)
