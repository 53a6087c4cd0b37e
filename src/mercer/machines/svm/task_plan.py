"""The two-class problems of a scheme, solved in one native call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.formulations import Formulation
from mercer.gram import Gram
from mercer.machines.svm.tasks import Formulations, Tasks
from mercer.problem import Problem, Solution
from mercer.solvers import resolve_solver
from mercer.solvers.auto import Auto
from mercer.solvers.parts import Parts, most_variables, solve_parts, suits_parts
from mercer.solvers.runs.deadline import Deadline

__all__ = ["TaskPlan", "task_plan"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]

# Formulations with one variable for each row, which knows nothing of the others.
_KINDS = ("intercept", "origin", "penalized")


def task_plan(machine: Any, formulations: Formulations) -> TaskPlan | None:
    """The problems of a machine; None if they are solved one after the other.

    That is so for other formulations and solvers, and for whoever watches each of them.
    """
    if len(formulations) < 2 or machine.callback is not None or machine.verbose:
        return None
    first = formulations[0]
    is_plain = first.kind in _KINDS and first.bias == "multiplier" and first.fallback is None
    if not is_plain or not isinstance(resolve_solver(machine.solver), Auto):
        return None
    return TaskPlan(machine, formulations.tasks, formulations.weight, formulations.formulate)


@dataclass(frozen=True, eq=False)
class TaskPlan:
    """The two-class problems of a scheme.

    Attributes
    ----------
    machine : KernelClassifier
        Says how exactly and how long to solve.
    tasks : Tasks
        The problems.
    weight : ndarray of shape (n_rows,)
        Weight of each row.
    formulate : callable
        Makes a formulation of signs and weights, row by row.
    """

    machine: Any
    tasks: Tasks
    weight: FloatArray
    formulate: Callable[[FloatArray, FloatArray], Formulation]

    def suits(self, gram: Gram) -> bool:
        """Whether the values of the Gram can be shared, and some problems are small enough.

        Every class must weigh something: other weights are refused problem by problem. Problems
        without a bound may have no solution, which takes a closer look.
        """
        if self.tasks.fewest_rows > most_variables(gram) or not suits_parts(gram):
            return False
        first = self.tasks[0]
        if self.formulate(first.sign, self.weight[first.rows]).problem.may_be_unbounded:
            return False
        return bool(np.bincount(self.tasks.labels, weights=self.weight).all())

    def solve(self, gram: Gram, deadline: Deadline) -> tuple[Parts, FloatArray]:
        """What came of the problems, and the bias of each."""
        lists, machine = self.tasks.row_lists(np.arange(len(self.tasks))), self.machine
        formulation = self.formulate(lists.sign, self.weight[lists.rows])
        problem = formulation.problem.on_rows(lists.rows)
        parts = solve_parts(
            problem,
            lists.offsets,
            gram,
            tol=machine.tol,
            blocks=self.tasks.blocks,
            start=self._start(problem, lists.offsets),
            max_iter=machine.max_iter,
            max_time=None if machine.max_time is None else deadline.seconds_left,
        )
        found = parts.solutions
        sums = np.add.reduceat(found.coef, lists.offsets[:-1])
        return parts, formulation.intercepts(sums, found.multiplier)

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
