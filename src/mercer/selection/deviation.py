"""Deviations of values of any size."""

from __future__ import annotations

from math import frexp
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

__all__ = ["deviation", "feature_deviations", "robust_spread", "spreads", "standard_error"]

FloatArray = NDArray[np.float64]

_OF_NORMAL = 1.482602218505602  # standard deviations in a median distance from the median


def deviation(values: FloatArray, **options: Any) -> Any:
    """``np.std`` for values of any size, whose squares may overflow."""
    largest = float(np.abs(values).max(initial=0.0))
    if not 0.0 < largest < np.inf:
        return np.std(values, **options)
    exponent = frexp(largest)[1]
    return np.ldexp(np.std(np.ldexp(values, -exponent), **options), exponent)


def feature_deviations(rows: Any, weight: FloatArray) -> FloatArray:
    """The standard deviation of each feature, as the rows are weighted."""
    weight = weight / weight.sum()
    if issparse(rows):
        square = np.asarray(rows.multiply(rows).T @ weight) - np.asarray(rows.T @ weight) ** 2
    else:
        square = weight @ np.square(rows - weight @ rows)
    return np.sqrt(np.maximum(square, 0.0))


def standard_error(by_split: FloatArray) -> float:
    """Of the mean of some values, 0 for a single one."""
    if len(by_split) < 2:
        return 0.0
    return float(deviation(by_split, ddof=1) / np.sqrt(len(by_split)))


def robust_spread(values: FloatArray, weight: FloatArray) -> float:
    """The deviation of most values, which outliers do not move; 1 if all are alike.

    The smaller one of :func:`spreads`. Where more than half of the values are the same it is the
    standard deviation.
    """
    usual, robust = spreads(values, weight)
    spread = min(usual, robust) if robust > 0.0 else usual
    return spread if spread > 0.0 else 1.0


def spreads(values: FloatArray, weight: FloatArray) -> tuple[float, float]:
    """The standard deviation, and what it is of normal values with the same median distance.

    That distance is one from the median: of normal values 1.4826 of it are the deviation.
    """
    used = weight > 0
    largest = float(np.abs(values[used]).max(initial=0.0))
    if largest == 0.0:
        return 0.0, 0.0
    scaled, share = values[used] / largest, weight[used]  # squares of large values would overflow
    apart = scaled - np.average(scaled, weights=share)
    usual = float(np.sqrt(np.average(apart**2, weights=share)))
    distances = np.abs(scaled - _median(scaled, share))
    return largest * usual, largest * _OF_NORMAL * _median(distances, share)


def _median(values: FloatArray, weight: FloatArray) -> float:
    """The middle of values, each as often as its weight says."""
    order = np.argsort(values, kind="stable")
    passed = np.cumsum(weight[order])
    half = 0.5 * passed[-1]
    ends = [int(np.searchsorted(passed, half, side)) for side in ("left", "right")]
    return float(np.mean(values[order[np.minimum(ends, len(order) - 1)]]))
