"""Training rows whose label or target the other rows contradict."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import is_classifier, is_regressor

from mercer._shown import shown
from mercer.calibration.layout import layout_of
from mercer.machines.functions import best_inside
from mercer.machines.least_squares.robust import weighted_median
from mercer.predictions.out_of_sample import OutOfSample, out_of_sample

__all__ = ["Suspects", "class_margins", "number_margins", "suspects"]

FloatArray = NDArray[np.float64]
_NORMAL = 1.4826  # deviation of a normal distribution in median absolute deviations
_FAR = 3.0  # deviations


@dataclass(frozen=True, eq=False)
class Suspects:
    """Candidates for wrong labels, the most contradicted first.

    Attributes
    ----------
    rows : ndarray of int of shape (n_suspects,)
        Positions of the rows; those of weight 0 are not among them.
    margins : ndarray of shape (n_rows,)
        Of every row, by a machine that was not trained on it. Classes: the value of the row's own
        class less that of the best other one, below 0 where that is wrong. Numbers: what is left of
        three robust deviations of the residuals, below 0 beyond them.
    predicted : ndarray of shape (n_rows,)
        Class or target by that machine.

    Examples
    --------
    >>> from mercer import SVC
    >>> from mercer.predictions import suspects
    >>> X, y = [[0.1 * i] for i in range(20)], [0] * 8 + [1, 0] + [1] * 10
    >>> suspects(SVC().fit(X, y), X, y, cv=4).rows.tolist()
    [9, 8]
    """

    rows: NDArray[np.intp]
    margins: FloatArray
    predicted: NDArray[Any]

    __repr__ = shown()


def suspects(
    machine: Any,
    X: Any,
    y: ArrayLike,
    *,
    cv: Any = 5,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
) -> Suspects:
    """Rows whose label the out-of-sample value contradicts most: candidates for wrong labels.

    A machine that was trained on a wrong label may have learned it; one that was not has no reason
    to agree. Rows near the boundary of two classes are contradicted, too, but only slightly: look
    at the first rows first.

    Parameters
    ----------
    machine : classifier or regressor
        As for :func:`mercer.out_of_sample`: it is copied, never changed.
    X : array-like, sparse matrix or sequence of shape (n_rows, n_features)
        Training rows.
    y : array-like of shape (n_rows,)
        Classes or targets.
    cv, sample_weight, groups
        As in :func:`mercer.out_of_sample`.

    Returns
    -------
    Suspects

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from mercer import SVC, suspects
    >>> X, y = load_iris(return_X_y=True)
    >>> y[7] = 2
    >>> int(suspects(SVC(), X, y).rows[0])
    7
    """
    own = best_inside(machine)
    if not is_classifier(own) and not is_regressor(own):
        raise TypeError(f"machine must be a classifier or a regressor, got {machine!r}")
    labels = np.asarray(y)
    if labels.ndim != 1:
        raise ValueError(f"y must be a vector, got shape {labels.shape}")
    found = out_of_sample(own, X, y, cv=cv, sample_weight=sample_weight, groups=groups)
    if is_classifier(own):
        margins, predicted = _of_classes(found, labels)
    else:
        margins, predicted = _of_numbers(found, labels, sample_weight)
    order = np.argsort(margins, kind="stable")
    is_suspect = (margins < 0) & (found.fold >= 0)
    return Suspects(order[is_suspect[order]], margins, predicted)


def _of_classes(found: OutOfSample, labels: NDArray[Any]) -> tuple[FloatArray, NDArray[Any]]:
    classes, layout = found.full.classes_, layout_of(found.full)
    own = np.searchsorted(classes, labels)
    margins = class_margins(layout.class_values(found.values), own)
    return margins, classes[layout.chosen(found.values)]


def class_margins(values: FloatArray, own: NDArray[np.intp]) -> FloatArray:
    """The value of each row's own class less that of the best other one."""
    others, each = np.array(values), np.arange(len(own))
    others[each, own] = -np.inf
    return np.asarray(values[each, own] - others.max(axis=1))


def _of_numbers(
    found: OutOfSample, targets: NDArray[Any], sample_weight: ArrayLike | None
) -> tuple[FloatArray, NDArray[Any]]:
    return number_margins(found.values, targets, sample_weight), found.values


def number_margins(
    values: FloatArray, targets: NDArray[Any], sample_weight: ArrayLike | None = None
) -> FloatArray:
    """What is left of three robust deviations of the residuals."""
    residuals = np.abs(targets - values)
    weight = np.asarray(np.ones(len(residuals)) if sample_weight is None else sample_weight)
    deviation = _NORMAL * weighted_median(residuals, weight)
    return np.asarray(_FAR * deviation - residuals)
