"""Errors of regression along a path: exact functions of C.

On a segment t f(x) is affine in t = 1/C, so f(x) is affine in C, and so is every residual. The mean
squared error is a quadratic of C between breakpoints, the mean absolute error is affine between the
places where a residual vanishes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer._shown import shown
from mercer.paths.curves.crossings import Block, margins

if TYPE_CHECKING:
    from mercer.paths.results.path import Path

__all__ = ["LOSSES", "ErrorCurve", "regression_error"]

FloatArray = NDArray[np.float64]
LOSSES = ("squared_error", "absolute_error")


@dataclass(frozen=True, eq=False)
class ErrorCurve:
    """A function that is a quadratic between its knots.

    With u the share of the way from a knot to the next one, the value there is
    ``start + slope * u + bend * u**2``.

    Attributes
    ----------
    x : ndarray of shape (n_pieces,)
        Where the pieces begin, ascending.
    start, slope, bend : ndarray of shape (n_pieces,)
        Coefficients of each piece.
    end : float
        Where the last piece ends, inclusive; a piece without an end is constant.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.paths import ErrorCurve
    >>> curve = ErrorCurve(np.array([1.0]), np.array([4.0]), np.array([-4.0]), np.array([2.0]), 3.0)
    >>> float(curve(2.0))  # half way: 4 - 4 / 2 + 2 / 4
    2.5
    """

    x: FloatArray
    start: FloatArray
    slope: FloatArray
    bend: FloatArray
    end: float

    __repr__ = shown()

    def __call__(self, x: ArrayLike) -> FloatArray:
        """Value at ``x``, which must lie in ``[x[0], end]``."""
        points = np.asarray(x, dtype=np.float64)
        outside = ~((points >= self.x[0]) & (points <= self.end))
        if outside.any():
            raise ValueError(
                f"x must lie in [{self.x[0]}, {self.end}], got {points[outside].flat[0]}"
            )
        k = np.searchsorted(self.x, points, side="right") - 1
        u = np.nan_to_num((points - self.x[k]) / self._lengths[k])
        return np.asarray(self.start[k] + u * (self.slope[k] + u * self.bend[k]))

    @property
    def _lengths(self) -> FloatArray:
        return np.maximum(np.diff(self.x, append=self.end), np.finfo(np.float64).tiny)

    def _least(self) -> tuple[FloatArray, FloatArray]:
        """Where on each piece, as a share of it, the least value is, and that value."""
        with np.errstate(divide="ignore", invalid="ignore"):
            vertex = np.where(self.bend > 0, -0.5 * self.slope / self.bend, 0.0)
        u = np.stack([np.zeros_like(vertex), np.clip(vertex, 0.0, 1.0), np.ones_like(vertex)])
        value = self.start + u * (self.slope + u * self.bend)
        at = value.argmin(axis=0)[None]
        return np.take_along_axis(u, at, 0)[0], np.take_along_axis(value, at, 0)[0]

    @property
    def minimum(self) -> float:
        """The smallest value."""
        return float(self._least()[1].min())

    @property
    def best(self) -> float:
        """Where it is smallest; the first such place."""
        u, value = self._least()
        k = int(value.argmin())
        return float(self.x[k] + (u[k] * self._lengths[k] if u[k] else 0.0))


def regression_error(
    path: Path, block: Block, targets: FloatArray, weight: FloatArray, loss: str
) -> ErrorCurve:
    """Weighted mean loss at rows known by their kernel values, as a function of C."""
    share, pieces = weight / weight.sum(), []
    for begin, end, left, right in _residuals(path, block, targets):
        if loss == "squared_error":
            rise = right - left
            pieces.append((begin, share @ left**2, 2.0 * share @ (left * rise), share @ rise**2))
        else:
            pieces += _absolute(begin, end, left, right, share)
    x, start, slope, bend = np.array(pieces).T
    return ErrorCurve(x, start, slope, bend, path.end)


def _residuals(
    path: Path, block: Block, targets: FloatArray
) -> Iterator[tuple[float, float, FloatArray, FloatArray]]:
    """Segments of positive length, in C, with the residuals at their ends."""
    if path.status == "trivial":
        constant = targets - path.solutions.bias(1.0)
        yield 0.0, np.inf, constant, constant
        return
    for number, (parameter, s) in enumerate(margins(path.segments, block)):
        f = s / np.where(parameter > 0, parameter, 1.0)
        if number == 0 and path.begin == 0:
            # s(t) = s + (t - t_0) rate before the first breakpoint: f tends to the rate
            yield 0.0, 1.0 / parameter[0], targets - path.over_C.start_rate, targets - f[:, 0]
        for k in range(len(parameter) - 1):
            if parameter[k + 1] == 0.0:
                # nothing changes any more
                yield 1.0 / parameter[k], np.inf, targets - f[:, k], targets - f[:, k]
            elif parameter[k + 1] < parameter[k]:
                ends = 1.0 / parameter[k], 1.0 / parameter[k + 1]
                yield *ends, targets - f[:, k], targets - f[:, k + 1]


def _absolute(
    begin: float, end: float, left: FloatArray, right: FloatArray, share: FloatArray
) -> list[tuple[Any, ...]]:
    """Pieces of the mean absolute residual, cut where one of them vanishes."""
    crosses = left * right < 0
    cuts = np.sort(left[crosses] / (left[crosses] - right[crosses]))
    cuts = np.unique(np.r_[0.0, cuts, 1.0])
    values = np.abs(left + cuts[:, None] * (right - left)) @ share
    if end == np.inf:
        return [(begin, values[0], 0.0, 0.0)]
    knots = begin + cuts * (end - begin)
    keep = np.r_[np.diff(knots) > 0, True]
    knots, values = knots[keep], values[keep]
    return list(
        zip(knots[:-1], values[:-1], np.diff(values), np.zeros(len(knots) - 1), strict=True)
    )
