"""One entrance to all solvers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from mercer._floating import without_warnings
from mercer.gram import Gram
from mercer.problem import Problem, Solution, certify
from mercer.solvers.active_set.refinement import refined
from mercer.solvers.active_set.solver import ActiveSet
from mercer.solvers.baselines import Osuna, Platt, SvmFu, SvmLight
from mercer.solvers.chunked import Chunked
from mercer.solvers.linear_system import ConjugateGradient, Direct
from mercer.solvers.runs.margin import violation_unit
from mercer.solvers.runs.progress import Callback, continued
from mercer.solvers.runs.start import are_sums_worth, restore_sums
from mercer.solvers.smo.solver import Smo

__all__ = ["Auto", "Solver", "resolve_solver", "solve"]

_LIMITS = ("tol", "max_time", "callback")
_FEW_ROWS = 3000
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
    """The fastest solver for the problem, by its number of rows and the cost of its kernel.

    More than 3,000 rows go to chunks, in single and in double precision. Fewer go
    to SMO, which finishes them to rounding, and so do kernels that only Python can compute,
    whose values are better kept than computed again. Values of single precision, which allow no
    such finish, go to chunks at any size. A small problem that pair steps do not
    finish (large C, linear kernels) is finished by the active set, if its kernel is definite, and
    a linear kernel that doubles are not enough for with twice their digits.
    """

    shrinking: bool = True

    name = "auto"

    def solve(
        self, problem: Problem, gram: Gram, *, max_iter: int = -1, **options: Any
    ) -> Solution:
        """Solve ``problem`` with the solver chosen for it."""
        limits = {name: options[name] for name in _LIMITS if name in options}
        if _takes_chunks(gram):
            found = Chunked(shrinking=self.shrinking).solve(
                problem, gram, max_iter=max_iter, **options
            )
            if gram.precision == "double" and gram.is_positive_definite:
                return refined(problem, gram, found, max_iter=max_iter, **limits)
            return found
        budget = max(100_000, 50 * problem.n_variables)
        pairs = _SMO[bool(self.shrinking)]
        if max_iter in range(budget) or gram.inspect() == "refuted":
            return pairs.solve(problem, gram, max_iter=max_iter, **options)
        first = pairs.solve(problem, gram, max_iter=budget, **options)
        if first.status not in ("max-iter", "precision-limit") or first.gap is None:
            return first
        if first.status == "precision-limit":
            return refined(problem, gram, first, max_iter=max_iter, **limits)
        watch = continued(options.get("callback"), iterations=first.n_iter, seconds=first.seconds)
        rest = {**options, "start": first.coef, "callback": watch}
        if options.get("max_time") is not None:
            rest["max_time"] = max(options["max_time"] - first.seconds, 0.0)
        last = ActiveSet().solve(problem, gram, max_iter=max_iter, **rest)
        best = last if last.converged or _is_better(last, first) else first
        return replace(
            best,
            status=last.status,  # that of ``first`` is the end of its share of the steps
            n_iter=first.n_iter + last.n_iter,
            n_kernel=first.n_kernel + last.n_kernel,
            seconds=first.seconds + last.seconds,
        )


def _takes_chunks(gram: Gram) -> bool:
    """Whether chunks are the faster way.

    Seconds of SMO and of chunks, Gaussian kernel, tol=1e-3, one thread (make_classification with a
    tenth of the labels flipped):

        rows  features     C      single         double
        2000         2     1   0.008  0.005   0.010  0.008
        2000        20   100   0.074  0.035   0.087  0.068
        4500         2   100   0.885  0.043   0.893  0.050
        4500        20     1   0.095  0.033   0.126  0.064
        4500        20   100   0.499  0.242   0.643  0.426
        8000         2   100   0.923  0.115   1.349  0.125
        8000        20     1   0.265  0.066   0.414  0.187

    Up to 3,000 rows the time hardly matters, and SMO in double precision goes on to an accuracy of
    1e-11 at little cost.
    """
    if gram.kernel.form().reads_python:
        return False
    return gram.n_rows > _FEW_ROWS or gram.precision == "single"


def _is_better(last: Solution, first: Solution) -> bool:
    """By its value or, where rounding spoils that of ``first``, by what it can prove."""
    if last.objective > first.objective or last.gap is None or first.gap is None:
        return last.objective > first.objective
    return last.gap < first.gap


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
    found = resolve_solver(solver).solve(
        problem,
        gram.check_values(),
        start=start,
        tol=tol,
        max_iter=max_iter,
        max_time=max_time,
        callback=callback,
    )
    if found.status == "converged" and not np.isfinite(found.objective):
        return replace(found, status="precision-limit")
    if gram.origin is None and not are_sums_worth(problem, found.coef, found):
        return found
    return _with_sums(problem, gram, found, tol)


def _with_sums(problem: Problem, gram: Gram, found: Solution, tol: float) -> Solution:
    """The solution with group sums to the last digit: another origin relies on them."""
    coef = found.coef.copy()
    restore_sums(problem, coef)
    if np.array_equal(coef, found.coef):
        return found
    unit = violation_unit(problem, gram, coef, found)  # type: ignore[arg-type]
    certificate = certify(problem, gram, coef, accuracy=0.05 * tol * unit)
    is_lost = found.converged and not certificate.is_within(tol * unit)
    status = "precision-limit" if is_lost else found.status
    return replace(found, coef=coef, **vars(certificate), status=status)
