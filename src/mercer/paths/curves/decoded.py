"""The class that the machines of a code say, as a function of C.

For a row x every machine k has s_k(x, t) = t f_k(x), which is affine in t = 1/C between the events
of its path (docs/theory/paths.md#error-curves). So between the events of all paths are

    the largest value:  t f_c                                                   (one against all)
    the hinge:          t sum_k max(0, 1 - M_ck f_k) = sum_k max(0, t - M_ck s_k)
    Hamming distances:  t sum_k (1 - sign(M_ck f_k)) / 2

affine in t, too, except for bends where some f_k is 1 or -1, or 0. Which class has the best score
changes where two straight lines meet: the label of a row is a step function of C, known exactly.
Other losses bend everywhere: they are evaluated at some values of C.

Most rows keep their class over many events: where the losses of all machines together move by less
than half of what the best class is ahead of the next one, nothing is looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mercer.paths.curves.polylines import Polyline
from mercer.paths.curves.upper_lines import best_along
from mercer.paths.curves.votes import LabelChanges

__all__ = ["BENDS", "FEW", "Reading", "decoded_at", "follow_decoded"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]
# Decision values at which a loss bends, of those that are straight elsewhere.
BENDS: dict[str | None, tuple[float, ...]] = {None: (), "hinge": (-1.0, 1.0), "hamming": (0.0,)}
FEW = 256  # segments whose values are looked at together
_DOUBT = 1e-9  # of the largest score


@dataclass(frozen=True, eq=False)
class Reading:
    """What values of the machines say.

    Attributes
    ----------
    scores : callable
        A score for each class from the values of all machines, along the last axis.
    loss : callable
        What the scores are sums of, a function of single values that never turns.
    bends : tuple of float
        Values at which the loss bends.
    """

    scores: Callable[[FloatArray], FloatArray]
    loss: Callable[[FloatArray], FloatArray]
    bends: tuple[float, ...]


@dataclass(frozen=True, eq=False)
class _Points:
    """Places along C in coordinates (s, t, t C), up to a factor: all is affine between them.

    C = 0 is (rate, 1, 0), any other C is (s, t, 1).
    """

    lines: Sequence[Polyline]
    t: FloatArray  # descending; infinite for C = 0

    def __len__(self) -> int:
        return len(self.t)

    def values(self, at: slice, rows: IntArray) -> tuple[FloatArray, FloatArray]:
        """s of some rows, (n_rows, n_points, n_machines), and t, at some of the points."""
        t = self.t[at]
        s = np.stack([line.at(t, rows) for line in self.lines], axis=-1)
        return s, np.where(np.isinf(t), 1.0, t)

    def C(self, k: int, place: float) -> float:
        """That of a place between two points."""
        (w, t), (w_next, t_next) = (
            (0.0, 1.0) if np.isinf(own) else (1.0, float(own)) for own in self.t[k : k + 2]
        )
        return ((1.0 - place) * w + place * w_next) / ((1.0 - place) * t + place * t_next)


def follow_decoded(
    lines: Sequence[Polyline], reading: Reading, begin: float, end: float
) -> LabelChanges:
    """The class of each row, for every C between two."""
    points = _Points(lines, _events(lines, begin, end))
    rows = np.arange(len(lines[0].s))
    first = _best(reading, *points.values(slice(0, 1), rows))[:, 0]
    label, kept = first.copy(), []
    swings = [line.swings(reading.loss) for line in lines]
    for run, some in _uncertain(points, swings, reading, rows, 0, len(points) - 1):
        for row, place, own in _changes(points, reading, some, run):
            if own != label[row]:
                label[row] = own
                kept.append((place, row, own))
    found = np.array(kept, dtype=np.dtype("f8, i8, i8"))
    found = found[np.argsort(found["f0"], kind="stable")]
    return LabelChanges(first, found["f0"], found["f1"], found["f2"], begin, end)


def decoded_at(lines: Sequence[Polyline], reading: Reading, Cs: FloatArray) -> LabelChanges:
    """The class of each row at these C, ascending, as if it changed at these only."""
    points = _Points(lines, 1.0 / Cs)
    best = _best(reading, *points.values(slice(None), np.arange(len(lines[0].s))))
    k, row = np.nonzero((best[:, 1:] != best[:, :-1]).T)
    becomes = best[row, k + 1]
    return LabelChanges(best[:, 0], Cs[k + 1], row, becomes, float(Cs[0]), float(Cs[-1]))


def _events(lines: Sequence[Polyline], begin: float, end: float) -> FloatArray:
    """Where any of the lines bends, descending, with both ends."""
    lowest = 0.0 if end == np.inf else 1.0 / end
    t = np.concatenate([line.t for line in lines])
    # beyond the last event of complete paths no machine changes
    ends = [np.inf if begin == 0 else 1.0 / begin, *([lowest] if lowest else [])]
    return np.unique(np.r_[t[t > lowest], ends])[::-1]


def _best(reading: Reading, s: FloatArray, t: FloatArray) -> IntArray:
    return np.asarray(reading.scores(s / t[:, None]).argmax(axis=-1))


def _uncertain(
    points: _Points,
    swings: list[tuple[FloatArray, FloatArray]],
    reading: Reading,
    rows: IntArray,
    begin: int,
    end: int,
) -> Iterator[tuple[slice, IntArray]]:
    """Short runs of points, in their order, and the rows whose class may change there."""
    s, t = points.values(slice(begin, begin + 1), rows)
    scores = reading.scores(s[:, 0] / t[0])
    ahead = np.diff(np.partition(scores, -2, axis=1)[:, -2:], axis=1)[:, 0]
    moved = np.zeros(len(rows))
    for own, sums in swings:
        # from the last event at or before the first point to the first one at or behind the last
        low = np.searchsorted(-own, -points.t[begin], side="right") - 1
        high = np.searchsorted(-own, -points.t[end], side="left")
        low, high = (np.clip(k, 0, len(own) - 1) for k in (low, high))
        moved += sums[rows, high] - sums[rows, low]
    doubt = _DOUBT * np.abs(scores).max(axis=1)
    rows = rows[ahead <= 2.0 * moved + doubt]
    if not len(rows) or begin == end:
        return
    if end - begin <= FEW:
        yield slice(begin, end + 1), rows
        return
    middle = (begin + end) // 2
    yield from _uncertain(points, swings, reading, rows, begin, middle)
    yield from _uncertain(points, swings, reading, rows, middle, end)


def _changes(
    points: _Points, reading: Reading, rows: IntArray, run: slice
) -> Iterator[tuple[int, float, int]]:
    """Rows, the C from which on they have a class, and which one, along a run of points."""
    s, t = points.values(run, rows)
    best = _best(reading, s, t)
    may = best[:, 1:] != best[:, :-1]  # of straight lines the one best at both ends stays so
    for level in reading.bends:
        side = np.sign(s - level * t[:, None])
        may |= (side[:, 1:] != side[:, :-1]).any(axis=-1)
    for k, own in zip(*np.nonzero(may.T), strict=True):
        ends = (s[own, k], t[k]), (s[own, k + 1], t[k + 1])
        there = best_along(*ends, reading.scores, reading.bends)
        for place, label in [*there, (1.0, best[own, k + 1])]:
            yield rows[own], points.C(run.start + k, place), int(label)
