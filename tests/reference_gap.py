"""The duality gap of a point by arrays, to hold the core against.

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

import numpy as np
from numpy.typing import NDArray

from mercer.problem import Problem
from mercer.problem.duality import conjugate_gap
from mercer.problem.inner_product import inner_product

FloatArray = NDArray[np.float64]
Mask = NDArray[np.bool_]


def reference_gap(
    problem: Problem,
    coef: FloatArray,
    values: FloatArray,
    gradient: FloatArray,
    multiplier: FloatArray,
) -> float:
    """What :func:`mercer.problem.duality.duality_gap` must find."""
    box = _implied_box(problem)
    room, reach = np.abs(box - coef), np.abs(coef).max(initial=0.0)
    far = (room > 10.0 * reach) & (problem.ridge == 0.0)
    infinite = np.isinf(box) & far
    hard = bool(infinite.any())
    points = [] if hard else [(1.0, multiplier)]
    inside = np.minimum(room[0], room[1])
    if not hard and ((inside > 0.0) & (inside < 1e-3 * reach)).any():
        points.append((1.0, _weighted(problem, inside, reach, gradient, multiplier)))
    if far.any():
        # a bound far beyond all coefficients, on one side only: any slope has one free sign
        loose = (far & ~far[::-1]) | infinite
        if loose.any():
            points += _primal_beyond(problem, values, multiplier, loose, hard)
    missing = problem.group_sum - problem.group_sums(coef)
    gaps = [
        _gap_at(problem, coef, values, s, m, box, infinite if hard else None) + m @ missing
        for s, m in points
    ]
    return max(float(min(gaps)), 0.0) if gaps else np.inf


def _gap_at(
    problem: Problem,
    coef: FloatArray,
    values: FloatArray,
    scale: float,
    multiplier: FloatArray,
    box: FloatArray,
    infinite: Mask | None,
) -> float:
    """P(s, m) - D of a feasible point, the group sums left out."""
    # a variable without a group has group -1, the last entry
    level = np.concatenate((multiplier, (0.0,)))[problem.group]
    h = problem.linear - (values if scale == 1.0 else scale * values) - level
    if infinite is not None:
        # what is left of the wrong sign is rounding of the scale and the shift
        h = np.where(infinite[0], np.maximum(h, 0.0), h)
        h = np.where(infinite[1], np.minimum(h, 0.0), h)
    gap = conjugate_gap(h, coef, problem.ridge, box)
    return gap if scale == 1.0 else gap + 0.5 * (scale - 1.0) ** 2 * inner_product(coef, values)


def _weighted(
    problem: Problem,
    inside: FloatArray,
    reach: float,
    gradient: FloatArray,
    multiplier: FloatArray,
) -> FloatArray:
    """Mean gradient of each group, weighted by the room a variable has inside its box.

    Unlike the mean of the free variables it is not spoiled by those that a solver left next
    to a bound instead of on it. A variable without any bound counts as the largest coefficient.
    """
    weight = np.minimum(inside, reach)
    total = problem.group_sums(weight)
    known = total > 0.0
    mean = problem.group_sums(weight * gradient) / np.where(known, total, 1.0)
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


def _primal_beyond(
    problem: Problem, values: FloatArray, multiplier: FloatArray, loose: Mask, hard: bool
) -> list[tuple[float, FloatArray]]:
    """A scale s of w and multipliers m that do not price the ``loose`` bounds, if found.

    Without upper bound and ridge phi_i is finite only for h_i <= 0 (``rise``), without lower
    bound only for h_i >= 0 (``fall``). So every group needs

        margin_g(s) = min over fall of (linear - s K beta) - max over rise of (same) >= 0,

    and m_g between the two; variables without a group have m = 0, the level of one more,
    constant variable. margin_g is concave and piecewise linear in s: Newton's method from
    s = 1 meets its first root in finitely many steps. For the hard margin
    that is one step, to s = 2 / (min_+ f - max_- f). Steps aim a rounding error beyond the
    root: unless the bounds are infinite (``hard``), what is missing is priced with them.
    """
    linear, values = np.append(problem.linear, 0.0), np.append(values, 0.0)
    fall, rise = np.append(loose[0], True), np.append(loose[1], True)
    members = [np.append(problem.group == g, False) for g in range(problem.n_groups)]
    members.append(np.append(problem.group < 0, True))
    scale, rounding = 1.0, 1e-12 * (1.0 + np.abs(linear).max())
    for _ in range(20):
        residual = linear - scale * values
        rising = [np.where(rise & member, residual, -np.inf) for member in members]
        falling = [np.where(fall & member, residual, np.inf) for member in members]
        floor = np.array([level.max() for level in rising])
        ceiling = np.array([level.min() for level in falling])
        tightest = int(np.argmin(ceiling - floor))
        margin = ceiling[tightest] - floor[tightest]
        if margin >= (-rounding if hard else 0.0):
            return [(scale, np.clip(multiplier, floor[:-1], ceiling[:-1]))]
        slope = values[rising[tightest].argmax()] - values[falling[tightest].argmin()]
        if slope <= -1e-15 * margin:
            break
        scale += (rounding - margin) / slope
    return []
