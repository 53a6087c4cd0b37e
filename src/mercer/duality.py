"""The duality gap of a point: how far its value can still be from the optimum.

For every scale s of w and every multiplier m, with h_i = linear_i - s (K beta)_i - m_g(i),

    P(s, m) = s^2/2 beta'K beta + sum_i phi_i(h_i) + sum_g m_g group_sum_g,
    phi_i(h) = max over lower_i <= b <= upper_i of h b - ridge_i b^2/2

bounds the optimal value of a :class:`~mercer.Problem` from above, because
-|v|^2/2 <= |s w|^2/2 - <s w, v> for every v. At s = 1 it is the primal value of the machine
with bias m. Its distance to the value D of the point itself is

    P - D = (s - 1)^2/2 beta'K beta + sum_i [phi_i(h_i) - h_i beta_i + ridge_i beta_i^2/2]
            + sum_g m_g (group_sum_g - sum of beta over g).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from mercer.problem import Problem

__all__ = ["duality_gap"]

FloatArray = NDArray[np.float64]
Mask = NDArray[np.bool_]


def duality_gap(
    problem: Problem,
    coef: FloatArray,
    values: FloatArray,
    gradient: FloatArray,
    multiplier: FloatArray,
) -> float:
    """P - D of a feasible point, infinite if no primal point is found.

    Parameters
    ----------
    problem : Problem
        The problem; the kernel must be positive semi-definite.
    coef, values, gradient : ndarray of shape (n_variables,)
        The point, its kernel expansion ``K coef`` and the gradient of the objective.
    multiplier : ndarray of shape (n_groups,)
        Multiplier of each group; any value gives a valid bound.
    """
    box = _implied_box(problem)
    infinite = np.isinf(box) & (problem.ridge == 0.0)
    if infinite.any():
        return _gap_of_scaled_primal(problem, coef, values, multiplier, box, infinite)
    weighted = _weighted_multiplier(problem, coef, gradient, multiplier)
    residual = problem.linear - values
    missing = problem.group_sum - problem.group_sums(coef)
    gaps = [
        _conjugate_gap(residual - _spread(m, problem), coef, problem.ridge, box) + m @ missing
        for m in (multiplier, weighted)
    ]
    return max(float(min(gaps)), 0.0)


def _gap_of_scaled_primal(
    problem: Problem,
    coef: FloatArray,
    values: FloatArray,
    multiplier: FloatArray,
    box: FloatArray,
    infinite: Mask,
) -> float:
    point = _bounded_primal(problem, values, multiplier, fall=infinite[0], rise=infinite[1])
    if point is None:
        return np.inf
    scale, m = point
    h = problem.linear - scale * values - _spread(m, problem)
    # what is left of the wrong sign is rounding of the scale and the shift
    h = np.where(infinite[1], np.minimum(h, 0.0), h)
    h = np.where(infinite[0], np.maximum(h, 0.0), h)
    gap = 0.5 * (scale - 1.0) ** 2 * (coef @ values)
    gap += m @ (problem.group_sum - problem.group_sums(coef))
    return max(float(gap + _conjugate_gap(h, coef, problem.ridge, box)), 0.0)


def _spread(multiplier: FloatArray, problem: Problem) -> FloatArray:
    """Multiplier of each variable's group, 0 without a group (group -1 is the last entry)."""
    return np.append(multiplier, 0.0)[problem.group]


def _conjugate_gap(
    h: FloatArray, coef: FloatArray, ridge: FloatArray, box: FloatArray
) -> np.float64:
    """Sum over i of phi_i(h_i) - (h_i beta_i - ridge_i beta_i^2/2).

    With b_i the maximizer in phi_i a term is (b_i - beta_i)(h_i - ridge_i (b_i + beta_i)/2):
    never negative, so that no digits cancel.
    """
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        best = np.minimum(np.maximum(h / ridge, box[0]), box[1])
    # 0/0: without slope and ridge every b is a maximizer
    best[np.isnan(best)] = 0.0
    return (best - coef) @ (h - 0.5 * ridge * (best + coef))


def _weighted_multiplier(
    problem: Problem, coef: FloatArray, gradient: FloatArray, multiplier: FloatArray
) -> FloatArray:
    """Mean gradient of each group, weighted by the room a variable has inside its box.

    Unlike the mean of the free variables it is not spoiled by those that a solver left next
    to a bound instead of on it.
    """
    room = np.minimum(coef - problem.lower, problem.upper - coef)
    # a variable without any bound counts as much as the largest coefficient
    room = np.minimum(np.maximum(room, 0.0), np.abs(coef).max(initial=0.0))
    total = problem.group_sums(room)
    known = total > 0.0
    mean = problem.group_sums(room * gradient) / np.where(known, total, 1.0)
    return np.where(known, mean, multiplier)


def _implied_box(problem: Problem) -> FloatArray:
    """The box (lower, upper); where it is infinite, narrowed by what the group sums imply.

    upper_i <= group_sum_g - sum of the other lower bounds of g, and the mirror image.
    """
    box = np.array((problem.lower, problem.upper))
    if np.isfinite(box).all():
        return box
    lower, upper = box
    for g, total in enumerate(problem.group_sum):
        member = problem.group == g
        low, high = problem.group_range(g)
        if np.isfinite(low):
            implied = total - (low - problem.lower[member])
            upper[member] = np.minimum(upper[member], implied)
        if np.isfinite(high):
            implied = total - (high - problem.upper[member])
            lower[member] = np.maximum(lower[member], implied)
    return box


def _bounded_primal(
    problem: Problem, values: FloatArray, multiplier: FloatArray, *, rise: Mask, fall: Mask
) -> tuple[float, FloatArray] | None:
    """A scale s of w and multipliers m whose primal value is finite, or None.

    Without upper bound and ridge phi_i is finite only for h_i <= 0 (``rise``), without lower
    bound only for h_i >= 0 (``fall``). So every group needs

        margin_g(s) = min over fall of (linear - s K beta) - max over rise of (same) >= 0,

    and m_g between the two; variables without a group have m = 0, the level of one more,
    constant variable. margin_g is concave and piecewise linear in s: Newton's method from
    s = 1 meets its first root in finitely many steps. For the hard margin (spec 004, 4.1)
    that is one step, to s = 2 / (min_+ f - max_- f).
    """
    linear, values = np.append(problem.linear, 0.0), np.append(values, 0.0)
    rise, fall = np.append(rise, True), np.append(fall, True)
    members = [np.append(problem.group == g, False) for g in range(problem.n_groups)]
    members.append(np.append(problem.group < 0, True))
    scale, rounding = 1.0, 1e-12 * (1.0 + np.abs(linear).max())
    for _ in range(50):
        residual = linear - scale * values
        rising = [np.where(rise & member, residual, -np.inf) for member in members]
        falling = [np.where(fall & member, residual, np.inf) for member in members]
        floor = np.array([level.max() for level in rising])
        ceiling = np.array([level.min() for level in falling])
        tightest = int(np.argmin(ceiling - floor))
        margin = ceiling[tightest] - floor[tightest]
        if margin >= -rounding:
            return scale, np.clip(multiplier, floor[:-1], ceiling[:-1])
        slope = values[rising[tightest].argmax()] - values[falling[tightest].argmin()]
        if slope <= -1e-15 * margin:
            return None
        scale -= margin / slope
    return None
