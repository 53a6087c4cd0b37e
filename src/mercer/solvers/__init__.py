"""Solvers: each takes a :class:`~mercer.Problem` and returns a :class:`~mercer.Solution`."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from numpy.typing import ArrayLike

from mercer.gram import Gram
from mercer.problem import Problem, Solution
from mercer.solvers.active_set import ActiveSet
from mercer.solvers.basis import Basis
from mercer.solvers.progress import Callback, Progress
from mercer.solvers.smo import Smo
from mercer.solvers.start import feasible_start

__all__ = [
    "ActiveSet",
    "Basis",
    "Progress",
    "Smo",
    "Solver",
    "feasible_start",
    "resolve_solver",
    "solve",
]


@runtime_checkable
class Solver(Protocol):
    """Anything with a name and a ``solve`` method."""

    @property
    def name(self) -> str: ...

    def solve(
        self,
        problem: Problem,
        gram: Gram,
        *,
        start: ArrayLike | None = None,
        tol: float = 1e-3,
        max_iter: int = -1,
        max_time: float | None = None,
        callback: Callback | None = None,
    ) -> Solution: ...


_BY_NAME: dict[str, type] = {"active-set": ActiveSet, "auto": Smo, "smo": Smo}


def resolve_solver(solver: str | Solver) -> Solver:
    """The solver object a name stands for; objects pass through."""
    if isinstance(solver, str):
        if solver not in _BY_NAME:
            raise ValueError(
                f"solver must be one of {sorted(_BY_NAME)} or an object, got {solver!r}"
            )
        return _BY_NAME[solver]()
    if not isinstance(solver, Solver):
        raise TypeError(
            f"solver must be one of {sorted(_BY_NAME)} or an object with a solve method, "
            f"got {type(solver).__name__}"
        )
    return solver


def solve(
    problem: Problem,
    gram: Gram,
    solver: str | Solver = "auto",
    *,
    start: ArrayLike | None = None,
    tol: float = 1e-3,
    max_iter: int = -1,
    max_time: float | None = None,
    callback: Callback | None = None,
) -> Solution:
    """Solve a problem.

    Parameters
    ----------
    problem : Problem
        What to solve.
    gram : Gram
        Kernel values of the rows the problem refers to.
    solver : str or Solver, default="auto"
        "auto", "smo", "active-set" or a solver object such as ``Smo(selection="most-violating")``.
    start : array-like of shape (n_variables,), default=None
        Where to start; repaired if it is not feasible.
    tol : float, default=1e-3
        Largest KKT violation accepted (see the solver's ``stopping``).
    max_iter : int, default=-1
        Bound on the iterations; -1 means ``max(10**7, 100 * n_variables)``.
    max_time : float, default=None
        Bound on the seconds.
    callback : callable, default=None
        Called with a :class:`Progress` about every 50 ms; a true value ends the run.

    Returns
    -------
    Solution
        The point with its certificate; ``status`` says how the run ended.
    """
    if not tol >= 0:
        raise ValueError(f"tol must not be negative, got {tol!r}")
    if len(problem.index) and problem.index.max() >= gram.n_rows:
        raise ValueError(
            f"problem.index refers to row {problem.index.max()}, but gram has {gram.n_rows} rows"
        )
    return resolve_solver(solver).solve(
        problem,
        gram,
        start=start,
        tol=tol,
        max_iter=max_iter,
        max_time=max_time,
        callback=callback,
    )
