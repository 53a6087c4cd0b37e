"""The cells of a grid as one native call for each kernel (machines/svm/uncertified.py).

The machines that are returned get a certificate, all C together. Those that judge have none, as in
a search.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from mercer.gram import Gram
from mercer.machines.svm.uncertified import (
    MOST_DOUBT,
    SURE,
    Followed,
    UncertifiedMachines,
)
from mercer.paths.grids.cells import Cells, Column
from mercer.paths.grids.certificates import certificates
from mercer.paths.grids.watch import Watch
from mercer.problem import Certificate, Problem, Solution
from mercer.problem.family import Family, Powers
from mercer.solvers import solve

__all__ = ["Plan"]

FloatArray = NDArray[np.float64]
# Share of the tolerance that runs in single precision aim at: their rounding fits in the rest.
_SHARE = 0.9
_MOST_BYTES = 2**26  # of the coefficients of splits that are solved together


@dataclass(frozen=True, eq=False)
class _Batch:
    """Splits that are solved together; before the first of them the machines of all rows."""

    machines: UncertifiedMachines
    splits: range
    has_full: bool


class Plan:
    """The machines of all cells.

    Parameters
    ----------
    cells : Cells
        What is to be solved.
    watch : Watch
        The clock and the callback.
    has_full : bool, default=True
        Whether the machines of all rows are wanted.
    """

    def __init__(self, cells: Cells, watch: Watch, *, has_full: bool = True) -> None:
        self.cells, self.watch = cells, watch
        self._batches = list(self._made(has_full))

    @staticmethod
    def may_suit(cells: Cells) -> bool:
        """Whether every split trains on every class, and there is work for several threads."""
        n_parts = len(cells.parts)
        return len(cells.splits) + n_parts > 1 and all(
            len(cells.trained(split)[0]) == n_parts for split in cells.splits
        )

    def suits(self, gram: Gram) -> bool:
        """Whether the machines can be trained so on these kernel values."""
        return self._batches[0].machines.suit(gram)

    def column(self, gram: Gram) -> Column:
        """The solutions and scores of one kernel, as far as there is time."""
        column = Column([], self.cells.no_scores)
        for batch in self._batches:
            self._fill(column, batch, gram)
        return column

    def _made(self, has_full: bool) -> Iterator[_Batch]:
        cells = self.cells
        parts = range(len(cells.parts))
        height = max(_MOST_BYTES // (16 * len(cells.costs) * cells.n_variables), 1)
        for begin in range(0, max(len(cells.splits), 1), height):
            numbers = range(begin, min(begin + height, len(cells.splits)))
            formulations = [
                [cells.formulation(part, cells.splits[k]) for part in parts] for k in numbers
            ]
            tests = [cells.splits[k].test for k in numbers]
            is_first = has_full and begin == 0
            if is_first:
                formulations.insert(0, [cells.formulation(part) for part in parts])
                tests.insert(0, np.empty(0, dtype=np.intp))
            machines = UncertifiedMachines(
                formulations,
                tests,
                Powers(),
                _SHARE * cells.tol,
                subproblems=cells.parts if len(parts) > 1 else None,
            )
            machines.callback = self.watch.wait
            yield _Batch(machines, numbers, is_first)

    def _fill(self, column: Column, batch: _Batch, gram: Gram) -> None:
        if self.watch.is_over:
            return
        machines, costs = batch.machines, self.cells.costs
        machines.deadline = self.watch.limits.deadline
        began, n_before = time.perf_counter(), gram.n_evaluations
        found = machines.follow(gram, costs.tolist())
        if batch.has_full:
            size = max(found.is_reached.size, 1)
            seconds = (time.perf_counter() - began) / size
            cost = _Cost(seconds, (gram.n_evaluations - n_before) // size)
            column.solutions.extend(self._solutions(machines, found, gram, cost))
        values = self._values(batch, found, gram, costs, 1.0)
        again = self._doubtful(values)
        if len(again) and not self.watch.is_over:
            sure = self._values(
                batch, machines.follow(gram, costs[again].tolist(), SURE), gram, costs[again], SURE
            )
            for known, better in zip(values, sure, strict=True):
                known[again] = better
        for k, own in zip(batch.splits, values, strict=True):
            self.cells.write_scores(k, own, column.scores)

    def _values(
        self, batch: _Batch, found: Followed, gram: Gram, costs: FloatArray, accuracy: float
    ) -> list[FloatArray]:
        """Of each split, (n_C, n_test, n_parts); NaN where a machine was not reached."""
        machines, values = batch.machines, []
        for s in range(int(batch.has_full), len(machines.tests)):
            own = machines.values_of(s, found, gram, costs.tolist(), accuracy)
            own[:, ~found.is_reached[:, machines.problems_of(s)]] = np.nan
            values.append(np.ascontiguousarray(own.swapaxes(0, 1)))
        return values

    def _doubtful(self, values: list[FloatArray]) -> NDArray[np.intp]:
        """Positions of the C with many held-out rows that may change their class."""
        scheme, tol = self.cells.scheme, self.cells.tol
        counts = np.zeros(len(self.cells.costs))
        for own in values:
            for j, decisions in enumerate(own):
                counts[j] += scheme.count_doubtful(decisions, tol, break_ties=False)
        return np.flatnonzero(counts > MOST_DOUBT * sum(own.shape[1] for own in values))

    def _solutions(
        self, machines: UncertifiedMachines, found: Followed, gram: Gram, cost: _Cost
    ) -> Iterator[list[Solution]]:
        """Of all rows, the solutions of each part for the C that were reached."""
        for part in range(len(self.cells.parts)):
            own, problem = machines.variables_of(part), machines.problem(part)
            reached = np.flatnonzero(found.is_reached[:, part])
            family = Family(problem)
            problems = [family.at(float(C)) for C in self.cells.costs[reached]]
            points = list(zip(problems, found.coef[reached, own], strict=True))
            solved: list[Solution] = []
            for j, certificate in zip(reached, certificates(gram, points), strict=True):
                if self.watch.status:
                    break
                one = _Solved(*points[len(solved)], certificate, int(found.n_iter[j, part]))
                solved.append(self._accepted(one, gram, cost))
                self.watch.tell(float(self.cells.costs[j]), one.n_free)
            yield [_spread(solution, problem, gram.n_rows) for solution in solved]

    def _accepted(self, found: _Solved, gram: Gram, cost: _Cost) -> Solution:
        """The solution with its certificate; solved again if that is not good enough."""
        tol, certificate = self.cells.tol, found.certificate
        if not (certificate.is_within(tol) and certificate.is_feasible):
            left = self.watch.limits.deadline.seconds_left
            return solve(found.problem, gram, start=found.coef, tol=tol, max_time=left)
        return Solution(
            coef=found.coef, **vars(certificate), n_iter=found.n_iter, n_kernel=cost.n_kernel,
            seconds=cost.seconds, status="converged", solver="chunked",
        )  # fmt: skip


@dataclass(frozen=True)
class _Cost:
    """What a machine took, each as much as the others."""

    seconds: float
    n_kernel: int


@dataclass(frozen=True, eq=False)
class _Solved:
    """The result of a problem."""

    problem: Problem
    coef: FloatArray
    certificate: Certificate
    n_iter: int

    @property
    def n_free(self) -> int:
        """Number of variables inside their box."""
        inside = (self.coef > self.problem.lower) & (self.coef < self.problem.upper)
        return int(np.count_nonzero(inside))


def _spread(solution: Solution, problem: Problem, n_rows: int) -> Solution:
    """The same on all rows; those of other classes have no coefficient."""
    if len(problem.index) == n_rows:
        return solution
    coef, gradient = np.zeros(n_rows), np.zeros(n_rows)
    coef[problem.index], gradient[problem.index] = solution.coef, solution.gradient
    return replace(solution, coef=coef, gradient=gradient, corrections=None)
