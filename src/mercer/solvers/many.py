"""Many problems on one Gram: grids of C, folds, pairs of classes."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from typing import Any

from mercer import _core
from mercer.gram import Gram
from mercer.native_kernel import reads_python
from mercer.problem import Problem, Solution
from mercer.solvers.chunked import Chunked
from mercer.solvers.progress import Callback, Progress
from mercer.solvers.solving import Solver, resolve_solver
from mercer.solvers.start import full_start

__all__ = ["solve_many"]

# Largest matrix that is kept whole: some 64 MB, which a shared cache holds or nearly so.
_WHOLE_ROWS = 4000
_CHUNK = 512


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
    chosen = _choose(gram) if solver == "auto" else resolve_solver(solver)
    stopping = threading.Event()

    def watch(progress: Progress) -> bool:
        if callback is not None and callback(progress):
            stopping.set()
        return stopping.is_set()

    solutions: list[list[Solution]] = [[] for _ in chains]

    def advance(k: int) -> int:
        """Solves the next problem of a chain; returns which chain."""
        chain, solved = chains[k], solutions[k]
        at = len(solved)
        warm = carried(solved[-1], chain[at - 1], chain[at]) if at else first(chain[at])
        options = warm if isinstance(chosen, Chunked) else {"start": warm.get("start")}
        solved.append(
            chosen.solve(chain[at], gram, tol=tol, max_iter=max_iter, callback=watch, **options)
        )
        return k

    def first(problem: Problem) -> dict[str, Any]:
        """Chains tend to begin with small boxes."""
        start = full_start(problem) if isinstance(chosen, Chunked) else None
        return {} if start is None else {"start": start, "may_start_at_zero": True}

    def visit(k: int) -> int:
        with gram.visit():
            return advance(k)

    if gram.n_threads == 1 or len(chains) < 2:
        for k, chain in enumerate(chains):
            for _ in chain:
                advance(k)
        return solutions
    with ThreadPoolExecutor(gram.n_threads) as pool:
        # Chains take turns: whole ones would leave threads idle at the end.
        running = {pool.submit(visit, k) for k, chain in enumerate(chains) if chain}
        try:
            while running:
                done, running = wait(running, return_when=FIRST_COMPLETED)
                for k in (future.result() for future in done):
                    if len(solutions[k]) < len(chains[k]):
                        running.add(pool.submit(visit, k))
        except BaseException:
            stopping.set()
            raise
    return solutions


def carried(last: Solution, before: Problem, problem: Problem) -> dict[str, Any]:
    """Where to start from the solution of a problem that differs in its box, and its gradient.

    The best multiple of the last coefficients, as far as the new box allows. Groups whose sums
    are not zero fix it to 1.
    """
    may_scale = not (problem.group_sum.any() or before.group_sum.any())
    start, gradient, scale = _core.carry(
        last.coef, before.linear, last.gradient, may_scale, *problem._arrays
    )
    is_same = (problem.ridge == before.ridge).all() and (problem.index == before.index).all()
    return {
        "start": start,
        "start_gradient": gradient if is_same else None,
        "start_error": scale * last.error,
    }


def _choose(gram: Gram) -> Any:
    """Chunks on the whole matrix if that is small, else what each problem asks for."""
    if gram.n_rows <= _WHOLE_ROWS and not reads_python(gram.kernel.form()):
        return Chunked(kernel_rows="whole", chunk_size=_CHUNK)
    return resolve_solver("auto")
