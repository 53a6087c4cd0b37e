"""A certificate that recomputes in double precision only what can matter.

A solver that worked in single precision knows the gradient of every variable up to an
error. With B a bound of that error, only variables whose gradient lies within 2 B of the
extremes can be extremes; these are recomputed in double precision, so the violation is that
of :func:`mercer.certify`. Where errors could show in the objective, every variable with a
coefficient is recomputed, too.

Errors are sums of many independent roundings. B is eight times the largest one in a sample
spread over all variables: some twenty standard deviations. Distances of rows that lie far out
are rounded most: the farthest are recomputed always, and the ones next to them are part of the
sample. Errors beyond what rounding explains are not relied on.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from mercer.gram import Gram
from mercer.inner_product import inner_product
from mercer.native_kernel import Precision
from mercer.problem import Certificate, Problem, assess, certify, certify_expansion

__all__ = ["Origin", "bounded_certificate", "screened_certificate"]

FloatArray = NDArray[np.float64]

# A kernel value of single precision is off by about 6e-8 (root mean square, independent
# errors); thirty times that is a bound for sums of them. Double precision has 29 bits more, and
# bounds there need not be tight.
_ERROR_PER_NORM: dict[Precision, float] = {"single": 2e-6, "double": 2e-14}
_SUMMING = 2.0**-50  # of sums in double precision, relative to their terms
_SAFETY = 8.0
_SAMPLE = 128
_SMALL_SAMPLE = 48
_OBJECTIVE_ERROR = 1e-6  # relative, up to which the objective need not be recomputed
_MOST_CHOSEN = 0.7  # of all variables; to recompute all is as fast


@dataclass(frozen=True)
class Origin:
    """A point whose gradient is known up to ``error``."""

    coef: FloatArray
    error: float = 0.0


def screened_certificate(
    problem: Problem,
    gram: Gram,
    coef: FloatArray,
    gradient: FloatArray,
    origin: Origin,
    precision: Precision = "single",
) -> Certificate:
    """The certificate of ``coef``, whose ``gradient`` was followed from ``origin``."""
    if problem.n_variables <= 2 * _SAMPLE:
        return certify(problem, gram, coef)
    values = problem.linear - gradient - problem.ridge * coef
    sampled = _correct_sample(problem, gram, coef, values, origin, precision, _SAMPLE)
    if sampled is None:
        return certify(problem, gram, coef)
    near = _near_extremes(problem, coef, gradient, 2 * sampled.bound)
    if not sampled.shows_objective:
        near |= coef != 0.0
    chosen = np.flatnonzero(near)
    if len(chosen) > _MOST_CHOSEN * problem.n_variables:
        return certify(problem, gram, coef)
    exact = _exact_values(problem, gram, coef, chosen)
    if np.abs(exact - values[chosen]).max(initial=0.0) > sampled.bound:
        return certify(problem, gram, coef)
    values[chosen] = exact
    if precision == "double" and origin.error == 0.0:
        return replace(certify_expansion(problem, gram, coef, values), error=sampled.bound)
    return assess(problem, coef, values, gram.is_positive_definite, error=sampled.bound)


def bounded_certificate(
    problem: Problem, gram: Gram, coef: FloatArray, gradient: FloatArray, origin: Origin
) -> Certificate | None:
    """The same from a small sample alone: the violation is a bound, 2 B above the one found.

    None if the sample does not allow that.
    """
    values = problem.linear - gradient - problem.ridge * coef
    bound = origin.error
    if not np.array_equal(coef, origin.coef):
        sampled = _correct_sample(problem, gram, coef, values, origin, "single", _SMALL_SAMPLE)
        if sampled is None or not sampled.shows_objective:
            return None
        bound = sampled.bound
    found = assess(problem, coef, values, gram.is_positive_definite, error=bound)
    return replace(found, violation=found.violation + 2 * bound)


@dataclass(frozen=True)
class _Sampled:
    """A bound of errors, and whether the objective can be read off in spite of them."""

    bound: float
    shows_objective: bool


def _correct_sample(
    problem: Problem,
    gram: Gram,
    coef: FloatArray,
    values: FloatArray,
    origin: Origin,
    precision: Precision,
    size: int,
) -> _Sampled | None:
    """Recomputes a sample of ``values``; returns a bound of the errors of the others.

    None if rounding does not explain the errors found.
    """
    sample, outermost = _sample(problem, gram, size)
    chosen = np.concatenate((sample, outermost))
    exact = _exact_values(problem, gram, coef, chosen)
    errors = np.abs(exact - values[chosen])[: len(sample)]
    values[chosen] = exact
    with np.errstate(over="ignore", invalid="ignore"):
        moved, norm = _norm(coef - origin.coef), _norm(coef)
        objective = inner_product(coef, problem.linear - 0.5 * (values + problem.ridge * coef))
    largest = float(np.abs(gram.diagonal()).max(initial=0.0))
    summing = _SUMMING * float(np.abs(coef).sum()) * largest
    expected = _ERROR_PER_NORM[precision] * moved * largest + summing
    found = float(errors.max(initial=0.0))
    if not found <= origin.error + expected:
        return None
    # 1/2 coef' error, with errors independent of each other
    has_coef = coef[sample] != 0.0
    counting = errors[has_coef] if has_coef.any() else errors
    doubt = 0.5 * norm * float(np.sqrt(np.mean(counting**2))) if len(counting) else 0.0
    # the errors of the origin are as they were: those of the sample may have been corrected there
    bound = origin.error + min(expected, max(_SAFETY * found, summing))
    return _Sampled(bound, doubt <= _OBJECTIVE_ERROR * abs(objective))


def _norm(v: FloatArray) -> float:
    return inner_product(v, v) ** 0.5


def _sample(problem: Problem, gram: Gram, size: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Variables to check the bound on, and those whose rows lie farthest out.

    Half of the sample is spread over all variables, half is the next in length.
    """
    n, lengths = problem.n_variables, gram.lengths()
    if lengths is None or n <= size:
        return np.arange(0, n, max(n // size, 1)), np.arange(0)
    spread = np.arange(0, n, max(2 * n // size, 1))
    order = np.argpartition(lengths[problem.index], (n - size, n - size // 2))
    outermost = order[n - size // 2 :]
    sample = np.concatenate((spread, order[n - size : n - size // 2]))
    is_outermost = np.zeros(n, dtype=bool)
    is_outermost[outermost] = True
    return sample[~is_outermost[sample]], outermost


def _near_extremes(
    problem: Problem, coef: FloatArray, gradient: FloatArray, band: float
) -> NDArray[np.bool_]:
    """Whether a variable may define the violation."""
    up, down = coef < problem.upper, coef > problem.lower
    near = np.zeros(problem.n_variables, dtype=bool)
    for g in range(-1, problem.n_groups):
        member = problem.group == g
        for side, sign in ((up & member, 1.0), (down & member, -1.0)):
            if side.any():
                near |= side & (sign * gradient >= (sign * gradient[side]).max() - band)
    return near


def _exact_values(
    problem: Problem, gram: Gram, coef: FloatArray, chosen: NDArray[np.intp]
) -> FloatArray:
    """(K coef) of the chosen variables in double precision."""
    row_coef = problem.row_coef(coef, gram.n_rows)
    columns = np.flatnonzero(row_coef)
    rows = problem.index[chosen]
    return gram.product(columns, row_coef[columns], rows=rows, precision="double")
