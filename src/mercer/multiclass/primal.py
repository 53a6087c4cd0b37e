"""The duality gap of a point, with the best primal value that its functions give in any size.

Functions s f have the loss L_i(s) of slopes margin - s <nu_p, f>, so that
(docs/theory/multiclass.md#all-classes-in-one-machine)

    P(s) - D = (s^2 - 1)/2 |w|^2 + sum_i ( upper_i L_i(s) - sum_p alpha_ip slope_ip ),

which is convex in s. Where all margins miss a little and C is large, s = 1 + little meets
them all.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mercer.multiclass.problem import MulticlassProblem

__all__ = ["least_gap"]

FloatArray = NDArray[np.float64]
_SMALL_GAP = 1e-6  # relative; below it there is nothing to gain
_ACCURACY = 1e-2  # of the gap
_STEPS = 30


def least_gap(problem: MulticlassProblem, alpha: FloatArray, slope: FloatArray) -> float:
    """The smallest gap P(s) - D found, without the scale of the objective."""
    each = (alpha * slope).sum(axis=0)
    # with s = 1 no row has a negative part, and nothing cancels
    gap = max(float((problem.upper * problem.row_losses(slope) - each).sum()), 0.0)
    squared = problem.margin * float(alpha.sum()) - float(each.sum())
    dual = 0.5 * (problem.margin * float(alpha.sum()) + float(each.sum()))
    if not gap > _SMALL_GAP * abs(dual) or not squared > 0.0:
        return gap
    return min(gap, _Sizes(problem, slope, squared, float(each.sum())).least())


class _Sizes:
    """Gaps of functions of any size, and where they are least.

    Between a size where the gap falls and one where it rises the next one tried is where the
    tangents of both meet; the gap there is at least their value.
    """

    def __init__(
        self, problem: MulticlassProblem, slope: FloatArray, squared: float, used: float
    ) -> None:
        self.margin, self.one_slack = problem.margin, problem.one_slack
        self.squared, self.used = squared, used
        is_counted = problem.upper > 0.0
        self.slope, self.upper = slope[:, is_counted], problem.upper[is_counted]
        self.rise = self.slope - problem.margin  # of the slopes, with the size
        self.rise[problem.labels[is_counted], np.arange(len(self.upper))] = 0.0

    def least(self) -> float:
        """The least gap seen; each one seen is that of a primal point."""
        one = self._at(1.0)
        low, high = (one, self._at(self._largest())) if one[2] < 0.0 else (self._at(0.0), one)
        best = min(low[1], high[1])
        for _ in range(_STEPS):
            if not low[2] < 0.0 < high[2]:
                break
            size = (high[1] - low[1] + low[2] * low[0] - high[2] * high[0]) / (low[2] - high[2])
            bound = low[1] + low[2] * (size - low[0])
            if best - bound <= _ACCURACY * best or not low[0] < size < high[0]:
                break
            tried = self._at(size)
            best = min(best, tried[1])
            low, high = (tried, high) if tried[2] < 0.0 else (low, tried)
        return max(best, 0.0)

    def _largest(self) -> float:
        """A size that meets all margins, if it is not too large."""
        worst = float(self.slope.max(initial=0.0))
        return self.margin / (self.margin - worst) if 2.0 * worst < self.margin else 2.0

    def _at(self, size: float) -> tuple[float, float, float]:
        """The size, the gap of functions of this size, and its derivative."""
        at = np.maximum(self.slope + (size - 1.0) * self.rise, 0.0)
        if self.one_slack:
            worst = at.argmax(axis=0), np.arange(len(self.upper))
            losses, slopes = at[worst], np.where(at[worst] > 0.0, self.rise[worst], 0.0)
        else:
            losses, slopes = at.sum(axis=0), np.where(at > 0.0, self.rise, 0.0).sum(axis=0)
        gap = 0.5 * (size**2 - 1.0) * self.squared + float(self.upper @ losses) - self.used
        return size, gap, size * self.squared + float(self.upper @ slopes)
