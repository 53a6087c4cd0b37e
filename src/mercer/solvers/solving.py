"""One entrance to all solvers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from mercer._floating import without_warnings
from mercer.gram import Gram
from mercer.problem import Problem, Solution, certify
from mercer.solvers.active_set.solver import ActiveSet
from mercer.solvers.auto import Auto
from mercer.solvers.chunked import Chunked
from mercer.solvers.divide import Divide
from mercer.solvers.linear_system import ConjugateGradient, Direct
from mercer.solvers.runs.margin import violation_scale
from mercer.solvers.runs.progress import Callback
from mercer.solvers.runs.start import are_sums_worth
from mercer.solvers.smo.solver import Smo

__all__ = ["SOLVERS", "Solver", "resolve_solver", "solve", "solve_by"]


class Solver(Protocol):
    """Anything with a name and a ``solve`` method.

    Examples
    --------
    >>> from mercer.solvers import Smo, Solver
    >>> solver: Solver = Smo()  # what solve() and SVC(solver=) take
    >>> solver.name
    'smo'
    """

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


SOLVERS: dict[str, Any] = {
    "active-set": ActiveSet,
    "auto": Auto,
    "chunked": Chunked,
    "divide": Divide,
    "smo": Smo,
    "direct": Direct,
    "cg": ConjugateGradient,
}


def resolve_solver(solver: str | Solver, *, shrinking: bool = True) -> Solver:
    """The solver object a name stands for; objects pass through.

    Examples
    --------
    >>> from mercer.solvers.solving import resolve_solver
    >>> resolve_solver("direct")
    Direct(name='direct')
    """
    if isinstance(solver, str):
        if solver not in SOLVERS:
            raise ValueError(
                f"solver must be one of {sorted(SOLVERS)} or a solver object, got {solver!r} "
                "(mercer.lab has solvers of the literature, such as mercer.lab.Platt())"
            )
        kind = SOLVERS[solver]
        found: Solver = kind(shrinking=shrinking) if hasattr(kind, "shrinking") else kind()
        return found
    if isinstance(solver, type) or not callable(getattr(solver, "solve", None)):
        got = f"the class {solver.__name__}" if isinstance(solver, type) else type(solver).__name__
        raise TypeError(
            f"solver must be one of {sorted(SOLVERS)} or an object with a solve method, got {got}"
        )
    return solver


@without_warnings
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
        "auto", "active-set", "chunked", "divide", "smo", for least squares also "direct" and
        "cg", or a solver object such as ``Chunked(chunk_size=512)``; those of the literature are in
        :mod:`mercer.lab`.
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

    Examples
    --------
    >>> from mercer import Gram, solve
    >>> from mercer.formulations import svc
    >>> from mercer.kernels import Linear
    >>> problem = svc([-1, -1, 1, 1], C=1.0).problem
    >>> gram = Gram(Linear(), [[0.0], [1.0], [2.0], [3.0]])
    >>> solve(problem, gram, "smo", tol=1e-6).coef.round(3).tolist()
    [0.0, -1.0, 1.0, 0.0]
    """
    if not tol >= 0:
        raise ValueError(f"tol must not be negative, got {tol!r}")
    limits = {"max_iter": max_iter, "max_time": max_time, "callback": callback}
    return solve_by(resolve_solver(solver), problem, gram, start=start, tol=tol, **limits)


def solve_by(
    solver: Solver, problem: Problem, gram: Gram, *, tol: float, **options: Any
) -> Solution:
    """``solve`` by a solver object, for callers who have checked its options."""
    if problem._native.n_rows > gram.n_rows:
        raise ValueError(
            f"problem.index refers to row {problem.index.max()}, but gram has {gram.n_rows} rows"
        )
    found = solver.solve(problem, gram.check_values(), tol=tol, **options)
    if found.status == "converged" and not np.isfinite(found.objective):
        return replace(found, status="precision-limit")
    if gram.shift is None and not are_sums_worth(problem, found.coef, found):
        return found
    return _with_sums(problem, gram, found, tol)


def _with_sums(problem: Problem, gram: Gram, found: Solution, tol: float) -> Solution:
    """The solution with group sums to the last digit: shifted rows rely on them."""
    coef = found.coef.copy()
    problem._native.restore_sums(coef)
    if np.array_equal(coef, found.coef):
        return found
    scale = violation_scale(problem, gram, coef, found)
    certificate = certify(problem, gram, coef, accuracy=0.05 * tol * scale)
    is_lost = found.converged and not certificate.is_within(tol * scale)
    status = "precision-limit" if is_lost else found.status
    return replace(found, coef=coef, **vars(certificate), status=status)
