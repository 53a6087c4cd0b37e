"""Which solver a problem goes to."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from mercer.gram import Gram
from mercer.gram.native import reads_python
from mercer.problem import Problem, Solution
from mercer.solvers.active_set.refinement import refined
from mercer.solvers.active_set.solver import ActiveSet
from mercer.solvers.chunked import Chunked
from mercer.solvers.runs.progress import continued
from mercer.solvers.smo.solver import Smo

__all__ = ["Auto"]

_LIMITS = ("tol", "max_time", "callback")
_FEW_ROWS = 3000
_SMO = (Smo(shrinking=False), Smo(shrinking=True))  # made once: a small fit takes hardly longer


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
    if reads_python(gram.kernel.form()):
        return False
    return gram.n_rows > _FEW_ROWS or gram.precision == "single"


def _is_better(last: Solution, first: Solution) -> bool:
    """By its value or, where rounding spoils that of ``first``, by what it can prove."""
    if last.objective > first.objective or last.gap is None or first.gap is None:
        return last.objective > first.objective
    return last.gap < first.gap
