"""A certificate that recomputes in double precision only what can matter.

A solver that worked in single precision knows the gradient of every variable up to an
error. With B a bound of that error, only variables whose gradient lies within 2 B of the
extremes can be extremes; these are recomputed in double precision, so the violation is that
of :func:`mercer.certify`. The bound itself is checked on a sample spread over all variables.
Distances of rows that lie far out are rounded most: the farthest are recomputed always, and the
bound is checked on the ones next to them.
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
_SAMPLE = 256
_SMALL_SAMPLE = 32
_OBJECTIVE_ERROR = 1e-6  # relative, up to which the objective need not be recomputed


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
    n = problem.n_variables
    bound = _error_bound(problem, gram, coef, gradient, origin, precision)
    if bound is None:
        return certify(problem, gram, coef)
    sample, outermost = _sample(problem, gram, _SAMPLE)
    near = _near_extremes(problem, coef, gradient, 2 * bound)
    chosen = np.unique(np.concatenate((sample, outermost, near)))
    if len(chosen) > n // 2:
        return certify(problem, gram, coef)
    values = problem.linear - gradient - problem.ridge * coef
    exact = _exact_values(problem, gram, coef, chosen)
    error = np.abs(exact - values[chosen])
    if error[~np.isin(chosen, outermost)].max(initial=0.0) > bound:
        return certify(problem, gram, coef)
    values[chosen] = exact
    if precision == "double" and origin.error == 0.0:
        return replace(certify_expansion(problem, gram, coef, values), error=bound)
    return assess(problem, coef, values, gram.is_positive_definite, error=bound)


def bounded_certificate(
    problem: Problem, gram: Gram, coef: FloatArray, gradient: FloatArray, origin: Origin
) -> Certificate | None:
    """The same from a small sample alone: the violation is a bound, 2 B above the one found.

    None if the sample contradicts the bound.
    """
    bound = _error_bound(problem, gram, coef, gradient, origin, "single")
    if bound is None:
        return None
    values = problem.linear - gradient - problem.ridge * coef
    if not np.array_equal(coef, origin.coef):
        sample, outermost = _sample(problem, gram, _SMALL_SAMPLE)
        chosen = np.concatenate((sample, outermost))
        exact = _exact_values(problem, gram, coef, chosen)
        if np.abs(exact - values[chosen])[: len(sample)].max(initial=0.0) > bound:
            return None
        values[chosen] = exact
    found = assess(problem, coef, values, gram.is_positive_definite, error=bound)
    return replace(found, violation=found.violation + 2 * bound)


def _error_bound(
    problem: Problem,
    gram: Gram,
    coef: FloatArray,
    gradient: FloatArray,
    origin: Origin,
    precision: Precision,
) -> float | None:
    """The bound B of the error of the gradient; None if the objective would suffer from it."""
    largest = float(np.abs(gram.diagonal()).max(initial=0.0))
    with np.errstate(over="ignore", invalid="ignore"):
        moved, norm = _norm(coef - origin.coef), _norm(coef)
        objective = 0.5 * inner_product(coef, problem.linear + gradient)
    summing = _SUMMING * float(np.abs(coef).sum())
    bound = origin.error + (_ERROR_PER_NORM[precision] * moved + summing) * largest
    # 1/2 coef' error, with errors a thirtieth of the bound and independent of each other
    return bound if bound * norm / 60 <= _OBJECTIVE_ERROR * abs(objective) else None


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
    return sample[~np.isin(sample, outermost)], outermost


def _near_extremes(
    problem: Problem, coef: FloatArray, gradient: FloatArray, band: float
) -> NDArray[np.intp]:
    """Variables that may define the violation."""
    up, down = coef < problem.upper, coef > problem.lower
    near = np.zeros(problem.n_variables, dtype=bool)
    for g in range(-1, problem.n_groups):
        member = problem.group == g
        for side, sign in ((up & member, 1.0), (down & member, -1.0)):
            if side.any():
                near |= side & (sign * gradient >= (sign * gradient[side]).max() - band)
    return np.flatnonzero(near)


def _exact_values(
    problem: Problem, gram: Gram, coef: FloatArray, chosen: NDArray[np.intp]
) -> FloatArray:
    """(K coef) of the chosen variables in double precision."""
    row_coef = problem.row_coef(coef, gram.n_rows)
    columns = np.flatnonzero(row_coef)
    rows = problem.index[chosen]
    return gram.product(columns, row_coef[columns], rows=rows, precision="double")
