"""The bias of a path where several are optimal: the middle, as every machine takes it.

While all variables rest on their bounds a = coef/C stays what it is, and the optimal biases, times
t = 1/C, are an interval whose ends are piecewise affine in t (docs/theory/paths.md#bias-interval):

    low(t)  = max of t linear - K a over those that can rise,
    high(t) = min of t linear - K a over those that can fall.

Which of them the event loop follows depends on the order of the rows. Here such segments get the
middle, and are cut in two wherever it bends.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from mercer.gram import Gram
from mercer.paths.exact.start import Start
from mercer.paths.results.segments import FREE, Segments
from mercer.problem import Problem

__all__ = ["with_middle_bias"]

FloatArray = NDArray[np.float64]
_ON_BOUND = 1e-9  # of the width of the box: what is as near as this is on the bound
_ROUNDING = 1e-9  # of biases, relative to the terms they are sums of


@dataclass(frozen=True, eq=False)
class _Middle:
    """A function of t, affine between its knots: where each piece begins, from the largest
    parameter down, and there constant + t rate.
    """

    parameter: FloatArray
    constant: FloatArray
    rate: FloatArray

    def bias(self) -> FloatArray:
        """Values at the knots, which are finite."""
        return self.constant + self.parameter * self.rate


def with_middle_bias(
    problem: Problem, gram: Gram, segments: Segments, start: Start
) -> tuple[Segments, float]:
    """The segments of a path with biases in the middle, and the rate of the bias before them.

    Parameters
    ----------
    problem : Problem
        The problem at C = 1.
    gram : Gram
        Kernel values.
    segments : Segments
        The path.
    start : Start
        Where it began.
    """
    first = float(segments.parameter[0])
    if first == np.inf:  # no solution is known
        return segments, start.bias_rate
    intervals = _Intervals(problem, gram, start)
    before = None
    if start.begin == 0:
        at_start = _on_bounds(segments, start.coef)
        before = None if at_start is None else intervals.middle(at_start, np.inf, first)
    ends = np.append(segments.parameter[1:], segments.end_parameter)
    found = {}
    for k in np.flatnonzero(_rests(segments, ends)).tolist():
        point = _on_bounds(segments, segments.coef(k, float(ends[k])))
        if point is not None:
            middle = intervals.middle(point, float(segments.parameter[k]), float(ends[k]))
            if middle is not None:
                found[k] = middle, point[segments.sides(k) == FREE]
    out = _with_middles(segments, found)
    if before is None:
        return out, start.bias_rate
    bends = replace(
        before,
        parameter=before.parameter[1:],
        constant=before.constant[1:],
        rate=before.rate[1:],
    )
    # a path on which nothing ever happens has no breakpoint, and all its terms are equal
    return out if start.is_trivial else _begun_with(out, start, bends), float(before.rate[0])


class _Intervals:
    """The intervals of optimal biases at points of a path, one after the other.

    K a is brought along: only kernel values of variables that have moved are computed.
    """

    def __init__(self, problem: Problem, gram: Gram, start: Start) -> None:
        self.problem, self.gram = problem, gram
        self.point = np.zeros(problem.n_variables)
        self.expansion = np.zeros(problem.n_variables)
        if start.expansion is not None:
            self.point, self.expansion = start.coef, start.expansion

    def middle(self, point: FloatArray, begin: float, end: float) -> _Middle | None:
        """The middle for ``begin >= t >= end``; None if there is none up to rounding."""
        self._move_to(point)
        p, height = self.problem, -self.expansion - self.problem.ridge * point
        rise, fall = point < p.upper, point > p.lower
        if not (rise.any() and fall.any()):
            return None
        low = _upper_envelope(p.linear[rise], height[rise], begin, end)
        high = _upper_envelope(-p.linear[fall], -height[fall], begin, end)
        knots = np.union1d(low.parameter, high.parameter)[::-1]
        of_low, of_high = (np.searchsorted(-e.parameter, -knots, "right") - 1 for e in (low, high))
        constant = low.constant[of_low] - high.constant[of_high]
        rate = low.rate[of_low] - high.rate[of_high]
        # the width of the interval is concave in t: that at the ends is the least
        wide = [low.constant[i] + high.constant[i] + t * (low.rate[i] + high.rate[i])
                for i, t in ((0, begin), (-1, end)) if t < np.inf]  # fmt: skip
        size = np.abs(height).max() + end * p.linear_size
        if max(wide) > _ROUNDING * size:
            return None
        return _Middle(knots, 0.5 * constant, 0.5 * rate)

    def _move_to(self, point: FloatArray) -> None:
        moved = self.problem.row_coef(point - self.point, self.gram.n_rows)
        rows = np.flatnonzero(moved)
        if len(rows):
            product = self.gram.product(rows, moved[rows], precision="double")
            self.expansion = self.expansion + product[self.problem.index]
            self.point = point


def _upper_envelope(slope: FloatArray, height: FloatArray, begin: float, end: float) -> _Middle:
    """The largest of the lines height + t slope for ``begin >= t >= end``."""
    if begin == np.inf:
        value = np.where(slope == slope.max(), height, -np.inf)
    else:
        value = height + begin * slope
    # just below a place where several meet the least steep of them is the largest
    highest = np.flatnonzero(value == value.max())
    k, t = int(highest[np.argmin(slope[highest])]), begin
    knots, lines = [begin], [k]
    while True:
        flatter = np.flatnonzero(slope < slope[k])
        meets = (height[flatter] - height[k]) / (slope[k] - slope[flatter])
        t = float(np.minimum(meets, t).max(initial=-np.inf))
        if t <= end:
            return _Middle(np.array(knots), height[lines], slope[lines])
        first = flatter[np.minimum(meets, t) == t]
        k = int(first[np.argmin(slope[first])])
        knots.append(t)
        lines.append(k)


def _rests(segments: Segments, ends: FloatArray) -> NDArray[np.bool_]:
    """Segments in which no free variable moves, those of no length among them."""
    box = float((segments.upper - segments.lower).max())
    return np.asarray(segments.fastest * (segments.parameter - ends) <= _ON_BOUND * box)


def _on_bounds(segments: Segments, point: FloatArray) -> FloatArray | None:
    """A point whose variables all are at bounds, put on them; None of others."""
    slack = _ON_BOUND * (segments.upper - segments.lower)
    at_lower, at_upper = point <= segments.lower + slack, point >= segments.upper - slack
    if not (at_lower | at_upper).all():
        return None
    return np.where(at_upper, segments.upper, segments.lower)


def _with_middles(segments: Segments, found: dict[int, tuple[_Middle, FloatArray]]) -> Segments:
    """The segments with a bias and the free variables of some of them, cut where it bends."""
    if not found:
        return segments
    entries = np.split(np.arange(len(segments.values)), segments.values_end[:-1])
    values, rates = segments.values.copy(), segments.rates.copy()
    lengths = np.ones(len(segments), np.intp)
    for k, (middle, free) in found.items():
        lengths[k] = len(middle.parameter)
        # what is at its bound meets it to the last digit, or it counted as free
        values[entries[k]], rates[entries[k]] = free, 0.0
    of, first = np.repeat(np.arange(len(segments)), lengths), np.cumsum(lengths) - lengths
    names = ("parameter", "bias", "bias_rate")
    parameter, bias, bias_rate = (getattr(segments, name)[of].copy() for name in names)
    for k, (middle, _) in found.items():
        own = slice(first[k], first[k] + lengths[k])
        parameter[own], bias[own], bias_rate[own] = middle.parameter, middle.bias(), middle.rate
    kept = np.concatenate([entries[k] for k in of])
    return replace(
        segments,
        parameter=parameter,
        bias=bias,
        bias_rate=bias_rate,
        changes_end=segments.changes_end[of],
        values_end=np.cumsum(segments.n_free[of]),
        values=values[kept],
        rates=rates[kept],
    )


def _begun_with(segments: Segments, start: Start, bends: _Middle) -> Segments:
    """The segments behind some in which only the bias changes."""
    n = len(bends.parameter)
    free = start.coef[np.flatnonzero(segments.first_side == FREE)]
    n_values = n * len(free)
    return replace(
        segments,
        parameter=np.r_[bends.parameter, segments.parameter],
        bias=np.r_[bends.bias(), segments.bias],
        bias_rate=np.r_[bends.rate, segments.bias_rate],
        changes_end=np.r_[np.zeros(n, np.int64), segments.changes_end],
        values_end=np.r_[len(free) * np.arange(1, n + 1), n_values + segments.values_end],
        values=np.r_[np.tile(free, n), segments.values],
        rates=np.r_[np.zeros(n_values), segments.rates],
    )
