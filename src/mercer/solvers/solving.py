"""One entrance to all solvers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Protocol

from numpy.typing import ArrayLike

from mercer.gram import Gram
from mercer.native_kernel import reads_python
from mercer.problem import Problem, Solution
from mercer.solvers.active_set import ActiveSet
from mercer.solvers.baselines import Osuna, Platt, SvmFu, SvmLight
from mercer.solvers.chunked import Chunked
from mercer.solvers.linear_system import ConjugateGradient, Direct
from mercer.solvers.progress import Callback
from mercer.solvers.refinement import refined
from mercer.solvers.smo import Smo

__all__ = ["Auto", "Solver", "resolve_solver", "solve"]

_LIMITS = ("tol", "max_time", "callback")
_SMO = (Smo(shrinking=False), Smo(shrinking=True))  # made once: a small fit takes hardly longer


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


@dataclass(frozen=True)
class Auto:
    """The fastest solver for the problem.

    Chunks win as soon as the kernel matrix no longer fits a small cache. Small problems go
    to SMO, which finishes them to rounding, and so do kernels that only Python can compute,
    whose values are better kept than computed again. A small problem that pair steps do not
    finish (large C, linear kernels) is finished by the active set, if its kernel is definite, and
    a linear kernel that doubles are not enough for with twice their digits.
    """

    shrinking: bool = True

    name = "auto"

    def solve(
        self, problem: Problem, gram: Gram, *, max_iter: int = -1, **options: Any
    ) -> Solution:
        """Solve ``problem`` with the solver chosen for it."""
        if gram.precision == "single" and not reads_python(gram.kernel.form()):
            return Chunked(shrinking=self.shrinking).solve(
                problem, gram, max_iter=max_iter, **options
            )
        budget = max(100_000, 50 * problem.n_variables)
        pairs = _SMO[bool(self.shrinking)]
        if max_iter in range(budget) or not gram.is_positive_definite:
            return pairs.solve(problem, gram, max_iter=max_iter, **options)
        first = pairs.solve(problem, gram, max_iter=budget, **options)
        if first.status not in ("max-iter", "precision-limit"):
            return first
        if first.status == "precision-limit":
            limits = {name: options[name] for name in _LIMITS if name in options}
            return refined(problem, gram, first, max_iter=max_iter, **limits)
        rest = {**options, "start": first.coef}
        if options.get("max_time") is not None:
            rest["max_time"] = max(options["max_time"] - first.seconds, 0.0)
        last = ActiveSet().solve(problem, gram, max_iter=max_iter, **rest)
        best = last if last.converged or _is_better(last, first) else first
        return replace(
            best,
            n_iter=first.n_iter + last.n_iter,
            n_kernel=first.n_kernel + last.n_kernel,
            seconds=first.seconds + last.seconds,
        )


def _is_better(last: Solution, first: Solution) -> bool:
    """By its value or, where rounding spoils that of ``first``, by what it can prove."""
    assert last.gap is not None
    assert first.gap is not None
    return last.objective > first.objective or last.gap < first.gap


_BY_NAME: dict[str, Any] = {
    "active-set": ActiveSet,
    "auto": Auto,
    "chunked": Chunked,
    "smo": Smo,
    "direct": Direct,
    "cg": ConjugateGradient,
    "osuna": Osuna,
    "platt": Platt,
    "svmfu": SvmFu,
    "svmlight": SvmLight,
}


def resolve_solver(solver: str | Solver, *, shrinking: bool = True) -> Solver:
    """The solver object a name stands for; objects pass through."""
    if isinstance(solver, str):
        if solver not in _BY_NAME:
            raise ValueError(
                f"solver must be one of {sorted(_BY_NAME)} or a solver object, got {solver!r}"
            )
        kind = _BY_NAME[solver]
        found: Solver = kind(shrinking=shrinking) if hasattr(kind, "shrinking") else kind()
        return found
    if isinstance(solver, type) or not callable(getattr(solver, "solve", None)):
        got = f"the class {solver.__name__}" if isinstance(solver, type) else type(solver).__name__
        raise TypeError(
            f"solver must be one of {sorted(_BY_NAME)} or an object with a solve method, got {got}"
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
        "auto", "active-set", "chunked", "smo", for least squares also "direct" and "cg", for
        comparison "osuna", "platt", "svmfu" and "svmlight", or a solver object such as
        ``Chunked(chunk_size=512)``.
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
        gram.check_values(),
        start=start,
        tol=tol,
        max_iter=max_iter,
        max_time=max_time,
        callback=callback,
    )
