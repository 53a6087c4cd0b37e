"""A primal point with more digits than the coefficients have.

A coefficient next to C = 1e5 is rounded to 1e-11, and so is w = sum_i beta_i phi_i. The slack this
leaves is multiplied by C, and the duality gap of a perfect solution looks large. But every w'
bounds the optimal value (see :mod:`mercer.problem.duality`): with h_i = linear_i - <w', phi_i> -
m_g(i),

    P(w', m) - D = |w' - w|^2/2 + sum_i [phi_i(h_i) - h_i beta_i + ridge_i beta_i^2/2]
                   + sum_g m_g (group_sum_g - sum of beta over g).

So w' = w + sum_r delta_r phi_r over the rows of free variables, and m, are chosen such that the
slopes of these vanish:

    sum_r K_ir delta_r + shift_g(i) = gradient_i - m_g(i)        for every free variable i.

Where kernel values are large, too (a linear kernel of raw features), the slopes themselves have no
digits left, nor has the system: they are computed anew from w with twice the digits, and the
correction is sought among all w' instead, sum_k x_ik delta_k in place of sum_r K_ir delta_r: the
condition of the rows is the root of that of the kernel matrix.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from mercer import _core
from mercer.problem.duality import conjugate_gap
from mercer.problem.inner_product import inner_product
from mercer.problem.solution import has_large_gap

if TYPE_CHECKING:
    from mercer.problem import Certificate, Problem
    from mercer.problem.certificate import KernelMatrix

__all__ = ["corrected_gap", "features_needed", "linear_features", "long_gap"]

FloatArray = NDArray[np.float64]

_MOST_ROWS = 400  # with a free variable, up to which the small system is cheap
_MOST_REGULAR_ROWS = 2000  # the same for a system with one equation per row, by Cholesky
_MOST_ENTRIES = 10**6  # the same for the entries of a system of features


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
    free = _free(problem, coef)
    rows = np.unique(problem.index[free])
    if 0 < len(rows) <= _MOST_ROWS:
        columns = gram.product(rows, np.eye(len(rows)), precision="double")
        moved, distance, multiplier = _correction(
            problem, free, certificate, columns, columns[rows]
        )
        return _gap_at(problem, coef, values + moved, distance, multiplier, certificate)
    if _MOST_ROWS < len(rows) <= _MOST_REGULAR_ROWS:
        moved, distance, multiplier = _regular_correction(problem, gram, free, certificate)
        return _gap_at(problem, coef, values + moved, distance, multiplier, certificate)
    return certificate.gap


def long_gap(
    problem: Problem,
    features: Any,
    coef: FloatArray,
    values: FloatArray,
    certificate: Certificate,
) -> float:
    """The same for a linear kernel, with ``values`` from all digits of the coefficients.

    ``features`` are the rows, an array or CSR matrix.
    """
    assert certificate.gap is not None
    free = _free(problem, coef)
    if not 0 < len(free) * features.shape[1] <= _MOST_ENTRIES:
        return certificate.gap
    moved, distance, multiplier = _correction(problem, free, certificate, features, None)
    return _gap_at(problem, coef, values + moved, distance, multiplier, certificate)


def features_needed(
    problem: Problem, gram: Any, coef: FloatArray, certificate: Certificate
) -> Any | None:
    """The rows of a linear kernel if rounding of its slopes may explain a gap that is large.

    A slope sum_j beta_j <x_j, x_i> is off by a rounding error of its largest terms at least. None
    if that explains nothing, which costs next to nothing, and for other kernels.
    """
    if not hasattr(gram, "features") or not has_large_gap(problem, certificate):
        return None
    lengths = np.sqrt(np.abs(gram.diagonal(precision="double")))
    size = inner_product(np.abs(coef), lengths[problem.index]) * float(lengths.max(initial=0.0))
    if certificate.violation > 4.0 * np.finfo(np.float64).eps * size:
        return None
    return linear_features(gram, coef)


def linear_features(gram: Any, coef: FloatArray) -> Any | None:
    """The rows of a linear kernel if their products with the coefficients stay within range."""
    if not hasattr(gram, "features"):
        return None
    largest = float(np.abs(gram.diagonal(precision="double")).max(initial=0.0))
    if not (largest < 1e200 and float(np.abs(coef).max(initial=0.0)) < 1e50):
        return None
    return gram.features()


def _free(problem: Problem, coef: FloatArray) -> NDArray[np.intp]:
    return np.flatnonzero((coef > problem.lower) & (coef < problem.upper))


def _correction(
    problem: Problem,
    free: NDArray[np.intp],
    certificate: Certificate,
    columns: Any,
    metric: FloatArray | None,
) -> tuple[FloatArray, float, FloatArray]:
    """What w' - w adds to every variable's value, |w' - w|^2/2, and the multipliers of w'.

    ``columns`` are the values of some directions at every row, ``metric`` their inner products,
    None if they are orthonormal.
    """
    # a variable without a group has group -1, the last entry
    multiplier = np.append(certificate.multiplier, 0.0)
    group = problem.group[free].astype(np.intp)
    of_group = np.eye(problem.n_groups + 1)[group, : problem.n_groups]
    of_free = columns[problem.index[free]]
    system = np.hstack([of_free.toarray() if sp.issparse(of_free) else of_free, of_group])
    residual = certificate.gradient[free] - multiplier[group]
    # a small system of any rank: more threads would only wait for each other
    with threadpool_limits(1, user_api="blas"):
        solution = scipy.linalg.lstsq(system, residual, cond=1e-14, lapack_driver="gelsy")[0]
    delta = solution[: columns.shape[1]]
    multiplier[:-1] += solution[columns.shape[1] :]
    distance = 0.5 * float(delta @ (delta if metric is None else metric @ delta))
    return (columns @ delta)[problem.index], distance, multiplier


def _regular_correction(
    problem: Problem, gram: KernelMatrix, free: NDArray[np.intp], certificate: Certificate
) -> tuple[FloatArray, float, FloatArray]:
    """The same with multipliers that are given, and one equation for each row.

    A little on the diagonal makes up for rows that depend on others, a second solve for that.
    """
    multiplier = np.append(certificate.multiplier, 0.0)
    gradient = certificate.gradient[free]
    rows, position = np.unique(problem.index[free], return_inverse=True)
    if len(rows) < len(free):
        # two free variables of a row have one gradient, and so their groups one multiplier
        multiplier[:-1] = gradient.mean()
    slope = gradient - multiplier[problem.group[free]]
    target = np.bincount(position, weights=slope) / np.bincount(position)
    kernel = gram.block(rows, rows, precision="double")
    regular = kernel + 1e-14 * float(np.trace(kernel)) * np.eye(len(rows))
    # more threads would only wait for each other
    with threadpool_limits(1, user_api="blas"):
        try:
            factor = scipy.linalg.cho_factor(regular, overwrite_a=True)
        except scipy.linalg.LinAlgError:
            return np.zeros(problem.n_variables), 0.0, multiplier
        delta = scipy.linalg.cho_solve(factor, target)
        delta += scipy.linalg.cho_solve(factor, target - kernel @ delta)
    moved = gram.product(rows, delta, precision="double")
    return moved[problem.index], 0.5 * float(delta @ moved[rows]), multiplier


def _gap_at(
    problem: Problem,
    coef: FloatArray,
    values: FloatArray,
    distance: float,
    multiplier: FloatArray,
    certificate: Certificate,
) -> float:
    """P(w', m) - D, or the gap known before if that is smaller."""
    assert certificate.gap is not None
    h = problem.linear - values - multiplier[problem.group]
    missing = problem.group_sum - problem.group_sums(coef)
    box = np.array((problem.lower, problem.upper))
    gap = conjugate_gap(h, coef, problem.ridge, box) + distance + float(multiplier[:-1] @ missing)
    return max(min(gap, certificate.gap), 0.0)


def _is_rounding(problem: Problem, certificate: Certificate) -> bool:
    """Whether the gap is large although hardly anything violates."""
    return has_large_gap(problem, certificate) and (
        certificate.violation <= _core.SMALL_VIOLATION * np.abs(problem.linear).max(initial=0.0)
    )
