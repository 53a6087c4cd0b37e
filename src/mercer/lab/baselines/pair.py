"""A step along one pair of variables."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mercer.problem import Problem

__all__ = ["Move", "move_pair"]

FloatArray = NDArray[np.float64]

_FLAT = np.finfo(np.float64).eps


class Move(NamedTuple):
    """A step and what it gained; an infinite step was not taken."""

    step: float
    gain: float


def move_pair(
    problem: Problem, coef: FloatArray, up: int, down: int, slope: float, values: FloatArray
) -> Move:
    """Raise ``coef[up]`` and lower ``coef[down]`` to the maximum between, or to the box.

    With ``values`` = k(up, up), k(down, down), k(up, down) and the ridge r
    (Glasmachers & Igel 2006, section 2.1):

        step = min(slope / curvature, room),   curvature = k_uu + r_u + k_dd + r_d - 2 k_ud
        gain = step (slope - 1/2 curvature step)
    """
    total = (values[0] + problem.ridge[up]) + (values[1] + problem.ridge[down])
    curvature = total - 2.0 * values[2]
    newton = slope / curvature if curvature > _FLAT * abs(total) else np.inf
    above, below = problem.upper[up] - coef[up], coef[down] - problem.lower[down]
    step = float(min(newton, above, below))
    if step == np.inf:
        return Move(step, np.inf)
    coef[up] = problem.upper[up] if step == above else coef[up] + step
    coef[down] = problem.lower[down] if step == below else coef[down] - step
    return Move(step, step * (slope - 0.5 * curvature * step))
