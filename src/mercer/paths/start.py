"""Where a path begins: the solution for all small C (spec 002, 7).

For large t the linear term decides: maximize linear'a over the box with sum zero. Its solutions
are those with every variable above a level at its upper bound and every one below at its lower
bound; among the variables *at* the level (the larger class) the quadratic term decides.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mercer.gram import Gram
from mercer.problem import Problem
from mercer.solvers import Basis

__all__ = ["Start", "exact_start"]

FloatArray = NDArray[np.float64]
_TRIVIAL = 1e-9  # of the largest parameter the kernel and the weights could give


@dataclass(frozen=True, eq=False)
class Start:
    """A solution with its free variables, at the largest parameter where anything happens.

    Attributes
    ----------
    coef : ndarray of shape (n_variables,)
        The point in the box at C = 1.
    free : ndarray of int
        Free variables, affinely independent.
    parameter : float
        1/C of the first breakpoint; not positive if there is none.
    bias, bias_rate : float
        The bias (times 1/C) there, and its rate for smaller C.
    is_trivial : bool
        Whether the solution is the same constant for every C.
    """

    coef: FloatArray
    free: NDArray[np.intp]
    parameter: float
    bias: float
    bias_rate: float
    is_trivial: bool


def exact_start(problem: Problem, gram: Gram) -> Start:
    """The start of the path of ``problem``, whose box is that at C = 1."""
    coef, level, tied = _linear_program(problem)
    movable = problem.lower < problem.upper
    if tied.any():
        coef, free, value = _settle_ties(problem, gram, coef, tied)
        pinned = float(value[free].mean())
    else:
        value = _expansion(problem, gram, coef)
        candidates = np.flatnonzero(movable & (coef > problem.lower) & (problem.linear == level))
        free = candidates[[np.argmax(value[candidates])]]
        pinned = float(value[free[0]])
    rise = problem.linear - level
    others = movable & (rise != 0)
    meets = (value[others] - pinned) / rise[others]
    parameter = float(meets.max(initial=-np.inf))
    scale = np.abs(coef).sum() * np.abs(gram.diagonal()).max(initial=0.0) / np.ptp(problem.linear)
    if not parameter > _TRIVIAL * scale:
        return Start(coef, free, 0.0, 0.0, level, True)
    rate = level
    if not tied.any():
        # nobody decides the bias between the two levels: stay in the middle
        rate = 0.5 * (level + problem.linear[np.flatnonzero(others)[np.argmax(meets)]])
    return Start(coef, free, parameter, level * parameter - pinned, float(rate), False)


def _linear_program(problem: Problem) -> tuple[FloatArray, float, NDArray[np.bool_]]:
    """Maximizer of linear'a, the level that divides upper from lower, and who is at it."""
    width = problem.upper - problem.lower
    need = float(problem.group_sum[0] - problem.lower.sum())
    levels, of_level = np.unique(-problem.linear, return_inverse=True)
    filled = np.cumsum(np.bincount(of_level, weights=width))
    slack = 1e-12 * max(1.0, float(width.sum()))
    last = int(np.searchsorted(filled, need - slack))
    level = -float(levels[last])
    is_even = abs(filled[last] - need) <= slack
    tied = (problem.linear == level) & (width > 0) & (not is_even)
    upper = problem.linear >= level if is_even else problem.linear > level
    return np.where(upper, problem.upper, problem.lower), level, tied


def _settle_ties(
    problem: Problem, gram: Gram, coef: FloatArray, tied: NDArray[np.bool_]
) -> tuple[FloatArray, NDArray[np.intp], FloatArray]:
    """The shortest weight vector of those the linear term allows (spec 002, 7.3)."""
    shortest = Problem(
        np.zeros(problem.n_variables),
        np.where(tied, problem.lower, coef),
        np.where(tied, problem.upper, coef),
        problem.index,
        problem.ridge,
        problem.group,
        problem.group_sum,
    )
    basis = Basis(shortest, gram)
    solution = basis.solve(tol=1e-6)
    return solution.coef, basis.free, -solution.gradient


def _expansion(problem: Problem, gram: Gram, coef: FloatArray) -> FloatArray:
    rows = problem.row_coef(coef, gram.n_rows)
    used = np.flatnonzero(rows)
    values = gram.product(used, rows[used], precision="double")[problem.index]
    return np.asarray(values + problem.ridge * coef)
