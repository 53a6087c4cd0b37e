"""Monotone maps without a formula: isotonic regression, and Venn-Abers intervals around it.

Venn-Abers (Vovk et al. 2015): p1 is the isotonic map fitted with the new value as a
positive one more, p0 as a negative one more, each at that value. If rows are exchangeable, one of
both is the probability of the label that comes (perfectly calibrated in their sense).

With the known values ascending, cumulative weights and positives are points of a plane, and
isotonic regression is the greatest convex function below them. One more positive value at position
i moves all points before it by (-1, -1): p1 is the slope of the new function right there, and going
from i to i + 1 changes one point only (their algorithms 1 to 3). By symmetry
p0(f) = 1 - p1(-f) with labels exchanged.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.isotonic import isotonic_regression

__all__ = ["Steps", "VennAbers", "fit_steps", "fit_venn_abers"]

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]
_ROUNDED = 1e-9  # relative: copies of a row, and weights, give values that differ by so much


@dataclass(frozen=True, eq=False)
class Steps:
    """p at known values, linear between them and constant beyond."""

    known: FloatArray
    probability: FloatArray

    def __call__(self, values: FloatArray) -> FloatArray:
        return np.interp(values, self.known, self.probability)


@dataclass(frozen=True, eq=False)
class VennAbers:
    """p0 of values at or above each known one, p1 of values at or below it."""

    known: FloatArray
    low: FloatArray
    high: FloatArray

    def interval(self, values: FloatArray) -> FloatArray:
        """p0 and p1 of each value, shape (n, 2)."""
        near = _rounding(self.known)
        p0 = np.append(0.0, self.low)[np.searchsorted(self.known, values + near, side="right")]
        p1 = np.append(self.high, 1.0)[np.searchsorted(self.known, values - near, side="left")]
        return np.column_stack([p0, p1])

    def __call__(self, values: FloatArray) -> FloatArray:
        """p1 / (1 - p0 + p1): the least loss of logarithms in the worse of both cases."""
        p0, p1 = self.interval(values).T
        return np.asarray(p1 / (1.0 - p0 + p1))


def fit_steps(values: FloatArray, positive: BoolArray, weight: FloatArray) -> Steps:
    """Isotonic regression of the labels on the values; equal values count as one."""
    known, total, of_positive = _collected(values, positive, weight)
    found = isotonic_regression(of_positive / total, sample_weight=total, y_min=0.0, y_max=1.0)
    return Steps(known, np.asarray(found, dtype=np.float64))


def fit_venn_abers(values: FloatArray, positive: BoolArray, weight: FloatArray) -> VennAbers:
    """Both ends of the interval at every known value."""
    known, total, of_positive = _collected(values, positive, weight)
    high = _with_one_more(total, of_positive)
    low = 1.0 - _with_one_more(total[::-1], (total - of_positive)[::-1])[::-1]
    return VennAbers(known, low, high)


def _collected(
    values: FloatArray, positive: BoolArray, weight: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Different values of positive weight, ascending; their weight, and that of positive rows."""
    order = np.argsort(values, kind="stable")
    order = order[weight[order] > 0]
    ascending, own = values[order], weight[order]
    is_new = np.diff(ascending, prepend=-np.inf) > _rounding(ascending)
    place = np.cumsum(is_new) - 1
    total = np.bincount(place, own).astype(np.float64)
    return ascending[is_new], total, np.bincount(place, own * positive[order]).astype(np.float64)


def _rounding(values: FloatArray) -> float:
    """The largest difference of values that are equal up to rounding."""
    return _ROUNDED * float(np.abs(values).max(initial=0.0))


def _with_one_more(total: FloatArray, of_positive: FloatArray) -> FloatArray:
    """p1 at every known value."""
    x = np.concatenate([[-1.0, 0.0], np.cumsum(total)]).tolist()
    y = np.concatenate([[-1.0, 0.0], np.cumsum(of_positive)]).tolist()
    points = list(zip(x, y, strict=True))
    corners = points[:2]
    for point in points[2:]:
        while len(corners) > 1 and not _turns_left(corners[-2], corners[-1], point):
            corners.pop()
        corners.append(point)
    corners.reverse()  # the first one is on top
    out = np.empty(len(total))
    for i in range(len(total)):
        (x0, y0), (x1, y1) = corners[-1], corners[-2]
        out[i] = (y1 - y0) / (x1 - x0)
        # the point before the new value takes the place of what came before
        start, before, after = points[i], points[i + 1], points[i + 2]
        moved = start[0] + after[0] - before[0], start[1] + after[1] - before[1]
        points[i + 1] = moved
        if not _is_below(moved, corners[-1], corners[-2]):
            continue
        corners.pop()
        while len(corners) > 1 and not _turns_left(moved, corners[-1], corners[-2]):
            corners.pop()
        corners.append(moved)
    return out


def _cross(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def _turns_left(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> bool:
    return _cross(a, b, c) > 0.0


def _is_below(p: tuple[float, float], a: tuple[float, float], b: tuple[float, float]) -> bool:
    return _cross(a, b, p) < 0.0
