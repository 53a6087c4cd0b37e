"""Landmarks of rows that are spread over a cluster."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from mercer.dask.inputs import stacked_parts
from mercer.dask.reduction import Reduction
from mercer.lowrank import LowRank
from mercer.lowrank.low_rank import generator
from mercer.lowrank.random_landmarks import uniform_landmarks
from mercer.predictions.stacked_rows import some_rows
from mercer.training.rows import read_training_rows

__all__ = ["Sample", "draw_rows", "fetch_rows", "landmark_rows", "with_landmarks"]

IndexArray = NDArray[np.intp]

# Rows that every choice but "random" looks at: so many for each landmark, and at least.
LOOKED_AT, LEAST = 10, 1000


@dataclass(frozen=True, eq=False)
class Sample:
    """Some rows, fetched.

    Attributes
    ----------
    X, y : array, sparse matrix or data frame
        The rows and their labels or targets, as given.
    positions : ndarray
        Their numbers among all rows.
    """

    X: Any
    y: Any
    positions: IndexArray


def landmark_rows(low_rank: LowRank | None, n: int) -> IndexArray:
    """Numbers of the rows to fetch; "random" ones are those that the local machine draws.

    Parameters
    ----------
    n : int
        Rows there are, of positive weight unless positions were given.
    """
    if low_rank is not None and low_rank.has_positions:
        return low_rank.positions(n)
    if low_rank is not None and isinstance(low_rank.basis, str):
        rng = generator(low_rank.random_state)
        if low_rank.basis == "random":
            return uniform_landmarks(n, low_rank.rank, rng)
        return draw_rows(n, max(LEAST, LOOKED_AT * low_rank.rank), rng)
    return draw_rows(n, LEAST, np.random.default_rng(0))


def draw_rows(n: int, size: int, rng: np.random.Generator) -> IndexArray:
    """Numbers of ``size`` of ``n`` rows, ascending; of all if there are no more."""
    return np.sort(uniform_landmarks(n, size, rng))


def with_landmarks(low_rank: LowRank | None, sample: Sample) -> LowRank | None:
    """The approximation that chooses among the rows of the sample."""
    if low_rank is None or not (low_rank.has_positions or _is_random(low_rank)):
        return low_rank
    # all of them, in the order in which they were drawn
    return clone(low_rank).set_params(basis="random", rank=len(sample.positions))


def fetch_rows(
    passes: Reduction,
    machine: Any,
    choose: Callable[[int], IndexArray],
    positive: dict[int, int] | None,
) -> Sample:
    """Rows by the numbers that are chosen, given how many rows there are.

    They are counted among those of positive weight, if these are known. Where a block turns out
    to be bad, rows are chosen anew among the others.

    Parameters
    ----------
    machine : KernelMachine
        Checks the rows of the blocks.
    """
    found = None
    while found is None:
        starts, ends = _count_used(passes, positive)
        wanted = choose(int(ends[-1]))
        found = _fetched(passes, machine, wanted, starts, ends, positive is not None)
    return found


def _fetched(
    passes: Reduction,
    machine: Any,
    wanted: IndexArray,
    starts: IndexArray,
    ends: IndexArray,
    is_weighted: bool,
) -> Sample | None:
    """The rows with these numbers; None if not all of them are there."""
    places = np.searchsorted(ends, wanted, side="right")
    inside = wanted - np.concatenate([[0], ends[:-1]])[places]
    plan = {}
    for place in np.unique(places).tolist():
        own = np.flatnonzero(places == place)
        plan[int(starts[place])] = own, inside[own]
    numbers = sorted({start // passes.blocks.size for start in plan})
    found = passes.run("sample", _take, (machine, plan, is_weighted), only=numbers)
    return found.assembled() if found.n_rows == len(wanted) else None


def _count_used(
    passes: Reduction, positive: dict[int, int] | None
) -> tuple[IndexArray, IndexArray]:
    """First row of each half of a block that is used, and the rows up to its end."""
    blocks = passes.blocks
    spans = [
        span
        for number, report in enumerate(passes.reports)
        if report.status != "skipped"
        for span in blocks.halves(number)
    ]
    counts = [b - a if positive is None else positive[a] for a, b in spans]
    return np.array([a for a, _ in spans], dtype=np.intp), np.cumsum(counts)


@dataclass(frozen=True, eq=False)
class _Rows:
    """Rows of a sample with their places in it; merged by putting them side by side."""

    parts: list[tuple[IndexArray, IndexArray, Any, Any]]

    def merge(self, other: _Rows) -> _Rows:
        return _Rows(self.parts + other.parts)

    @property
    def n_rows(self) -> int:
        """Rows of all parts."""
        return sum(len(places) for places, *_ in self.parts)

    def assembled(self) -> Sample:
        """The rows in the order in which they were asked for."""
        order, numbers, X, y = zip(*self.parts, strict=True)
        back = np.argsort(np.concatenate(order), kind="stable")
        X, y = some_rows(stacked_parts(X), back), some_rows(stacked_parts(y), back)
        return Sample(X, y, np.concatenate(numbers)[back])


def _take(shared: Any, number: int, start: int, X: Any, y: Any, weight: Any) -> _Rows:
    """The rows of a half of a block that belong to the sample."""
    machine, plan, is_weighted = shared
    if start not in plan:
        return _Rows([])
    read_training_rows(copy(machine), X, np.zeros(len(y)), None)
    places, inside = plan[start]
    rows = np.flatnonzero(np.asarray(weight))[inside] if is_weighted else inside
    return _Rows([(places, start + rows, some_rows(X, rows), some_rows(y, rows))])


def _is_random(low_rank: LowRank) -> bool:
    return isinstance(low_rank.basis, str) and low_rank.basis == "random"
