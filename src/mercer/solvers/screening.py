"""A certificate that recomputes in double precision only what can matter.

Which values those are, and what makes that safe, stands in the core (screening.hpp).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer import _core
from mercer.gram import Gram
from mercer.native_kernel import Precision
from mercer.problem import Certificate, Problem, assess, certify, certify_expansion

__all__ = ["Origin", "bounded_certificate", "screened_certificate"]

FloatArray = NDArray[np.float64]

# A kernel value of single precision is off by about 6e-8 (root mean square, independent
# errors); thirty times that is a bound for sums of them. Double precision has 29 bits more, and
# bounds there need not be tight.
_ERROR_PER_NORM: dict[Precision, float] = {"single": 2e-6, "double": 2e-14}
_SAMPLE = 128
_SMALL_SAMPLE = 48


@dataclass(frozen=True)
class Origin:
    """A point whose gradient is known up to ``error``; None is the point 0."""

    coef: FloatArray | None = None
    error: float = 0.0


def screened_certificate(
    problem: Problem,
    gram: Gram,
    coef: FloatArray,
    gradient: FloatArray,
    origin: Origin,
    precision: Precision = "single",
    *,
    keeps_rows: bool = False,
) -> Certificate:
    """The certificate of ``coef``, whose ``gradient`` was followed from ``origin``.

    ``keeps_rows``: whether others will ask for the same kernel rows.
    """
    if problem.n_variables <= 2 * _SAMPLE:
        return certify(problem, gram, coef)
    options = _core.ScreeningOptions(_SAMPLE, _ERROR_PER_NORM[precision], True, keeps_rows)
    found = _screen(problem, gram, coef, gradient, origin, options)
    if found is None:
        return certify(problem, gram, coef)
    values, bound, _, report = found
    if precision == "double" and origin.error == 0.0:
        return replace(certify_expansion(problem, gram, coef, values), error=bound)
    return assess(problem, coef, values, gram.is_positive_definite, bound, report)


def bounded_certificate(
    problem: Problem, gram: Gram, coef: FloatArray, gradient: FloatArray, origin: Origin
) -> Certificate | None:
    """The same from a small sample alone: the violation is a bound, 2 B above the one found.

    None if the sample does not allow that. Kernel rows are kept.
    """
    options = _core.ScreeningOptions(_SMALL_SAMPLE, _ERROR_PER_NORM["single"], False, True)
    found = _screen(problem, gram, coef, gradient, origin, options)
    if found is None:
        return None
    values, bound, shows_objective, report = found
    if not shows_objective:
        return None
    certificate = assess(problem, coef, values, gram.is_positive_definite, bound, report)
    return replace(certificate, violation=certificate.violation + 2 * bound)


def _screen(
    problem: Problem,
    gram: Gram,
    coef: FloatArray,
    gradient: FloatArray,
    origin: Origin,
    options: Any,
) -> Any:
    """Values, a bound of their errors, whether they show the objective, a report; or None."""
    return _core.screen(
        gram.native("double"),
        coef,
        gradient,
        origin.coef,
        origin.error,
        gram.lengths(),
        options,
        *problem._arrays,
    )
