"""A certificate that recomputes in double precision only what can matter.

A solver that worked in single precision knows the gradient of every variable up to an
error. With B a bound of that error, only variables whose gradient lies within 2 B of the
extremes can be extremes; these are recomputed in double precision, so the violation is that
of :func:`mercer.certify`. A sample spread over all variables checks the bound itself.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mercer.gram import Gram
from mercer.problem import Certificate, Problem, assess, certify

__all__ = ["screened_certificate"]

FloatArray = NDArray[np.float64]

# A kernel value of single precision is off by about 6e-8 (root mean square, independent
# errors); thirty times that is a bound for sums of them.
_ERROR_PER_NORM = 2e-6
_SAMPLE = 256
_OBJECTIVE_ERROR = 1e-6  # relative, up to which the objective need not be recomputed


def screened_certificate(
    problem: Problem, gram: Gram, coef: FloatArray, gradient: FloatArray
) -> Certificate:
    """The certificate of ``coef``, whose ``gradient`` is known in single precision."""
    n = problem.n_variables
    norm = float(np.sqrt(coef @ coef))
    bound = _ERROR_PER_NORM * norm * float(np.abs(gram.diagonal()).max(initial=0.0))
    objective = 0.5 * float(coef @ (problem.linear + gradient))
    # 1/2 coef' error, with errors a thirtieth of the bound and independent of each other
    if bound * norm / 60 > _OBJECTIVE_ERROR * abs(objective):
        return certify(problem, gram, coef)
    sample = np.arange(0, n, max(n // _SAMPLE, 1))
    chosen = np.union1d(sample, _near_extremes(problem, coef, gradient, 2 * bound))
    if len(chosen) > n // 2:
        return certify(problem, gram, coef)
    values = problem.linear - gradient - problem.ridge * coef
    exact = _exact_values(problem, gram, coef, chosen)
    if np.abs(exact - values[chosen]).max(initial=0.0) > bound:
        return certify(problem, gram, coef)
    values[chosen] = exact
    return assess(problem, coef, values, gram.is_positive_definite, error=bound)


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
