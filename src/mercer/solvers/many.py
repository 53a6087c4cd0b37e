"""Many problems on one Gram: grids of C, folds, pairs of classes."""

from __future__ import annotations

import itertools
from collections.abc import Generator, Iterable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

import numpy as np

from mercer._floating import without_warnings
from mercer.gram import Gram
from mercer.problem import Problem, Solution
from mercer.solvers.active_set.solver import ActiveSet
from mercer.solvers.auto import MOST_FREE
from mercer.solvers.chunked import Chunked
from mercer.solvers.runs.deadline import Deadline
from mercer.solvers.runs.progress import Callback, Progress, ending_all
from mercer.solvers.runs.start import full_start
from mercer.solvers.scheduler import Job, Scheduler, Turn
from mercer.solvers.solving import Solver, resolve_solver
from mercer.solvers.warm_start import carried, reused
from mercer.solvers.worker_threads import WorkerThreads

__all__ = ["solve_many", "solve_series"]

# Rows of the largest matrix that is kept: some 64 MB, which a shared cache holds or nearly so.
_FULL_ROWS = 4000
_CHUNK = 512
# Pair steps after which "auto" leaves a problem to the active set, if few variables are free.
# Nearly linear kernels at large C (2,000 x 60 rows, gamma=1e-4, C=1e4, 333 free) take 0.38 s of
# pair steps, but 0.05 s of them and 0.03 s of the active set.
_BUDGET = 20_000


def solve_many(
    sequences: Sequence[Sequence[Problem]],
    gram: Gram,
    solver: str | Solver = "auto",
    *,
    tol: float = 1e-3,
    max_iter: int = -1,
    max_time: float | None = None,
    callback: Callback | None = None,
) -> list[list[Solution]]:
    """Solve many problems that share their kernel values.

    The problems of a sequence are solved one after the other, each from the solution of the one
    before it; sequences are independent of each other and share the threads of ``gram``. So a
    grid search over C by cross-validation is one sequence for each fold, with C ascending; a row
    is held out by a box of [0, 0], and its decision value is in the solution's gradient.

    Parameters
    ----------
    sequences : sequence of sequences of Problem
        The problems. Those of one sequence must have as many variables as each other.
    gram : Gram
        Kernel values of the rows all problems refer to. Up to 4,000 rows "auto" and "chunked"
        compute the full matrix once, in single precision, if the cache has room for it.
    solver : str or Solver, default="auto"
        As for :func:`solve`.
    tol, max_iter, callback
        As for :func:`solve`, for each problem. A true value of ``callback`` ends all of them.
    max_time : float, default=None
        Bound on the seconds of all problems together. Sequences are then as long as there was
        time for: the last solution of each may have the status "max-time".

    Returns
    -------
    list of lists of Solution
        In the order of ``sequences``.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import Gram
    >>> from mercer.formulations import svc
    >>> from mercer.kernels import Gaussian
    >>> from mercer.solvers import solve_many
    >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([-1.0, 1.0, -1.0, 1.0])
    >>> ascending = [svc(y, C).problem for C in (0.1, 1.0, 10.0)]
    >>> ((first, second, third),) = solve_many([ascending], Gram(Gaussian(0.5), X))
    >>> third.objective > second.objective > first.objective
    True
    """
    options: dict[str, Any] = {"tol": tol, "max_iter": max_iter, "max_time": max_time}
    return next(solve_series([(sequences, gram)], solver, callback=callback, **options))


def solve_series(
    jobs: Iterable[tuple[Sequence[Sequence[Problem]], Gram]],
    solver: str | Solver = "auto",
    *,
    tol: float = 1e-3,
    max_iter: int = -1,
    max_time: float | None = None,
    callback: Callback | None = None,
) -> Generator[list[list[Solution]], None, None]:
    """Solve many problems on one Gram after the other, say one for each width of a kernel.

    The same as :func:`solve_many` for each of them, but threads that run out of work on one Gram
    start on the next.

    Parameters
    ----------
    jobs : iterable of pairs (sequences, gram)
        What to solve; made when a thread is free for it, and forgotten when it is done. The
        first Gram says how many threads there are.
    solver, tol, max_iter, max_time, callback
        As for :func:`solve_many`.

    Yields
    ------
    list of lists of Solution
        The solutions of one job, in the order of ``jobs``.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import Gram
    >>> from mercer.formulations import svc
    >>> from mercer.kernels import Gaussian
    >>> from mercer.solvers import solve_series
    >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([-1.0, 1.0, -1.0, 1.0])
    >>> ascending = [svc(y, C).problem for C in (0.1, 1.0, 10.0)]
    >>> jobs = (([ascending], Gram(Gaussian(gamma), X)) for gamma in (0.1, 1.0))
    >>> for ((*_, last),) in solve_series(jobs):
    ...     print(last.status)
    converged
    converged
    """
    deadline = Deadline.after(max_time)
    made = iter(jobs)
    first = next(made, None)
    if first is None:
        return
    scheduler = Scheduler(Job(*pair) for pair in itertools.chain((first,), made))
    # A thread that ends leaves the rest to others: those who have the last sequences go on.
    workers = WorkerThreads(scheduler, first[1].n_threads)
    in_sequence = _InSequence(solver, tol, max_iter, deadline, callback, workers)
    with workers.at_work(in_sequence.take_turn):
        while True:
            workers.wait_for(lambda: scheduler.is_first_done)
            job = scheduler.give_out()
            if job is None:
                return
            yield job.solutions


