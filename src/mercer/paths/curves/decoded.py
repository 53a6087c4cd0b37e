"""The class that the machines of a code say, as a function of C.

For a row x every machine k has s_k(x, t) = t f_k(x), which is affine in t = 1/C between the events
of its path (docs/theory/paths.md#error-curves). So between the events of all paths are

    the largest value:  t f_c                                                     (one against all)
    the hinge:          t sum_k max(0, 1 - M_ck f_k) = sum_k max(0, t - M_ck s_k)
    Hamming distances:  t sum_k (1 - sign(M_ck f_k)) / 2

affine in t, too, but for bends where some f_k is 1 or -1, or 0. Which class has the best score
changes where two straight lines meet: the label of a row is a step function of C, known exactly.
Other losses bend everywhere: they are evaluated at some values of C.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from mercer.paths.curves.polylines import Polyline
from mercer.paths.curves.votes import LabelChanges

__all__ = ["BENDS", "decoded_at", "follow_decoded"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]
# Scores of all classes from decision values of all machines, along the last axis.
Scores = Callable[[FloatArray], FloatArray]
# Decision values at which a loss bends, of those that are straight elsewhere.
BENDS: dict[str | None, tuple[float, ...]] = {None: (), "hinge": (-1.0, 1.0), "hamming": (0.0,)}
_WINDOW = 256  # points looked at together
_EQUAL = 1e-12  # of the largest score: as good
_NARROW = 1e-14  # of a segment: no piece


@dataclass(frozen=True, eq=False)
class _Points:
    """Places along C in coordinates (s, t, t C), up to a factor: all is affine between them.

    C = 0 is (rate, 1, 0), any other C is (s, t, 1).
    """

    lines: Sequence[Polyline]
    t: FloatArray
    begins_at_zero: bool

    @property
    def unit(self) -> FloatArray:
        return np.r_[1.0, self.t] if self.begins_at_zero else self.t

    @property
    def times_C(self) -> FloatArray:
        ones = np.ones(len(self.t))
        return np.r_[0.0, ones] if self.begins_at_zero else ones

    def values(self, begin: int, end: int) -> FloatArray:
        """s of every row and machine at some of the points: (n_rows, n_points, n_machines)."""
        offset = int(self.begins_at_zero)
        own = self.t[max(begin - offset, 0) : end - offset]
        found = np.stack([line.at(own) for line in self.lines], axis=-1)
        if self.begins_at_zero and begin == 0:
            rates = np.array([line.rate for line in self.lines])
            first = np.broadcast_to(rates, (len(found), 1, len(rates)))
            found = np.concatenate([first, found], axis=1)
        return found


def follow_decoded(
    lines: Sequence[Polyline], scores: Scores, bends: tuple[float, ...], begin: float, end: float
) -> LabelChanges:
    """The class of each row, for every C between two; exact where scores bend at ``bends`` only."""
    lowest = 0.0 if end == np.inf else 1.0 / end
    inner = np.concatenate([line.t for line in lines])
    inner = inner[inner > lowest]
    edges = [*([] if end == np.inf else [lowest]), *([] if begin == 0 else [1.0 / begin])]
    t = np.unique(np.r_[inner, edges])[::-1]
    if not len(t):
        t = np.ones(1)  # nothing ever moves
    points = _Points(lines, t, begin == 0)
    unit, times_C = points.unit, points.times_C
    first = _best(scores, points.values(0, 1), unit[:1])[:, 0]
    label, kept = first.copy(), []
    for start in range(0, len(unit) - 1, _WINDOW):
        window = slice(start, min(start + _WINDOW, len(unit) - 1) + 1)
        s, e = points.values(window.start, window.stop), unit[window]
        best = _best(scores, s, e)
        for row, j in _changing(best, s, e, bends):
            there = _between(s[row, j], s[row, j + 1], e[j], e[j + 1], scores, bends)
            for place, own in [*there, (1.0, best[row, j + 1])]:
                if own != label[row]:
                    label[row] = own
                    own_e, own_w = (
                        (1.0 - place) * of[start + j] + place * of[start + j + 1]
                        for of in (unit, times_C)
                    )
                    kept.append((own_w / own_e, row, own))
    return _as_changes(first, kept, begin, end)


def decoded_at(lines: Sequence[Polyline], scores: Scores, Cs: FloatArray) -> LabelChanges:
    """The class of each row at these C, ascending, as if it changed at these only."""
    points = _Points(lines, 1.0 / Cs, False)
    best = _best(scores, points.values(0, len(Cs)), points.unit)
    k, row = np.nonzero((best[:, 1:] != best[:, :-1]).T)
    becomes = best[row, k + 1]
    return LabelChanges(best[:, 0], Cs[k + 1], row, becomes, float(Cs[0]), float(Cs[-1]))


def _best(scores: Scores, s: FloatArray, unit: FloatArray) -> IntArray:
    return np.asarray(scores(s / unit[:, None]).argmax(axis=-1))


def _changing(
    best: IntArray, s: FloatArray, unit: FloatArray, bends: tuple[float, ...]
) -> list[tuple[int, int]]:
    """Rows and segments in which the class may change; a line best at both ends stays so."""
    may = best[:, 1:] != best[:, :-1]
    for level in bends:
        side = np.sign(s - level * unit[:, None])
        may |= (side[:, 1:] != side[:, :-1]).any(axis=-1)
    j, row = np.nonzero(may.T)
    return list(zip(row.tolist(), j.tolist(), strict=True))


def _between(
    s0: FloatArray,
    s1: FloatArray,
    e0: float,
    e1: float,
    scores: Scores,
    bends: tuple[float, ...],
) -> Iterator[tuple[float, int]]:
    """Classes of a row along a segment, from 0 to 1, and where each begins."""

    def at(place: float) -> FloatArray:
        unit = (1.0 - place) * e0 + place * e1
        return unit * scores(((1.0 - place) * s0 + place * s1) / unit)

    cuts = [0.0, 1.0]
    for level in bends:
        h0, h1 = s0 - level * e0, s1 - level * e1
        crosses = h0 * h1 < 0
        cuts += (h0[crosses] / (h0[crosses] - h1[crosses])).tolist()
    for a, b in pairwise(sorted(cuts)):
        if b - a <= _NARROW:
            continue
        # a loss may jump at the ends of a piece, and is straight inside
        left, right = a + 0.25 * (b - a), a + 0.75 * (b - a)
        low, high = at(left), at(right)
        slope = (high - low) / (right - left)
        yield from _upper_lines(low - (left - a) * slope, slope, a, b)


def _upper_lines(
    value: FloatArray, slope: FloatArray, a: float, b: float
) -> Iterator[tuple[float, int]]:
    """Which of straight lines is the uppermost between a and b; of equal ones the first."""
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


def _as_changes(
    first: IntArray, kept: list[tuple[float, int, int]], begin: float, end: float
) -> LabelChanges:
    found = np.array(kept, dtype=np.dtype("f8, i8, i8"))
    order = np.argsort(found["f0"], kind="stable")
    C, row, becomes = (found[name][order] for name in ("f0", "f1", "f2"))
    return LabelChanges(first, C, row, becomes, begin, end)
