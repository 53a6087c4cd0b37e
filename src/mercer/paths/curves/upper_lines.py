"""Which of several piecewise straight scores is the best one along a segment."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

__all__ = ["Ray", "best_along"]

FloatArray = NDArray[np.float64]
# Decision values of all machines times t, and t: affine in the place along a segment.
Ray = tuple[FloatArray, float]
_EQUAL = 1e-12  # of the largest score: as good
_NARROW = 1e-14  # of a segment: no piece


def best_along(
    begin: Ray, end: Ray, scores: Callable[[FloatArray], FloatArray], bends: tuple[float, ...]
) -> Iterator[tuple[float, int]]:
    """The best class from place 0 to 1, and where each begins; scores bend at values ``bends``."""

    def at(place: float) -> FloatArray:
        s = (1.0 - place) * begin[0] + place * end[0]
        t = (1.0 - place) * begin[1] + place * end[1]
        return np.asarray(t * scores(s / t))

    for a, b in pairwise(_cuts(begin, end, bends)):
        if b - a <= _NARROW:
            continue
        # a loss may jump at the ends of a piece, and is straight inside
        left, right = a + 0.25 * (b - a), a + 0.75 * (b - a)
        low, high = at(left), at(right)
        slope = (high - low) / (right - left)
        yield from _uppermost(low - (left - a) * slope, slope, a, b)


def _cuts(begin: Ray, end: Ray, bends: tuple[float, ...]) -> list[float]:
    """Where a machine has one of these values, with both ends."""
    cuts = [0.0, 1.0]
    for level in bends:
        h0, h1 = (s - level * t for s, t in (begin, end))
        crosses = h0 * h1 < 0
        cuts += (h0[crosses] / (h0[crosses] - h1[crosses])).tolist()
    return sorted(cuts)


def _uppermost(
    value: FloatArray, slope: FloatArray, a: float, b: float
) -> Iterator[tuple[float, int]]:
    """The uppermost of straight lines, given by their values at a, up to b; of equals the first."""
    place = a
    noise = _EQUAL * max(float(np.abs(value).max()), float(np.abs(slope).max()) * (b - a))
    top = np.flatnonzero(value >= value.max() - noise)
    now = int(top[np.argmax(slope[top] >= slope[top].max() - noise / (b - a))])
    while True:
        yield place, now
        steeper = np.flatnonzero(slope > slope[now] + noise / (b - a))
        if not len(steeper):
            return
        meets = a + (value[now] - value[steeper]) / (slope[steeper] - slope[now])
        k = int(meets.argmin())
        if meets[k] >= b:
            return
        place, now = max(float(meets[k]), place), int(steeper[k])
