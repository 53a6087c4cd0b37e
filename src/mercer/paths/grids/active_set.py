"""The cells of a grid by the active set: the free rows of one C are those the next begins with.

For small sets of free rows, high accuracy, and kernel values that cost much.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from mercer.gram import Gram
from mercer.paths.approximate.moving import MovingSolution
from mercer.paths.grids.cells import Cells, Column
from mercer.paths.grids.certificates import certificates
from mercer.paths.grids.watch import Watch
from mercer.problem import Problem, Solution
from mercer.solvers import solve
from mercer.solvers.runs.deadline import Deadline
from mercer.training.splits import Split

__all__ = ["columns_by_active_set", "scores_by_active_set"]

FloatArray = NDArray[np.float64]


def columns_by_active_set(cells: Cells, grams: Iterable[Gram], watch: Watch) -> Iterator[Column]:
    """The solutions and scores for each kernel; none once the time is over.

    For each kernel C goes up. The first solution begins with the coefficients it had for the
    kernel before.
    """
    problems = [cells.problem(part) for part in range(len(cells.parts))]
    begins: list[FloatArray | None] = [None] * len(problems)
    for gram in grams:
        if watch.is_over:
            return
        solutions = []
        for p, problem in enumerate(problems):
            found = [] if watch.is_over else _solutions(problem, gram, cells, begins[p], watch)
            begins[p] = found[0].coef / cells.costs[0] if found else None
            solutions.append(found)
        scores = cells.no_scores
        if len(scores) and not watch.is_over:
            scores = scores_by_active_set(cells, gram, watch.limits.deadline)
        yield Column(solutions, scores)


def scores_by_active_set(cells: Cells, gram: Gram, deadline: Deadline) -> FloatArray:
    """Scores of each split for ascending C; NaN where there was no time."""
    scores = cells.no_scores
    for k, split in enumerate(cells.splits):
        values = cells.no_values(split)
        is_done = all(
            _fill(cells, part, split, gram, deadline, values) for part in cells.trained(split)[0]
        )
        cells.write_scores(k, values, scores)
        if not is_done:
            break
    return scores


def _fill(
    cells: Cells, part: int, split: Split, gram: Gram, deadline: Deadline, values: FloatArray
) -> bool:
    """Write the values of a part at held-out rows for ascending C; whether there was time."""
    unit = cells.problem(part, split)
    at = np.searchsorted(unit.index, split.test)
    moving = MovingSolution(unit, gram, float(cells.costs[0]), None, cells.tol)
    for j, C in enumerate(cells.costs):
        if moving.to(C, max_time=deadline.seconds_left) == "max-time":
            return False
        values[j, :, part] = moving.basis.values[at]
    return True


def _solutions(
    problem: Problem, gram: Gram, cells: Cells, begin: FloatArray | None, watch: Watch
) -> list[Solution]:
    """The solutions of one kernel for ascending C, as many as the time allows.

    Their certificates need every kernel value of a support vector once, for all C together.
    """
    moving = MovingSolution(problem, gram, float(cells.costs[0]), begin, cells.tol)
    points: list[tuple[Problem, FloatArray]] = []
    marks = [(time.perf_counter(), gram.n_evaluations, 0)]
    for C in cells.costs:
        left = watch.limits.deadline.seconds_left
        status = moving.to(C, max_time=left, callback=watch.wait)
        if status in ("max-time", "callback"):
            watch.status = status
            break
        points.append((moving.basis.problem, moving.basis.coef))
        marks.append((time.perf_counter(), gram.n_evaluations, moving.basis.n_iterations))
        if watch.tell(float(C), len(moving.basis.free)):
            break
    solutions = []
    for k, certificate in enumerate(certificates(gram, points)):
        seconds, n_kernel, n_iter = np.subtract(marks[k + 1], marks[k])
        scaled, coef = points[k]
        if not (certificate.is_within(cells.tol) and certificate.is_feasible):
            # rounding has spoiled the gradient it was solved with, or the sum of the point
            left = watch.limits.deadline.seconds_left
            solutions.append(
                solve(scaled, gram, "active-set", start=coef, tol=cells.tol, max_time=left)
            )
            continue
        solutions.append(
            Solution(
                coef=coef, **vars(certificate), n_iter=int(n_iter), n_kernel=int(n_kernel),
                seconds=float(seconds), status="converged", solver="active-set",
            )
        )  # fmt: skip
    return solutions
