"""A primal point with more digits than the coefficients have.

A coefficient next to C = 1e5 is rounded to 1e-11, and so is w = sum_i beta_i phi_i. The slack this
leaves is priced with C, and the duality gap of a perfect solution looks large. But every w' bounds
the optimal value (see :mod:`mercer.duality`): with h_i = linear_i - <w', phi_i> - m_g(i),

    P(w', m) - D = |w' - w|^2/2 + sum_i [phi_i(h_i) - h_i beta_i + ridge_i beta_i^2/2]
                   + sum_g m_g (group_sum_g - sum of beta over g).

So w' = w + sum_r delta_r phi_r over the rows of free variables, and m, are chosen such that the
slopes of these vanish:

    sum_r K_ir delta_r + shift_g(i) = gradient_i - m_g(i)        for every free variable i.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import scipy.linalg
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from mercer.duality import conjugate_gap

if TYPE_CHECKING:
    from mercer.problem import Certificate, KernelMatrix, Problem

__all__ = ["corrected_gap"]

FloatArray = NDArray[np.float64]

_MOST_FREE = 400  # free variables up to which the small system is cheap
_SMALL_GAP = 1e-7  # relative; below it there is nothing to explain
_SMALL_VIOLATION = 1e-6  # in units of the linear term; above it the point is not optimal


def corrected_gap(
    problem: Problem,
    gram: KernelMatrix,
    coef: FloatArray,
    values: FloatArray,
    certificate: Certificate,
) -> float:
    """The gap of a feasible point, or a smaller one where rounding is to blame for it.

    Parameters
    ----------
    problem : Problem
        The problem.
    gram : Gram
        The kernel values, positive semi-definite; asked for the columns of free variables.
    coef, values : ndarray of shape (n_variables,)
        The point and its kernel expansion ``K coef``.
    certificate : Certificate
        Its certificate, with a gap.
    """
    assert certificate.gap is not None
    if not _is_rounding(problem, certificate):
        return certificate.gap
    free = np.flatnonzero((coef > problem.lower) & (coef < problem.upper))
    if not 0 < len(free) <= _MOST_FREE:
        return certificate.gap
    rows, position = np.unique(problem.index[free], return_inverse=True)
    columns = gram.product(rows, np.eye(len(rows)), precision="double")
    # a variable without a group has group -1, the last entry
    level = np.append(certificate.multiplier, 0.0)
    group = problem.group.astype(np.intp)
    of_group = np.eye(problem.n_groups + 1)[group[free], : problem.n_groups]
    system = np.hstack([columns[rows][position], of_group])
    residual = certificate.gradient[free] - level[group[free]]
    # a small system of any rank: more threads would only wait for each other
    with threadpool_limits(1, user_api="blas"):
        solution = scipy.linalg.lstsq(system, residual, cond=1e-14, lapack_driver="gelsy")[0]
    delta, level[:-1] = solution[: len(rows)], level[:-1] + solution[len(rows) :]
    moved = columns @ delta
    h = problem.linear - (values + moved[problem.index]) - level[group]
    missing = problem.group_sum - problem.group_sums(coef)
    box = np.array((problem.lower, problem.upper))
    distance = 0.5 * float(delta @ moved[rows])
    gap = conjugate_gap(h, coef, problem.ridge, box) + distance + float(level[:-1] @ missing)
    return max(min(gap, certificate.gap), 0.0)


def _is_rounding(problem: Problem, certificate: Certificate) -> bool:
    """Whether the gap is large although hardly anything violates, and all bounds have a price."""
    relative = certificate.relative_gap
    return (
        relative is not None
        and _SMALL_GAP < relative < np.inf
        and certificate.violation <= _SMALL_VIOLATION * np.abs(problem.linear).max(initial=0.0)
        and bool(np.isfinite(problem.lower).all() and np.isfinite(problem.upper).all())
    )