class _InSequence:
    """Solves the next problem of a sequence."""

    def __init__(
        self,
        solver: str | Solver,
        tol: float,
        max_iter: int,
        deadline: Deadline,
        callback: Callback | None,
        workers: WorkerThreads,
    ) -> None:
        self.solver, self.deadline, self.workers = solver, deadline, workers
        self.options: dict[str, Any] = {"tol": tol, "max_iter": max_iter, "callback": self.watch}
        self.callback = None if callback is None else ending_all(callback)

    def watch(self, progress: Progress) -> bool:
        """Whether to stop; one callback stops all."""
        self.workers.end_if_over()
        return self.callback is not None and bool(self.callback(progress))

    def take_turn(self, turn: Turn) -> None:
        alone = self.workers.n_threads == 1
        with nullcontext() if alone else turn.job.gram.visit(1 + turn.n_elsewhere):
            self.advance(turn.job, turn.sequence)

    @without_warnings
    def advance(self, job: Job, k: int) -> None:
        if self.deadline.is_over:
            job.end(k)
            return
        if job.solver is None:
            job.solver = _choose(self.solver, job.gram.check_values())
        sequence, solved = job.sequences[k], job.solutions[k]
        pair = sequence[len(solved) - 1], sequence[len(solved)]
        known = reused(solved[-1], *pair) if solved else None
        solved.append(known or self._solve(job, pair, solved))
        if solved[-1].status == "max-time":
            job.end(k)

    def _solve(
        self, job: Job, pair: tuple[Problem, Problem], solved: Sequence[Solution]
    ) -> Solution:
        """The solution of the second of a pair of problems, from that of the first if there is."""
        is_chunked = isinstance(job.solver, Chunked)
        is_full = is_chunked and job.solver.kernel_rows == "whole"
        warm: dict[str, Any] = {}
        if solved:
            warm = carried(solved[-1], *pair)
        elif is_full:
            warm = _full(pair[1])
        if not is_chunked:
            warm = {"start": warm.get("start")}
        options = {**self.options, "max_time": self.deadline.seconds_left}
        budget = max(_BUDGET, 10 * pair[1].n_variables)
        if not (is_full and self.solver == "auto") or options["max_iter"] in range(budget):
            found: Solution = job.solver.solve(pair[1], job.gram, **options, **warm)
            return found
        options["max_iter"] = budget
        first: Solution = job.solver.solve(pair[1], job.gram, **options, **warm)
        return first if first.status != "max-iter" else self._finish(pair[1], job, first)

    def _finish(self, problem: Problem, job: Job, first: Solution) -> Solution:
        """Go on where pair steps were too many: by the active set if few variables are free."""
        is_free = (first.coef > problem.lower) & (first.coef < problem.upper)
        is_small = np.count_nonzero(is_free) <= MOST_FREE and job.gram.is_positive_definite
        solver = ActiveSet() if is_small else job.solver
        options = {**self.options, "max_time": self.deadline.seconds_left}
        last: Solution = solver.solve(problem, job.gram, start=first.coef, **options)
        return replace(
            last,
            n_iter=first.n_iter + last.n_iter,
            n_kernel=first.n_kernel + last.n_kernel,
            seconds=first.seconds + last.seconds,
        )


def _full(problem: Problem) -> dict[str, Any]:
    """Sequences tend to begin with small boxes."""
    start = full_start(problem)
    return {} if start is None else {"start": start, "may_start_at_zero": True}


def _choose(solver: str | Solver, gram: Gram) -> Any:
    """Chunks on the full matrix if that is small, else what each problem asks for."""
    fits = gram.n_rows <= _FULL_ROWS and 4 * gram.n_rows**2 <= gram.cache_bytes
    if solver in ("auto", "chunked") and fits and not gram.form.reads_python:
        return Chunked(kernel_rows="whole", chunk_size=_CHUNK)
    return resolve_solver(solver)
