"""Many problems on one Gram in one native call (core/plan/plan.hpp)."""

from __future__ import annotations

from dataclasses import dataclass
from math import isqrt

import numpy as np
from numpy.typing import NDArray

from mercer import _core
from mercer.gram import Gram
from mercer.problem import Problem, Solutions
from mercer.solvers.auto import LEAST_STEPS
from mercer.solvers.runs.progress import Callback, monitor

__all__ = ["Parts", "most_variables", "solve_parts", "suits_parts"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]
BoolArray = NDArray[np.bool_]

NAME = "parts"
# Variables of a problem that one matrix serves well. Times of LIBSVM by one problem, and by chunks
# of it (C = 1 and 10, one thread):
#
#     pendigits, 1,557 rows   5.1  4.8    2.6 2.3
#     letter,    1,132 rows   7.7  8.7    5.0 5.5
#     usps,      1,214 rows   5.0  4.7    5.7 5.5
#     banana,    5,000 rows   5.6  5.3   10.4 9.7
_MOST_VARIABLES = 2500
_SAMPLE = 48  # variables that errors of single precision are measured on
_ERROR_PER_NORM = 2e-6


@dataclass(frozen=True, eq=False)
class Parts:
    """The results of many problems.

    Attributes
    ----------
    solutions : Solutions
        The points and what is known of them.
    is_final : ndarray of bool of shape (n_problems,)
        Whether a problem was solved and nothing is left to find out, or a limit or the callback
        ended its run. All others are to be solved by :func:`mercer.solvers.solve`.
    """

    solutions: Solutions
    is_final: BoolArray


def suits_parts(gram: Gram) -> bool:
    """Whether problems on a Gram can be solved so: its values are computed by the core."""
    if gram.shift is not None or gram.form.reads_python:
        return False
    return gram.inspect() != "refuted"


def most_variables(gram: Gram) -> int:
    """Variables of a problem up to which this is the way, and its matrix fits into the cache.

    Each thread has one, of which rows that are asked for take memory. How many threads there are
    must not change a result.
    """
    return min(_MOST_VARIABLES, isqrt(gram.cache_bytes // 8))


def solve_parts(
    problem: Problem,
    offsets: IntArray,
    gram: Gram,
    *,
    tol: float,
    group_sums: FloatArray | None = None,
    blocks: IntArray | None = None,
    start: FloatArray | None = None,
    max_iter: int = -1,
    max_time: float | None = None,
    callback: Callback | None = None,
) -> Parts:
    """Solve problems that lie one after the other in the arrays of one.

    Threads of the Gram take one after the other; results do not depend on their number. Ctrl-C
    ends the call, an error of the callback too.

    Parameters
    ----------
    problem : Problem
        Variables ``offsets[k]`` to ``offsets[k + 1]`` are problem k, with these group sums.
    offsets : ndarray of shape (n_problems + 1,)
        Ascending.
    gram : Gram
        Kernel values, of rows that are not shifted.
    tol : float
        Largest KKT violation accepted.
    group_sums : ndarray of shape (n_problems, n_groups), default=None
        Those of each problem, if they differ.
    blocks : ndarray of int, default=None
        Offsets ``0, ..., n_rows`` of rows that are the same in several problems: their values
        among each other are kept.
    start : ndarray of shape (n_variables,), default=None
        A feasible point of every problem; None means zero. Where there are ``group_sums`` the box
        must hold it, and its sums are filled (docs/theory/smo.md#where-to-start).
    max_iter : int, default=-1
        Bound on the pair steps of each problem.
    max_time : float, default=None
        Bound on the seconds of all of them together.
    callback : callable, default=None
        Called about every 50 ms with the :class:`~mercer.solvers.Progress` of all problems
        together. A true value ends all of them.

    Returns
    -------
    Parts
    """
    coef = np.zeros(problem.n_variables) if start is None else np.array(start, dtype=np.float64)
    gradient = np.zeros(problem.n_variables)
    is_single = gram.carries_single and not (gram.precision_is_given and gram.precision == "double")
    raw, multiplier = _core.solve_parts(
        problem._native,
        offsets,
        group_sums,
        gram.native("double"),
        gram.native("single") if is_single else None,
        blocks,
        gram.lengths(),
        np.atleast_1d(np.asarray(gram.rounding, dtype=np.float64)),
        _options(gram, tol, max_iter, max_time),
        coef,
        gradient,
        monitor(callback),
    )
    status = np.array(raw["status"], dtype=object)
    is_ended = (status == "max-iter") & (max_iter >= 0) | (status == "max-time")
    is_ended |= (status == "callback").any()  # others must not begin anew
    row_sizes: FloatArray = np.bincount(
        problem.index, weights=np.abs(coef), minlength=gram.n_rows
    ).astype(np.float64)
    solutions = Solutions(
        coef=coef,
        gradient=gradient,
        offsets=offsets,
        multiplier=multiplier,
        fields={
            "objective": raw["objective"],
            "primal": raw["objective"] + raw["gap"],
            "gap": raw["gap"],
            "violation": raw["violation"],
            "infeasibility": raw["infeasibility"],
            "error": raw["error"] + raw["rounding"],
            "rounding": raw["rounding"],
            "n_iter": raw["iterations"],
            "n_kernel": raw["evaluations"],
            "seconds": raw["seconds"],
            "status": status,
        },
        counters={name: raw[name] for name in ("iterations", "newton_steps", "rows_computed")},
        definiteness=gram.inspect(row_sizes),
        solver=NAME,
        others={},
    )
    is_known = gram.definiteness != "refuted"
    return Parts(solutions, (raw["is_solved"] | is_ended) & is_known)


def _options(gram: Gram, tol: float, max_iter: int, max_time: float | None) -> _core.PlanOptions:
    options = _core.PlanOptions()
    options.tolerance = tol
    options.max_iterations = max_iter if max_iter >= 0 else LEAST_STEPS
    options.max_seconds = 1e300 if max_time is None else max_time
    options.most_variables = most_variables(gram)
    options.has_features = gram.features() is not None
    options.certificate = _core.SelectiveOptions(_SAMPLE, _ERROR_PER_NORM, tol, False)
    return options
