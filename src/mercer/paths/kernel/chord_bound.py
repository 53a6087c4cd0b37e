"""Between two solutions of a kernel path: how far from optimal the chord is at most, everywhere.

As functions of u, the logarithm of the parameter, kernel values are analytic, and for
|Im u| <= pi/2 they are bounded by M(Re u) (:mod:`mercer.paths.kernel.largest_value`). On an
interval of length L they are so in every Bernstein ellipse with rho - 1/rho <= 2 pi / L, whose
largest real part is (rho + 1/rho - 2) L / 4 beyond the end. So are the values of the machines of a
chord, up to the size M of its coefficients: the polynomial through them in N + 1 Chebyshev points
is accurate to 4 M / (rho^N (rho - 1)) everywhere between (Trefethen 2013, theorem 8.2;
docs/theory/paths.md#kernel-paths).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.polynomial.chebyshev import chebvander
from numpy.typing import NDArray

from mercer.problem import Problem, Solution

__all__ = ["KernelBound", "chord_bound"]

FloatArray = NDArray[np.float64]
_PIECES = 64  # of a chord, on each of which slopes are bounded
_LARGEST_DEGREE = 14


class KernelBound(NamedTuple):
    """Kernel values are at most ``largest`` at the right end, and e^(growth t) times that at t."""

    largest: float = 1.0
    growth: int = 0


def chord_bound(
    problem: Problem,
    left: Solution,
    right: Solution,
    length: float,
    kernel: KernelBound,
    values: Callable[[float], FloatArray],
    accuracy: float,
) -> float:
    """Bound of the relative duality gap of every machine on the chord between two solutions.

    Parameters
    ----------
    problem : Problem
        With one group, no ridge, and variable i for row i.
    left, right : Solution
        The solutions at the two ends; coefficients and bias are affine between them.
    length : float
        Of the interval of the logarithm of the parameter.
    kernel : KernelBound
        How large kernel values are.
    values : callable
        From a share of the chord to the kernel expansion of its coefficients there.
    accuracy : float
        What the bound will be compared with: it need not be sharper.
    """
    degree, error = _degree(problem, left, right, length, kernel, accuracy)
    if degree == 0:
        return np.inf
    nodes = np.cos(np.pi * np.arange(degree + 1) / degree)
    at_nodes = [values(0.5 * (1.0 + x)) for x in nodes[1:-1]]
    ends = [problem.linear - end.gradient for end in (right, left)]
    series = np.linalg.solve(chebvander(nodes, degree), np.array([ends[0], *at_nodes, ends[1]]))
    return _largest(problem, left, right, series, error)


def _degree(
    problem: Problem,
    left: Solution,
    right: Solution,
    length: float,
    kernel: KernelBound,
    accuracy: float,
) -> tuple[int, float]:
    """Degree of the interpolation and its largest error; degree 0 if none of them suffices.

    Interpolation in Chebyshev points of the second kind is accurate to 4 M / (rho^N (rho - 1))
    where the function is bounded by M in the ellipse of rho. An error e of the slopes changes
    the gap by at most e times the widths of the boxes of the variables that are free, and of
    those whose slopes are not larger than e. Rounding of the sums counts as well.
    """
    widest = np.pi / length + np.hypot(np.pi / length, 1.0)
    rho = np.geomspace(1.0, widest, 40)[1:]
    middle = 0.5 * np.abs(left.coef + right.coef).sum()
    half = 0.5 * np.abs(right.coef - left.coef).sum()
    axis = 0.5 * (rho + 1.0 / rho)
    beyond = 0.5 * length * (axis - 1.0)
    bound = kernel.largest * np.exp(kernel.growth * beyond) * (middle + half * axis)
    free = [(end.coef > problem.lower) & (end.coef < problem.upper) for end in (left, right)]
    room = (problem.upper - problem.lower)[free[0] | free[1]].sum()
    share = max(left.objective, right.objective) / max(room, 1e-300)
    wanted = accuracy * min(0.05 * share, 0.1)
    rounding = 4.0 * np.finfo(np.float64).eps * kernel.largest * (middle + half)
    for degree in range(2, _LARGEST_DEGREE + 1):
        error = float((4.0 * bound / (rho**degree * (rho - 1.0))).min()) + rounding
        if error <= wanted:
            return degree, error
    return 0, np.inf


def _largest(
    problem: Problem, left: Solution, right: Solution, series: FloatArray, error: float
) -> float:
    """The largest relative gap where slopes are a Chebyshev series, up to an error.

    On a piece of width w of [-1, 1] a slope is between those at its ends, up to
    w^2/8 max |p''|, and |T_k''| <= k^2 (k^2 - 1) / 3.
    """
    order = np.arange(len(series)) ** 2
    bend = (order * (order - 1) / 3.0) @ np.abs(series)
    apart = error + bend * (2.0 / _PIECES) ** 2 / 8.0
    x = np.linspace(-1.0, 1.0, _PIECES + 1)
    share = 0.5 * (1.0 + x)[:, None]
    coef = left.coef + share * (right.coef - left.coef)
    bias = left.multiplier[0] + share * (right.multiplier[0] - left.multiplier[0])
    values = chebvander(x, len(series) - 1) @ series
    gap = _gaps(problem, coef, problem.linear - values - bias, apart)
    worth = _objectives(problem, coef, values, apart)
    if (worth <= 0.0).any():
        return 0.0 if not gap.any() else np.inf
    return float((gap / (worth + gap)).max())


def _gaps(problem: Problem, coef: FloatArray, slope: FloatArray, apart: FloatArray) -> FloatArray:
    """Largest sum_i (upper_i - b_i) [slope_i]_+ + (b_i - lower_i) [-slope_i]_+ on each piece."""
    up, down = problem.upper - coef, coef - problem.lower
    high = np.maximum(slope[:-1], slope[1:]) + apart
    low = np.minimum(slope[:-1], slope[1:]) - apart
    gain = np.maximum(up[:-1], up[1:]) * np.maximum(high, 0.0)
    gain += np.maximum(down[:-1], down[1:]) * np.maximum(-low, 0.0)
    return np.asarray(gain.sum(axis=1))


def _objectives(
    problem: Problem, coef: FloatArray, values: FloatArray, apart: FloatArray
) -> FloatArray:
    """Least dual value on each piece.

    b'(linear - values / 2) with both factors affine is a quadratic, not below the least of its
    three Bernstein coefficients.
    """
    factor = problem.linear - 0.5 * values
    own = np.einsum("ij,ij->i", coef, factor)
    cross = np.einsum("ij,ij->i", coef[:-1], factor[1:])
    cross += np.einsum("ij,ij->i", coef[1:], factor[:-1])
    size = np.abs(coef) @ (0.5 * apart)
    least = np.minimum(np.minimum(own[:-1], own[1:]), 0.5 * cross)
    return np.asarray(least - np.maximum(size[:-1], size[1:]))
