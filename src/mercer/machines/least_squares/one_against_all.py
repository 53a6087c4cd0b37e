"""One class against all others: classes as targets -1 and +1, and what counts as wrong."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.multiclass import type_of_target

from mercer.least_squares.job import Loss

__all__ = [
    "chosen_class",
    "indicators",
    "places_of",
    "read_indicators",
    "signed_labels",
    "wrong_class",
    "wrong_labels",
]

FloatArray = NDArray[np.float64]


def places_of(found: NDArray[Any], classes: NDArray[Any]) -> NDArray[np.intp]:
    """Positions of the classes of a block among all classes."""
    if len(classes) < 2:
        raise ValueError(
            f"classes must name all classes at the first block, two or more, got {classes.tolist()}"
        )
    places = np.minimum(np.searchsorted(classes, found), len(classes) - 1)
    unknown = found[classes[places] != found]
    if len(unknown):
        raise ValueError(
            f"y must hold no other classes than {classes.tolist()}, got {unknown.tolist()}"
        )
    return places


def read_indicators(y: Any, class_weight: Any) -> tuple[NDArray[np.intp], FloatArray]:
    """0 and 1 for each row and label, and the same as -1 and +1."""
    kind = type_of_target(y, input_name="y")
    if kind != "multilabel-indicator":
        raise ValueError(
            f"Unknown label type: {kind}. y must be one column of classes, or hold 0 and 1 only, "
            "one column for each label"
        )
    if class_weight is not None:
        raise ValueError(f"class_weight must be None for several labels, got {class_weight!r}")
    dense = np.asarray(y.toarray() if hasattr(y, "toarray") else y)
    indicator = (dense > 0).astype(np.intp)
    return indicator, np.where(indicator == 1, 1.0, -1.0)


def wrong_labels(indicator: NDArray[np.intp]) -> Loss:
    """Share of the labels that are wrong."""

    def loss(values: FloatArray, rows: slice) -> FloatArray:
        return ((values > 0) != indicator[rows]).mean(axis=2)

    return loss


def signed_labels(labels: NDArray[np.intp], n_classes: int) -> FloatArray:
    """-1 and +1: one column for two classes, otherwise one for each."""
    if n_classes == 2:
        return np.where(labels == 1, 1.0, -1.0)[:, None]
    return np.where(labels[:, None] == np.arange(n_classes), 1.0, -1.0)


def indicators(labels: NDArray[np.intp], n_classes: int) -> FloatArray:
    """0 and 1: one column for each class."""
    return (labels[:, None] == np.arange(n_classes)).astype(np.float64)


def chosen_class(values: FloatArray) -> NDArray[np.intp]:
    """Number of the class: the last axis holds one value, or one for each class."""
    if values.shape[-1] == 1:
        return (values[..., 0] > 0).astype(np.intp)
    return values.argmax(axis=-1)


def wrong_class(
    labels: NDArray[np.intp], choose: Callable[[FloatArray], NDArray[np.intp]] = chosen_class
) -> Loss:
    """1 where the values choose another class, else 0."""

    def loss(values: FloatArray, rows: slice) -> FloatArray:
        return (choose(values) != labels[rows]).astype(np.float64)

    return loss
