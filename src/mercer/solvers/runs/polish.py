"""The last digits of a point that was found in single precision, where they cost little.

Newton steps on the free variables, in double precision (core/chunked/polish.hpp), take a violation
within the tolerance to that of rounding: weights then are repetitions, and no order of the rows
matters, to as many digits as doubles have.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer import _core
from mercer.gram import Gram
from mercer.problem import Certificate, Problem, reported, rounding_error

__all__ = ["polished"]


def polished(
    problem: Problem,
    gram: Gram,
    coef: NDArray[np.float64],
    found: Certificate,
    n_steps: tuple[int, int],
) -> Certificate:
    """The certificate of a better point, which takes the place of ``coef``; or ``found``.

    That is if it takes at most a fifth of a fit of so many pair and Newton steps.
    """
    native = gram.native("double")
    rough = coef, found.gradient, found.corrections, found.error
    better: Any = _core.polish(problem._native, native, *rough, *n_steps)
    if better is None:
        return found
    corrections, report = better
    return reported(
        report,
        found.definiteness,
        error=found.error,
        rounding=rounding_error(problem, gram, coef),
        corrections=corrections,
    )
