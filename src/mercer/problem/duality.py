"""The duality gap of a point: how far its value can still be from the optimum.

The formulas are in the core (duality.hpp).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from mercer import _core
from mercer.problem.inner_product import inner_product

if TYPE_CHECKING:
    from mercer.problem import Problem

__all__ = ["conjugate_gap", "duality_gap"]

FloatArray = NDArray[np.float64]


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
    return _core.duality_gap(problem._native, coef, values, gradient, multiplier)


def conjugate_gap(h: FloatArray, coef: FloatArray, ridge: FloatArray, box: FloatArray) -> float:
    """Sum over i of phi_i(h_i) - (h_i beta_i - ridge_i beta_i^2/2).

    With b_i the maximizer in phi_i a term is (b_i - beta_i)(h_i - ridge_i (b_i + beta_i)/2):
    never negative, so that no digits cancel. Without a ridge b_i is a bound.
    """
    if not ridge.any():
        nearest = np.where(h > 0.0, box[1] - coef, np.where(h < 0.0, box[0] - coef, 0.0))
        return inner_product(nearest, h)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        best = np.minimum(np.maximum(h / ridge, box[0]), box[1])
    # 0/0: without slope and ridge every b is a maximizer
    best[np.isnan(best)] = 0.0
    return inner_product(best - coef, h - 0.5 * ridge * (best + coef))
