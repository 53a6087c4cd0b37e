"""The two-class problems of a scheme, solved in one native call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.formulations.joined import JoinedFormulations, JoinedParameters
from mercer.gram import Gram
from mercer.machines.solving import display_of
from mercer.machines.svm.subproblems import Formulations, RowLists, Subproblems
from mercer.problem import Problem, Solution
from mercer.solvers.auto import Auto
from mercer.solvers.parts import Parts, most_variables, solve_parts, suits_parts
from mercer.solvers.runs.deadline import Deadline
from mercer.solvers.runs.progress import Callback
from mercer.solvers.solving import resolve_solver

__all__ = ["SubproblemPlan", "subproblem_plan"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]


def subproblem_plan(machine: Any, formulations: Formulations) -> SubproblemPlan | None:
    """The problems of a machine; None if they are solved one after the other.

    That is so for other formulations and solvers.
    """
    if len(formulations) < 2:
        return None
    first = formulations[0]
    is_plain = first.bias == "multiplier" and first.fallback is None
    if not is_plain or not isinstance(resolve_solver(machine.solver), Auto):
        return None
    plan = SubproblemPlan(machine, formulations.subproblems, formulations.weight)
    # one of them may have to be refused, before there are kernel values
    return plan if first.kind != "nu" or plan.joined is not None else None


@dataclass(frozen=True, eq=False)
class SubproblemPlan:
    """The two-class problems of a scheme.

    Attributes
    ----------
    machine : KernelClassifier
        Says how exactly and how long to solve.
    subproblems : Subproblems
        The problems.
    weight : ndarray of shape (n_rows,)
        Weight of each row.
    """

    machine: Any
    subproblems: Subproblems
    weight: FloatArray

    @cached_property
    def lists(self) -> RowLists:
        """Rows and signs of all problems."""
        return self.subproblems.row_lists(np.arange(len(self.subproblems)))

    @cached_property
    def joined(self) -> JoinedFormulations | None:
        """All problems; None if they are not of a kind that is solved so."""
        lists = self.lists
        joined = self.machine._formulate_all(lists.sign, self.weight[lists.rows], lists.offsets)
        return None if joined is None else joined.on_rows(lists.rows)

    def suits(self, gram: Gram) -> bool:
        """Whether the values of the Gram can be shared, and some problems are small enough.

        Every class must weigh something: other weights are refused problem by problem. Problems
        without a bound may have no solution, which takes a closer look.
        """
        if self.subproblems.fewest_rows > most_variables(gram) or not suits_parts(gram):
            return False
        if not np.bincount(self.subproblems.class_index, weights=self.weight).all():
            return False
        return self.joined is not None and not self.joined.formulation.problem.may_be_unbounded

    def solve(self, gram: Gram, deadline: Deadline) -> tuple[Parts, JoinedParameters]:
        """The results of the problems, and their messages."""
        with display_of(self.machine) as display:
            callback = self.machine.callback
            watch = callback if display is None else display.watch(0, callback)
            return self._solve(gram, deadline, watch)

    def _solve(
        self, gram: Gram, deadline: Deadline, callback: Callback | None
    ) -> tuple[Parts, JoinedParameters]:
        joined, machine = self.joined, self.machine
        assert joined is not None  # it suits
        parts = solve_parts(
            joined.formulation.problem,
            joined.offsets,
            gram,
            tol=machine.tol,
            group_sums=joined.group_sums,
            blocks=self.subproblems.blocks,
            start=self._start(joined.formulation.problem, joined.offsets),
            max_iter=machine.max_iter,
            max_time=deadline.seconds_left,
            callback=callback,
        )
        return parts, joined.interpret(parts.solutions)

    def _start(self, problem: Problem, offsets: IntArray) -> FloatArray | None:
        """The solutions of the last fit, where they are feasible, if they are to start from."""
        last: Sequence[Solution] = ()
        if self.machine.warm_start:
            last = getattr(self.machine, "solutions_", ())
        sizes = np.diff(offsets)
        if len(last) != len(sizes) or [len(s.coef) for s in last] != sizes.tolist():
            return None
        start = np.concatenate([solution.coef for solution in last])
        is_inside = (problem.lower <= start) & (start <= problem.upper)
        fits = np.logical_and.reduceat(is_inside, offsets[:-1])
        return np.where(np.repeat(fits, sizes), start, 0.0)
