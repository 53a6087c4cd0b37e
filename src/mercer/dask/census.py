"""The statistics of all rows that training needs before its first pass."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from mercer.kernels.parameters.gamma import weighted_variance
from mercer.training.rows import read_training_rows
from mercer.training.weights import check_weight

__all__ = ["Census", "count_rows_of_block"]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Census:
    """Classes, weights, and the spread of the entries.

    Attributes
    ----------
    classes : ndarray of shape (n_classes,)
        Classes seen; one that is 0 where targets are numbers.
    total : ndarray of shape (n_classes,)
        Sum of the weights of each.
    mean, square : ndarray of shape (n_classes,)
        Weighted mean of the entries of the rows of each class, and the sum of their squared
        distances from it; zero where no rule asks for them.
    positive : dict
        Rows of positive weight of each half of a block, by their first row.
    """

    classes: NDArray[Any]
    total: FloatArray
    mean: FloatArray
    square: FloatArray
    positive: dict[int, int]

    def merge(self, other: Census) -> Census:
        """Of both sets of rows."""
        classes = np.unique(np.concatenate([self.classes, other.classes]))
        (w, m, s), (v, n, t) = self._spread(classes), other._spread(classes)
        total = w + v
        share = np.divide(v, total, out=np.zeros_like(total), where=total > 0)
        mean = m + share * (n - m)
        square = s + t + w * share * (n - m) ** 2
        return Census(classes, total, mean, square, self.positive | other.positive)

    def _spread(self, classes: NDArray[Any]) -> FloatArray:
        """Totals, means and squares of more classes, zero for those that are not here."""
        wide = np.zeros((3, len(classes)))
        wide[:, np.searchsorted(classes, self.classes)] = self.total, self.mean, self.square
        return wide

    def variance(self, class_weight: FloatArray) -> float:
        """Variance of all entries, rows counted by their weights times those of their classes.

        With W_c, m_c and S_c of each class: sum_c S_c / W + sum_c W_c (m_c - m)^2 / W.
        """
        weight = class_weight * self.total
        mean = float(weight @ self.mean) / weight.sum()
        square = class_weight @ self.square + weight @ (self.mean - mean) ** 2
        return float(square) / float(weight.sum())


def count_rows_of_block(
    shared: tuple[Any, bool, bool], number: int, start: int, X: Any, y: Any, weight: Any
) -> Census:
    """The census of a block; ``shared``: the machine, whether there are classes, and a rule."""
    machine, has_classes, has_rule = shared
    n = len(y)
    given = check_weight(weight, n)
    classes, labels = _classes(np.asarray(y)) if has_classes else (np.zeros(1), np.zeros(n, int))
    total = np.bincount(labels, weights=given, minlength=len(classes)).astype(np.float64)
    mean, square = np.zeros((2, len(classes)))
    if has_rule:
        X, *_ = read_training_rows(copy(machine), X, np.zeros(n), None)
        for k in np.flatnonzero(total > 0):
            mean[k], square[k] = _spread_of(X[labels == k], given[labels == k])
    return Census(classes, total, mean, square, {start: int(np.count_nonzero(given))})


def _classes(y: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """Classes of some rows; few rows may well have a class each."""
    y = y if y.ndim == 1 else column_or_1d(y, warn=True)
    if y.dtype.kind not in "biuUS":
        check_classification_targets(y)
    return np.unique(y, return_inverse=True)


def _spread_of(X: Any, weight: FloatArray) -> tuple[float, float]:
    """Weighted mean of the entries, and their variance times the weight of the rows."""
    total = float(weight.sum())
    mean = float(weight @ np.asarray(X.sum(axis=1)).ravel()) / (total * X.shape[1])
    return mean, weighted_variance(X, weight) * total
