"""How good a point of a multiclass problem is, in float64 and independent of any solver."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer.gram import Gram
from mercer.multiclass.primal import least_gap
from mercer.multiclass.problem import MulticlassProblem
from mercer.problem import Certificate

__all__ = [
    "assess_multiclass",
    "certify_multiclass",
    "expand_multiclass",
    "is_full",
    "row_violations",
    "variable_violations",
]

FloatArray = NDArray[np.float64]
_U = 2.0**-53
_FULL = 1.0 - 1e-12  # share of its bound from which on a sum of variables is at it


def certify_multiclass(problem: MulticlassProblem, gram: Gram, alpha: ArrayLike) -> Certificate:
    """Certificate of a point, recomputed in float64 and independent of any solver.

    Parameters
    ----------
    problem : MulticlassProblem
        The problem the point belongs to.
    gram : Gram
        The kernel values; only ``product`` is asked for, once.
    alpha : array-like of shape (n_classes, n_rows)
        The point; entries of own classes are 0.

    Returns
    -------
    Certificate
        ``gradient`` has the shape of ``alpha``; there are no multipliers.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import Gram
    >>> from mercer.kernels import Linear
    >>> from mercer.multiclass import certify_multiclass, multiclass_problem
    >>> problem = multiclass_problem("crammer-singer", np.array([0, 1, 2]), 3)
    >>> gram = Gram(Linear(), [[0.0], [1.0], [2.0]])
    >>> certificate = certify_multiclass(problem, gram, np.zeros((3, 3)))
    >>> certificate.objective
    0.0
    """
    point = np.ascontiguousarray(alpha, dtype=np.float64)
    if point.shape != problem.shape:
        raise ValueError(f"alpha must have shape {problem.shape}, got {point.shape}")
    if not np.isfinite(point).all():
        raise ValueError("alpha must be finite")
    if gram.n_rows != problem.n_rows:
        raise ValueError(f"gram must have {problem.n_rows} rows, got {gram.n_rows}")
    return assess_multiclass(problem, gram, point, expand_multiclass(problem, gram, point))


def expand_multiclass(problem: MulticlassProblem, gram: Gram, alpha: FloatArray) -> FloatArray:
    """Values f of all classes at all rows, in double precision: shape (n_classes, n_rows)."""
    used = np.flatnonzero(alpha.any(axis=0))
    if not len(used):
        return np.zeros(problem.shape)
    coef = problem.coefficients(alpha)[:, used]
    return np.ascontiguousarray(gram.product(used, coef.T, precision="double").T)


def assess_multiclass(
    problem: MulticlassProblem, gram: Gram, alpha: FloatArray, values: FloatArray
) -> Certificate:
    """Certificate of a point whose ``values`` f are known in float64.

    With |w|^2 = sum_ip alpha_ip <nu_p, f(x_i)> both values are sums over rows.
    """
    slope = problem.slopes(values)
    each = (alpha * slope).sum(axis=0)
    objective = 0.5 * problem.scale * float(problem.margin * alpha.sum() + each.sum())
    coef = problem.coefficients(alpha)
    definiteness = gram.definiteness
    if definiteness == "unknown":
        definiteness = gram.inspect(np.abs(coef).max(axis=0))
    is_bound = definiteness != "refuted"
    gap = problem.scale * least_gap(problem, alpha, slope) if is_bound else None
    rounding = _rounding(problem, gram, coef, values)
    return Certificate(
        gradient=slope,
        multiplier=np.empty(0),
        objective=objective,
        primal=None if gap is None else objective + gap,
        gap=gap,
        violation=float(row_violations(problem, alpha, slope).max(initial=0.0)),
        infeasibility=_infeasibility(problem, alpha),
        error=rounding,
        rounding=rounding,
        definiteness=definiteness,
    )


def row_violations(problem: MulticlassProblem, alpha: FloatArray, slope: FloatArray) -> FloatArray:
    """Largest KKT violation of the variables of each row."""
    if not problem.one_slack:
        return variable_violations(problem, alpha, slope).max(axis=0, initial=0.0)
    top, bottom = _slope_range(problem, alpha, slope)
    return np.where(problem.upper > 0.0, top - bottom, 0.0)


def variable_violations(
    problem: MulticlassProblem, alpha: FloatArray, slope: FloatArray
) -> FloatArray:
    """KKT violation of each variable.

    A variable is optimal if its slope is <= 0 where it may rise and >= 0 where it may fall. With
    one slack what its sum leaves of the bound is one more variable, of slope 0, and no variable
    that may fall must have a smaller slope than another; it takes the place of the own class.
    """
    rise, fall = slope, slope
    if problem.one_slack:
        top, bottom = _slope_range(problem, alpha, slope)
        rise, fall = slope - bottom, slope - top
    may_rise = (alpha < problem.upper) | (problem.one_slack & (problem.upper > 0.0))
    rise = np.where(may_rise, rise, 0.0)
    return np.maximum(rise, np.where(alpha > 0.0, -fall, 0.0))


def _slope_range(
    problem: MulticlassProblem, alpha: FloatArray, slope: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Of rows with one slack the largest slope, and the smallest of what may fall."""
    top = slope.max(axis=0)
    bottom = np.where(alpha > 0.0, slope, top).min(axis=0)
    return top, np.where(is_full(problem, alpha), bottom, np.minimum(bottom, 0.0))


def is_full(problem: MulticlassProblem, alpha: FloatArray) -> NDArray[np.bool_]:
    """Whether the variables of each row add up to their bound, up to rounding."""
    return np.asarray(alpha.sum(axis=0) >= _FULL * problem.upper)


def _infeasibility(problem: MulticlassProblem, alpha: FloatArray) -> float:
    """Largest violation of a bound, relative to the largest coefficient."""
    largest = float(np.abs(alpha).max(initial=0.0))
    if largest == 0.0:
        return 0.0
    total = alpha.sum(axis=0) if problem.one_slack else alpha.max(axis=0)
    over = float((total - problem.upper).max(initial=0.0))
    wrong = max(over, -float(alpha.min()), float(np.abs(alpha[problem.own]).max()))
    return min(wrong / largest, 1.0)


def _rounding(
    problem: MulticlassProblem, gram: Gram, coef: FloatArray, values: FloatArray
) -> float:
    """Bound of what rounding does to slopes: that of two values for relative margins."""
    count = 2.0 if problem.margins == "relative" else 1.0
    of_values = max(gram.expansion_error(row) for row in coef)
    size = problem.margin + count * float(np.abs(values).max(initial=0.0))
    return count * of_values + 4.0 * _U * size
