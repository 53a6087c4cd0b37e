"""Many problems on one Gram: grids of C, folds, pairs of classes."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.gram import Gram
from mercer.native_kernel import reads_python
from mercer.problem import Problem, Solution
from mercer.solvers.chunked import Chunked
from mercer.solvers.progress import Callback, Progress
from mercer.solvers.solving import Solver, resolve_solver, solve

__all__ = ["solve_many"]

# Largest matrix that is kept whole: some 64 MB, which a shared cache holds or nearly so.
_WHOLE_ROWS = 4000


def solve_many(
    chains: Sequence[Sequence[Problem]],
    gram: Gram,
    solver: str | Solver = "auto",
    *,
    tol: float = 1e-3,
    max_iter: int = -1,
    callback: Callback | None = None,
) -> list[list[Solution]]:
    """Solve many problems that share their kernel values.

    The problems of a chain are solved one after the other, each from the solution of the one
    before it; chains are independent of each other and share the threads of ``gram``. So a
    grid search over C by cross-validation is one chain for each fold, with C ascending; a row
    is held out by a box of [0, 0], and its decision value is in the solution's gradient.

    Parameters
    ----------
    chains : sequence of sequences of Problem
        The problems. Those of one chain must have as many variables as each other.
    gram : Gram
        Kernel values of the rows all problems refer to. Up to 4,000 rows "auto" computes
        the whole matrix once.
    solver : str or Solver, default="auto"
        As for :func:`solve`.
    tol, max_iter, callback
        As for :func:`solve`, for each problem. A true value of ``callback`` ends all of them.

    Returns
    -------
    list of lists of Solution
        In the order of ``chains``.
    """
    chosen = _choose(chains, gram) if solver == "auto" else resolve_solver(solver)
    stopping = threading.Event()

    def watch(progress: Progress) -> bool:
        if callback is not None and callback(progress):
            stopping.set()
        return stopping.is_set()

    def follow(chain: Sequence[Problem]) -> list[Solution]:
        solutions: list[Solution] = []
        for problem in chain:
            start = None if not solutions else carried(solutions[-1], chain[0], problem)
            solutions.append(
                solve(
                    problem,
                    gram,
                    chosen,
                    start=start,
                    tol=tol,
                    max_iter=max_iter,
                    callback=watch,
                )
            )
        return solutions

    if gram.n_threads == 1 or len(chains) < 2:
        return [follow(chain) for chain in chains]
    with ThreadPoolExecutor(gram.n_threads) as pool:
        try:
            return list(pool.map(follow, chains))
        except BaseException:
            stopping.set()
            raise


def carried(last: Solution, before: Problem, problem: Problem) -> NDArray[np.float64]:
    """Where to start from the solution of a problem that differs in its box.

    Of all multiples t of the last coefficients the best one, as far as the new box allows:

        d/dt (t linear' coef - t^2 / 2 coef' H coef) = 0,  H coef = linear - gradient

    Small boxes are full, and the whole solution grows with them; in large ones it stays.
    Groups whose sums are not zero fix t = 1.
    """
    if problem.group_sum.any() or before.group_sum.any():
        return last.coef
    slope = float(problem.linear @ last.coef)
    curvature = float(last.coef @ (before.linear - last.gradient))
    if not (slope > 0 and curvature > 0):
        return last.coef
    bound = np.where(last.coef > 0, problem.upper, problem.lower)
    used = last.coef != 0
    room = float((bound[used] / last.coef[used]).min(initial=np.inf))
    return last.coef * max(min(slope / curvature, room), 0.0)


def _choose(chains: Sequence[Sequence[Problem]], gram: Gram) -> Any:
    """The whole matrix where all problems fit it, else what each problem asks for."""
    fits = gram.n_rows <= _WHOLE_ROWS and not reads_python(gram.kernel.form())
    if fits and all(_fits_whole(problem, gram) for chain in chains for problem in chain):
        return Chunked(kernel_rows="whole")
    return resolve_solver("auto")


def _fits_whole(problem: Problem, gram: Gram) -> bool:
    """One variable for each row, in order, in one group or none, and no ridge."""
    return (
        problem.n_variables == gram.n_rows
        and problem.n_groups <= 1
        and not problem.ridge.any()
        and bool((problem.group == problem.n_groups - 1).all())
        and bool((problem.index == np.arange(gram.n_rows)).all())
        and bool(np.isfinite(problem.upper - problem.lower).all())
    )
