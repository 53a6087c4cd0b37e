"""A certificate that recomputes in double precision only what can matter.

The core says which values these are, and why that is safe (selective_certificate.hpp).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer import _core
from mercer.gram import Gram
from mercer.gram.native import Precision
from mercer.problem import Certificate, Problem, certify
from mercer.problem.certificate import certify_expansion, definiteness_at, reported, rounding_error

__all__ = ["Anchor", "KnownGradient", "product_error", "selective_certificate"]

FloatArray = NDArray[np.float64]

# A kernel value of single precision is off by about 6e-8 (root mean square, independent
# errors); thirty times that is a bound for sums of them. Double precision has 29 bits more, and
# bounds there need not be tight.
_ERROR_PER_NORM: dict[Precision, float] = {"single": 2e-6, "double": 2e-14}
_SAMPLE = 128
_FEW = 2 * _SAMPLE  # variables that are all recomputed
_SMALL_SAMPLE = 48


@dataclass(frozen=True)
class KnownGradient:
    """A gradient, a bound of its errors and its corrections so far, as certificates have them."""

    gradient: FloatArray
    error: float = 0.0
    corrections: FloatArray | None = None


@dataclass(frozen=True)
class Anchor:
    """A point whose gradient is known up to ``error``, except for ``corrections``; None is 0."""

    coef: FloatArray | None = None
    error: float = 0.0
    corrections: FloatArray | None = None


def product_error(precision: Precision, coef: FloatArray) -> float:
    """Bound of the error of a product of kernel values, at most 1, with ``coef``."""
    return _ERROR_PER_NORM[precision] * float(np.linalg.norm(coef))


def selective_certificate(
    problem: Problem,
    gram: Gram,
    coef: FloatArray,
    gradient: FloatArray,
    anchor: Anchor,
    precision: Precision = "single",
    *,
    enough: float | None = None,
    keeps_sample: bool = False,
    steps: tuple[int, int] | None = None,
) -> Certificate:
    """The certificate of ``coef``, whose ``gradient`` was followed from ``anchor``.

    For a small problem ``enough`` is what will do: up to that the violation may be a bound. The
    sample is then small, and all variables if these are few. For one of many problems on a Gram its
    kernel rows are kept.

    With the numbers of pair and Newton ``steps`` that led to it, and where that takes at most a
    fifth as long, ``coef`` is moved to its last digits by Newton steps on its free variables in
    double precision (core/chunked/polish.hpp): a violation within the tolerance becomes that of
    rounding, weights are repetitions, and no order of the rows matters, to as many digits as
    doubles have.
    """
    is_few = problem.n_variables <= _FEW
    if enough is None and is_few:
        return certify(problem, gram, coef)
    found: Any = _core.selective_certificate(
        problem._native,
        gram.native("double"),
        coef,
        gradient,
        anchor.coef,
        anchor.error,
        anchor.corrections,
        gram.lengths(),
        _options(precision, enough, is_few, keeps_sample),
        steps,
    )
    if found is None:
        return certify(problem, gram, coef)
    values, corrections, bound, report = found
    if precision == "double" and anchor.corrections is None:
        certificate = certify_expansion(problem, gram, coef, values)
        error = bound + certificate.error
        return replace(certificate, error=error, corrections=corrections)
    rounding = rounding_error(problem, gram, coef)
    return reported(
        report,
        definiteness_at(problem, gram, coef),
        error=bound + rounding,
        rounding=rounding,
        corrections=corrections,
    )


@lru_cache(maxsize=64)
def _options(
    precision: Precision, enough: float | None, is_few: bool, keeps_sample: bool
) -> _core.SelectiveOptions:
    rounding = _ERROR_PER_NORM[precision]
    if enough is None:
        return _core.SelectiveOptions(_SAMPLE, rounding, 0.0, keeps_sample)
    bound = enough if precision == "single" else 0.0
    sample = _FEW if is_few else _SMALL_SAMPLE
    return _core.SelectiveOptions(sample, rounding, bound, keeps_sample)
