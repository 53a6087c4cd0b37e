"""The last digits of a point that was found in single precision, where they cost little.

Newton steps on the free variables, in double precision (core/chunked/polish.hpp), take a violation
within the tolerance to that of rounding: weights then are repetitions, and no order of the rows
matters, to as many digits as doubles have.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from mercer import _core
from mercer.gram import Gram
from mercer.problem import Certificate, Problem, assess, definiteness_at, rounding_error

__all__ = ["is_polish_cheap", "polished"]

_SHARE = 0.25  # of what the fit has cost: a fifth of all
_MOST_FREE = 400  # as in the core


def is_polish_cheap(problem: Problem, gram: Gram, coef: NDArray[np.float64], n_iter: int) -> bool:
    """Whether it takes at most a fifth of the fit.

    In nanoseconds on one core, of counts alone, so that results do not depend on the machine. With
    w multiplications a kernel value takes 0.35 + 0.022 w in single and 1 + 0.05 w in double
    precision, a pair step 300 + n / 2, a Newton step on m variables m^3 / 60, and what is not
    kernel values and steps a millisecond.
    """
    n, s = gram.n_rows, int(np.count_nonzero(coef))
    m = int(np.count_nonzero((coef > problem.lower) & (coef < problem.upper)))
    work = gram.native("single").work
    fit = 0.5 * n * n * (0.35 + 0.022 * work) + n_iter * (300.0 + 0.5 * n) + 1e6
    polish = (s * s + n * m) * (1.0 + 0.05 * work) + 2.0 * m**3 / 60.0
    return 0 < m <= _MOST_FREE and polish <= _SHARE * fit


def polished(
    problem: Problem, gram: Gram, coef: NDArray[np.float64], found: Certificate
) -> Certificate:
    """The certificate of a better point, which takes the place of ``coef``; or ``found``."""
    gradient = found.gradient.copy()
    corrections = np.zeros_like(coef) if found.corrections is None else found.corrections.copy()
    native = gram.native("double")
    if not _core.polish(problem._native, native, found.error, coef, gradient, corrections):
        return found
    values = problem.linear - gradient - problem.ridge * coef
    better = assess(problem, coef, values, definiteness_at(problem, gram, coef))
    rounding = rounding_error(problem, gram, coef)
    return replace(better, error=found.error, rounding=rounding, corrections=corrections)
