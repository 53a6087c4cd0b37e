"""The problems of a machine, solved on one Gram: one after the other, or side by side."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mercer.formulations import FittedParameters, Formulation
from mercer.gram import Gram
from mercer.machines.verbose import progress_display
from mercer.problem import Problem, Solution
from mercer.problem.solution import lowered
from mercer.solvers.auto import Auto, is_matrix_cheap
from mercer.solvers.runs.deadline import Deadline
from mercer.solvers.runs.progress import Callback, Progress, ending_all
from mercer.solvers.solving import resolve_solver, solve_by
from mercer.solvers.worker_threads import WorkerThreads

__all__ = ["FEW_ROWS", "Problems", "Solved", "display_of", "solve_all", "solve_side_by_side"]

FloatArray = NDArray[np.float64]
FEW_ROWS = 200  # rows of a part of a Gram that is better a Gram of its own
# So is a part whose matrix is cheap, unless values cost much: the matrix is half of them, and the
# own classes are all that pairs share. CPU seconds of all pairs of classes with one Gram and with
# one for each pair (make_classification of ten classes with C = 1 and C = 100; letter with C = 16,
# mnist with C = 5):
#
#     rows of a pair   16 (letter)  20 features   60 features   200 features   784 (mnist)
#              1,150   1.70  1.13
#              2,000                0.42  0.42    1.00  0.62    2.13  1.19     1.04  1.34
#                                   0.66  0.73    1.21  0.60    2.22  1.02
#              4,000                1.18  1.20    2.59  2.02    5.09  3.36     1.59  2.70 (3,000)
#                                   1.60  1.84    4.66  2.47    7.83  4.03
_MOST_WORK = 256
_MANY_ROWS = 1000  # from which on threads take a problem each
Rows = Sequence[NDArray[np.intp]]


class Solved(NamedTuple):
    """The result of one problem.

    Attributes
    ----------
    solution : Solution
        The solution, of the problem on the rows of the Gram.
    fitted : FittedParameters
        What it says; coefficients are those of the rows of the formulation.
    near : float
        The bias where the Gram measures its rows from.
    """

    solution: Solution
    fitted: FittedParameters
    near: float


class Problems:
    """The problems of a machine on one Gram.

    Parameters
    ----------
    machine : KernelMachine
        Says how exactly and how long to solve.
    formulations : sequence of Formulation
        May make them when they are asked for: none is kept.
    gram : Gram
        Kernel values.
    deadline : Deadline
        When to stop.
    rows : sequence of ndarray, default=None
        The rows of the Gram that each formulation is about; None means all of them.
    """

    def __init__(
        self,
        machine: Any,
        formulations: Sequence[Formulation],
        gram: Gram,
        deadline: Deadline,
        rows: Rows | None = None,
    ) -> None:
        self.formulations, self.gram, self.rows = formulations, gram, rows
        self.solver = resolve_solver(machine.solver, shrinking=machine.shrinking)
        previous = getattr(machine, "solutions_", ()) if machine.warm_start else ()
        self._starts = previous if len(previous) == len(formulations) else None
        self._precision = machine.precision
        self._deadline = deadline
        self.is_side_by_side = False
        self._options: dict[str, Any] = {
            "tol": machine._tolerance(gram),
            "max_iter": machine.max_iter,
        }

    def __len__(self) -> int:
        return len(self.formulations)

    def n_rows(self, k: int) -> int:
        """How many rows problem ``k`` is about."""
        return self.gram.n_rows if self.rows is None else len(self.rows[k])

    def solve(self, k: int, callback: Callback | None) -> Solved:
        """Solve problem ``k``, from the solution of the last fit if there is one."""
        formulation = self.formulations[k]
        start = None if self._starts is None else self._starts[k].coef
        solution = self._solution(formulation, k, start, callback)
        fitted = formulation.fitted_parameters(solution)
        other = formulation.fallback and formulation.correction(fitted)
        if other is not None:
            solution = self._solution(other, k, None, callback)
            fitted = other.fitted_parameters(solution)
        near = fitted.intercept
        offset = 0.0 if self.gram.shift is None else self._shift_offset(fitted.coef, k)
        if offset:
            solution = lowered(solution, offset / (fitted.scale or 1.0))
            fitted = replace(fitted, intercept=near - offset)
        return Solved(solution, fitted, near)

    def _solution(
        self, formulation: Formulation, k: int, start: FloatArray | None, callback: Callback | None
    ) -> Solution:
        problem, gram = formulation.problem, self.gram
        if self.rows is not None and self._is_better_alone(problem):
            # rows of all others would be looked at again and again
            gram = gram.reordered(
                self.rows[k],
                precision=self._precision,
                n_threads=1 if self.is_side_by_side else None,
            )
        elif self.rows is not None:
            problem = problem.on_rows(self.rows[k])
        if start is not None and start.shape != problem.linear.shape:
            start = None
        options = {**self._options, "max_time": self._deadline.seconds_left, "callback": callback}
        return solve_by(self.solver, problem, gram, start=start, **options)

    def _is_better_alone(self, problem: Problem) -> bool:
        n = problem.n_variables
        if 4 * n >= self.gram.n_rows:
            return False
        return n <= FEW_ROWS or (self._may_take_matrices and is_matrix_cheap(n, self.gram))

    @cached_property
    def _may_take_matrices(self) -> bool:
        gram = self.gram
        if not isinstance(self.solver, Auto) or gram.form.reads_python or gram.form.reads_stored:
            return False
        return gram.features() is None and gram.native().work <= _MOST_WORK

    def _shift_offset(self, coef: FloatArray, k: int) -> float:
        """By how much values are larger where the Gram measures its rows from."""
        if self.rows is None:
            return self.gram.shift_offset(coef)
        spread = np.zeros(self.gram.n_rows)
        spread[self.rows[k]] = coef
        return self.gram.shift_offset(spread)


def display_of(machine: Any, total: int = 1) -> AbstractContextManager[Any]:
    """The display of the progress of a machine on its problems; None without ``verbose``."""
    return progress_display(total, type(machine).__name__) if machine.verbose else nullcontext()


def solve_all(machine: Any, problems: Problems) -> list[Solved]:
    """All problems of a machine, one after the other as whoever watches expects, or together."""
    n = len(problems)
    if _is_worth_threads(problems) and not machine.verbose:
        return solve_side_by_side(problems, range(n), machine.callback)
    callback = None if machine.callback is None else ending_all(machine.callback)
    if not machine.verbose:
        return [problems.solve(k, callback) for k in range(n)]
    with display_of(machine, n) as display:
        return [problems.solve(k, display.watch(k, callback)) for k in range(n)]


def _is_worth_threads(problems: Problems) -> bool:
    """Whether there are several problems, each with enough to do for a thread."""
    gram = problems.gram
    is_large = gram.n_threads > 1 and gram.n_rows >= _MANY_ROWS
    return len(problems) > 1 and is_large and not gram.form.reads_python


def solve_side_by_side(
    problems: Problems, which: Sequence[int], callback: Callback | None = None
) -> list[Solved]:
    """The problems at these positions, as many at a time as the Gram has threads.

    The results are those of :meth:`Problems.solve` one after the other, bit by bit. The callback
    hears of all of them together, in the thread that calls; a true value ends all of them.
    """
    problems.is_side_by_side = True
    queue = _Queue(which)
    workers = WorkerThreads(queue, problems.gram.n_threads)
    found: dict[int, Solved] = {}
    watch = None if callback is None else _Watch(problems, which, callback)

    def solve(k: int) -> None:
        def go_on(progress: Progress) -> object:
            workers.end_if_over()
            return watch is not None and watch.hear(k, progress)

        with problems.gram.visit():
            found[k] = problems.solve(k, go_on)
        if watch is not None:
            watch.close(k, found[k].solution)

    with workers.at_work(solve):
        workers.wait_for(lambda: queue.n_left == 0, None if watch is None else watch.tell)
    return [found[k] for k in which]


class _Watch:
    """One report for several problems that are solved at the same time."""

    def __init__(self, problems: Problems, which: Sequence[int], callback: Callback) -> None:
        self._callback, self._began = callback, time.perf_counter()
        self._left = {k: problems.n_rows(k) for k in which}
        self._steps = dict.fromkeys(which, 0)
        self._objective = 0.0
        self._is_over = False

    def hear(self, k: int, progress: Progress) -> bool:
        """Take the report of one problem; whether it is to end."""
        self._steps[k] = progress.iteration
        return self._is_over

    def close(self, k: int, solution: Solution) -> None:
        """After a problem is solved."""
        self._left.pop(k, None)
        self._steps[k] = solution.n_iter
        self._objective += solution.objective

    def tell(self) -> None:
        """Report all of them to the callback."""
        if self._is_over:
            return
        left, steps = list(self._left.values()), list(self._steps.values())
        seconds = time.perf_counter() - self._began
        progress = Progress(sum(steps), np.inf, self._objective, sum(left), seconds)
        self._is_over = bool(self._callback(progress))


class _Queue:
    """Positions of problems, each of them once."""

    def __init__(self, which: Sequence[int]) -> None:
        self._next, self.n_left = iter(which), len(which)

    def take(self) -> int | None:
        return next(self._next, None)

    def give_back(self, k: int) -> None:
        self.n_left -= 1
