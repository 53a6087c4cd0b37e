"""The cells of a grid as sequences that share kernel values and threads.

One sequence over C for all rows and one for each split, of each part of a scheme, each problem
started from the one before it. The kernel values of a gamma are computed once for all of them, and
the value of a machine at a held-out row is in the gradient of its solution: nothing is computed for
predictions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.gram import Gram
from mercer.gram.spot_check import require_definite
from mercer.paths.grids.cells import Cells, Column
from mercer.paths.grids.watch import Watch
from mercer.problem import Problem, Solution
from mercer.solvers import solve_series
from mercer.training.splits import Split

__all__ = ["columns_by_series"]

FloatArray = NDArray[np.float64]
# Sequences of splits solved together: their solutions are kept until all of them are there.
_TOGETHER = 16
_UNFINISHED = ("max-time", "callback")


def columns_by_series(
    cells: Cells, grams: Iterable[Gram], solver: Any, watch: Watch, *, has_full: bool = True
) -> Iterator[Column]:
    """The solutions (unless not ``has_full``) and scores for each kernel, in their order.

    Once the time is over, or the callback has ended the grid, columns are not complete.
    """
    batches = _batches(cells, has_full)
    sequences = _Sequences(cells, batches)
    jobs = ((problems, gram) for gram in _checked(grams) for problems in sequences)
    left = watch.limits.deadline.seconds_left
    series = solve_series(jobs, solver, tol=cells.tol, max_time=left, callback=watch.wait)
    with closing(series):
        column = Column([], cells.no_scores)
        for number, solved in enumerate(series):
            position = number % len(batches)
            for one in batches[position]:
                own = [solved.pop(0) for _ in one.parts]
                if one.split is None:
                    column.solutions.extend(list(_reported(found, cells, watch)) for found in own)
                elif not watch.status:
                    _score(cells, one, own, column.scores)
            is_over = watch.is_over
            if is_over or position == len(batches) - 1:
                yield column
                column = Column([], cells.no_scores)
            if is_over:
                return


@dataclass(frozen=True, eq=False)
class _Machines:
    """Those of the parts for one split, of number ``k``; for all rows without one."""

    parts: list[int]
    split: Split | None = None
    k: int = -1


def _batches(cells: Cells, has_full: bool) -> list[list[_Machines]]:
    """Splits that are solved together; all rows come first, with the first of them."""
    splits = [
        _Machines(cells.trained(split)[0].tolist(), split, k)
        for k, split in enumerate(cells.splits)
    ]
    height = max(_TOGETHER // len(cells.parts), 1)
    batches = [splits[k : k + height] for k in range(0, len(splits), height)] or [[]]
    if has_full:
        batches[0].insert(0, _Machines(list(range(len(cells.parts)))))
    return batches


class _Sequences:
    """The problems of each batch, made anew for each kernel unless there is a single batch."""

    def __init__(self, cells: Cells, batches: list[list[_Machines]]) -> None:
        self.cells, self.batches = cells, batches
        self.kept = list(self._made()) if len(batches) == 1 else None

    def __iter__(self) -> Iterator[list[list[Problem]]]:
        return self._made() if self.kept is None else iter(self.kept)

    def _made(self) -> Iterator[list[list[Problem]]]:
        for batch in self.batches:
            yield [self.cells.sequence(part, one.split) for one in batch for part in one.parts]


def _checked(grams: Iterable[Gram]) -> Iterator[Gram]:
    for gram in grams:
        require_definite(gram, "svc_grid")
        yield gram


def _reported(solved: Sequence[Solution], cells: Cells, watch: Watch) -> Iterator[Solution]:
    """The solutions that are finished, up to where the callback wants to end."""
    weight = cells.inputs.full_weight()
    for C, solution in zip(cells.costs, solved, strict=False):
        if solution.status in _UNFINISHED or watch.status:
            return
        yield solution
        size = np.abs(solution.coef)
        watch.tell(float(C), int(np.count_nonzero((size > 0.0) & (size < C * weight))))


def _score(
    cells: Cells, machines: _Machines, solved: Sequence[Sequence[Solution]], scores: FloatArray
) -> None:
    """Write the scores of a split."""
    assert machines.split is not None
    values = cells.no_values(machines.split)
    for part, solutions in zip(machines.parts, solved, strict=True):
        problem = cells.problem(part, machines.split)
        at = np.searchsorted(problem.index, machines.split.test)
        for j, solution in enumerate(solutions):
            if solution.status not in _UNFINISHED:
                values[j, :, part] = _values(problem.linear, solution)[at]
    cells.write_scores(machines.k, values, scores)


def _values(linear: FloatArray, solution: Solution) -> FloatArray:
    """Decision values at all rows: linear - gradient + bias, and the bias is the multiplier."""
    return np.asarray(linear - solution.gradient + solution.multiplier[0])
