"""Between two solutions of a path: how far from optimal a chord can be.

In a = coef/C and t = 1/C neither the box nor the sum depends on C. So every point of the chord
between the solutions at two values of t is feasible, and the slope of a variable there,
t linear - (K + ridge) a - t b, is the mean of its slopes at the two ends.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mercer.paths.exact.start import at_box_one
from mercer.problem import Problem
from mercer.solvers import Basis

__all__ = ["Node", "chord_gap", "read_node"]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Node:
    """A solution of a path.

    Attributes
    ----------
    parameter : float
        t = 1/C.
    coef : ndarray of shape (n_variables,)
        The point in the box at C = 1.
    slope : ndarray of shape (n_variables,)
        Gradient minus multiplier, times t.
    bias : float
        t times the bias.
    value : float
        The dual value, times t^2: t linear'a - a'(K + ridge)a / 2.
    gain : float
        linear'a, the rate of the value per unit of t.
    n_free : int
        Variables in the factor.
    """

    parameter: float
    coef: FloatArray
    slope: FloatArray
    bias: float
    value: float
    gain: float
    n_free: int


def read_node(problem: Problem, basis: Basis, C: float) -> Node:
    """The solution a basis holds, ``problem`` being its problem at C = 1."""
    t = 1.0 / C
    coef = at_box_one(problem, basis.problem, basis.coef, t)
    multiplier = float(basis.multiplier.sum())
    slope = t * (basis.gradient - multiplier)
    gain = float(problem.linear @ coef)
    # t linear'a - a'Ha/2 = (t linear + slope + t b)'a / 2, and the bias meets the sum
    bias = t * multiplier
    value = 0.5 * float(t * gain + slope @ coef + bias * problem.group_sum[0])
    return Node(t, coef, slope, bias, value, gain, len(basis.free))


def chord_gap(problem: Problem, left: Node, right: Node) -> float:
    """Bound of the relative duality gap at every point between two solutions.

    The gap of a point is sum_i (upper_i - a_i) [slope_i]_+ + (a_i - lower_i) [-slope_i]_+. Both
    factors are affine on the chord, so with s the share of the right end it is at most

        (1-s)^2 gap_left + s^2 gap_right + s (1-s) cross,

    cross being the same sum with the slopes of one end and the point of the other. The optimal
    value is a maximum of functions affine in t, thus convex: at least value_right + (t -
    t_right) gain_right. The largest ratio of s (1-s) to that is known in closed form.
    """
    cross = _pairing(problem, left.coef, right.slope) + _pairing(problem, right.coef, left.slope)
    ends = [_pairing(problem, end.coef, end.slope) / _floor(end.value) for end in (left, right)]
    value = _floor(right.value)
    rise = max((left.parameter - right.parameter) * right.gain, 0.0)
    share = value / (value + np.sqrt(value * (value + rise)))
    return float(cross * share * (1.0 - share) / (value + rise * share) + max(ends))


def _pairing(problem: Problem, coef: FloatArray, slope: FloatArray) -> float:
    """What the slopes could gain at most in the box."""
    room = np.where(slope > 0, problem.upper - coef, problem.lower - coef)
    return float(slope @ room)


def _floor(value: float) -> float:
    return max(value, np.finfo(np.float64).tiny)
