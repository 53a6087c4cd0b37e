"""Which solver a problem goes to."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Literal

import numpy as np

from mercer.gram import Gram
from mercer.problem import Problem, Solution
from mercer.solvers.active_set.refinement import refined
from mercer.solvers.active_set.solver import ActiveSet
from mercer.solvers.chunked import Chunked
from mercer.solvers.runs.progress import continued
from mercer.solvers.smo.solver import Smo

__all__ = ["LEAST_STEPS", "MOST_FREE", "SMO", "Auto", "is_matrix_cheap"]

LEAST_STEPS = 100_000  # of a solver before another one takes over
# Free variables beyond which chunks go on, with so many times the steps, before the active set has
# its turn: NuSVR of 1,536 rows at C = 100, 1,242 free, took 16 s and takes 0.5.
MOST_FREE, _MORE = 500, 20
_LIMITS = ("tol", "max_time", "callback")
_FEW_ROWS = 3000
_FEWEST_ROWS, _FEWEST_WIDE_ROWS, _WIDE = 200, 40, 256
_SMALL_MATRIX, _LARGE_MATRIX, _WIDE_ROWS = 1536, 4096, 32
SMO = (Smo(shrinking=False), Smo(shrinking=True))  # made once: a small fit takes hardly longer


@dataclass(frozen=True)
class Auto:
    """The fastest solver for the problem, by its number of rows and the cost of its kernel.

    More than 200 rows (40 of at least 256 dense features) go to chunks in single precision: up to
    3,000 rows if double precision was not asked for, beyond that in both. Fewer go to SMO in double
    precision, which finishes them to rounding, and so do kernels that only Python can compute,
    whose values are better kept than computed again, and what single precision left unfinished. A
    small problem that pair steps do not finish (large C, linear kernels) is finished by the active
    set, if its kernel is definite and few variables are free, and a linear kernel that doubles are
    not enough for with twice their digits.
    """

    shrinking: bool = True

    name = "auto"

    def solve(
        self, problem: Problem, gram: Gram, *, max_iter: int = -1, **options: Any
    ) -> Solution:
        """Solve ``problem`` with the solver chosen for it."""
        if _takes_chunks(gram):
            chunks = self._chunks(problem, gram)
            found = chunks.solve(problem, gram, max_iter=max_iter, **options)
            if gram.precision == "double" and gram.is_positive_definite:
                return refined(problem, gram, found, max_iter=max_iter, **_limits(options))
            return found
        if not _starts_in_single(problem, gram):
            return self._in_double(problem, gram, max_iter, options)
        chunks = self._chunks(problem, gram, single_only=True)
        found = _limited(chunks, problem, gram, max_iter, _budget(problem), options)
        if found.status == "max-iter" and _has_many_free(problem, found):
            found = self._in_more_chunks(problem, gram, found, max_iter, options)
        is_over = found.status == "max-iter" and 0 <= max_iter <= found.n_iter
        if is_over or found.status not in ("max-iter", "precision-limit"):
            return found
        left, rest = _left(max_iter, found), _rest(found, options)
        last = self._in_double(problem, gram, left, rest)
        return _with_costs(last, found, last)

    def _in_more_chunks(
        self, problem: Problem, gram: Gram, found: Solution, max_iter: int, options: dict[str, Any]
    ) -> Solution:
        """Go on in chunks of both precisions; with many free variables the active set is slow."""
        left, budget = _left(max_iter, found), _MORE * _budget(problem)
        chunks = self._chunks(problem, gram)
        last = _limited(chunks, problem, gram, left, budget, _rest(found, options))
        return _with_costs(last, found, last)

    def _chunks(self, problem: Problem, gram: Gram, *, single_only: bool = False) -> Chunked:
        return _chunked(self.shrinking, _kernel_rows(problem, gram), single_only)

    def _in_double(
        self, problem: Problem, gram: Gram, max_iter: int, options: dict[str, Any]
    ) -> Solution:
        """Pair steps and Newton steps, and the active set where they do not end."""
        budget = _budget(problem)
        pairs = SMO[bool(self.shrinking)]
        if max_iter in range(budget) or gram.inspect() == "refuted":
            return pairs.solve(problem, gram, max_iter=max_iter, **options)
        first = pairs.solve(problem, gram, max_iter=budget, **options)
        if first.status not in ("max-iter", "precision-limit") or first.gap is None:
            return first
        if first.status == "precision-limit":
            first = refined(problem, gram, first, max_iter=max_iter, **_limits(options))
            if first.status != "precision-limit" or first.violation <= options.get("tol", 0.0):
                return first
        elif _has_many_free(problem, first) and not gram.form.reads_python:
            first = self._in_more_chunks(problem, gram, first, max_iter, options)
            if first.status not in ("max-iter", "precision-limit"):
                return first
        # pair steps that follow rounding may end far from the optimum
        last = ActiveSet().solve(problem, gram, max_iter=max_iter, **_rest(first, options))
        best = last if last.converged or _is_better(last, first) else first
        return _with_costs(best, first, last)


@cache
def _chunked(shrinking: bool, kernel_rows: Literal["auto", "whole"], single_only: bool) -> Chunked:
    return Chunked(shrinking=shrinking, kernel_rows=kernel_rows, single_only=single_only)


def _budget(problem: Problem) -> int:
    """Steps of one solver before another one takes over."""
    return max(LEAST_STEPS, 50 * problem.n_variables)


def _limited(
    solver: Any, problem: Problem, gram: Gram, max_iter: int, budget: int, options: dict[str, Any]
) -> Solution:
    """A solver with so many steps, or ``max_iter`` if these are fewer."""
    steps = max_iter if max_iter in range(budget) else budget
    found: Solution = solver.solve(problem, gram, max_iter=steps, **options)
    return found


def _left(max_iter: int, found: Solution) -> int:
    """What is left of ``max_iter``, which may be -1 for no bound."""
    return max_iter if max_iter < 0 else max_iter - found.n_iter


def _has_many_free(problem: Problem, found: Solution) -> bool:
    is_free = (found.coef > problem.lower) & (found.coef < problem.upper)
    return bool(np.count_nonzero(is_free) > MOST_FREE)


def _limits(options: dict[str, Any]) -> dict[str, Any]:
    return {name: options[name] for name in _LIMITS if name in options}


def _rest(first: Solution, options: dict[str, Any]) -> dict[str, Any]:
    """The options of a solver that goes on from ``first``."""
    watch = continued(
        options.get("callback"),
        iterations=first.n_iter,
        seconds=first.seconds,
        least=first.objective,
    )
    rest = {**options, "start": first.coef, "callback": watch}
    if options.get("max_time") is not None:
        rest["max_time"] = max(options["max_time"] - first.seconds, 0.0)
    return rest


def _with_costs(best: Solution, first: Solution, last: Solution) -> Solution:
    """One of two solutions, as ``last``, which went on from ``first``, ended."""
    return replace(
        best,
        status=last.status,
        n_iter=first.n_iter + last.n_iter,
        n_kernel=first.n_kernel + last.n_kernel,
        seconds=first.seconds + last.seconds,
    )


def _takes_chunks(gram: Gram) -> bool:
    """Whether chunks are faster in every precision.

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
    """
    if gram.form.reads_python:
        return False
    return gram.n_rows > _FEW_ROWS or gram.precision == "single"


def _starts_in_single(problem: Problem, gram: Gram) -> bool:
    """Whether few rows are solved faster in single precision than by SMO in double.

    Milliseconds of SMO, which goes on to the accuracy of doubles, and of chunks on a whole matrix,
    C = 1 and 100, of the cells of ``benchmarks/small.py``:

        features      100 rows                 300 rows                 1,000 rows
              5     0.4  0.8   0.5  0.5     0.9  3.6   0.7  1.3        6   44   3 10
             20     0.5  0.6   0.6  0.5     2.5  3.0   1.2  1.2       11   16   4  6
            100     1.0  1.5   0.9  0.7     3.9  5.6   1.5  1.7       22   27   5  8

    The polish (docs/theory/chunked.md#a-polish) takes 0.1 and 0.2 at 300 x 5, and is left out
    where it would take more than a fifth of the fit. Of wide rows fewer are enough: 100 x 1,000
    take 6.5 and 2.8, 50 x 1,000 take 2.2 and 1.4.
    """
    fewest = _FEWEST_WIDE_ROWS if gram.n_dense_features >= _WIDE else _FEWEST_ROWS
    if gram.precision_is_given or gram.n_rows <= fewest or gram.form.reads_python:
        return False
    if problem.may_be_unbounded or gram.inspect() == "refuted":
        return False
    return gram.carries_single


def _kernel_rows(problem: Problem, gram: Gram) -> Literal["auto", "whole"]:
    """Whether to compute the whole matrix: half of its values, once."""
    n, bytes_each = gram.n_rows, 4 if gram.precision == "single" else 8
    if bytes_each * n * n > gram.cache_bytes or 8 * problem.n_variables < n:
        return "auto"
    return "whole" if is_matrix_cheap(n, gram) else "auto"


def is_matrix_cheap(n_rows: int, gram: Gram) -> bool:
    """Whether the matrix of so many rows of a Gram takes less time than the values steps ask for.

    Milliseconds in single precision of chunks with a whole matrix and without, C = 1 and 100, of
    ``benchmarks/small.py cells``:

        features      1,200 rows        2,000 rows            4,000 rows
              5     4 13    5 11     10   37    8   27     23   83    14   45
             20     4  8    7 13     11   25   11   26     35  125    31  100
             40     5  9   10 16     17   26   20   41     37   79    41  125
            100     5  8   10 13     19   24   31   46     73   80    92  144
            600    21 21   53 65     64   64  147  195    206  249   443  614
                 (1,000 rows)

    One that is stored has but to be copied: a precomputed matrix of 2,000 rows takes 6 and 12, of
    4,000 rows 23 and 59, of 10,000 rows 137 and 252 (C = 1).
    """
    if n_rows <= _SMALL_MATRIX or gram.form.reads_stored:
        return True
    is_wide = gram.native().work >= _WIDE_ROWS and gram.features() is None
    return is_wide and n_rows <= _LARGE_MATRIX


def _is_better(last: Solution, first: Solution) -> bool:
    """By its value or, where rounding spoils that of ``first``, by what it can prove."""
    if last.objective > first.objective or last.gap is None or first.gap is None:
        return last.objective > first.objective
    return last.gap < first.gap
