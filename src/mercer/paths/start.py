"""Where a path begins: the solution for all small C (Sentelle 2014, lemmas 1 and 2).

For large t the linear term decides: maximize linear'a over the box with sum zero. Its solutions
are those with every variable above a level at its upper bound and every one below at its lower
bound; among the variables *at* the level (the larger class) the quadratic term decides.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mercer.gram import Gram
from mercer.problem import Problem
from mercer.solvers import Basis

__all__ = ["Start", "at_unit", "exact_start", "scaled_problem", "start_at"]

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
    begin : float
        The smallest C for which the start says what the solution is.
    expansion : ndarray of shape (n_variables,) or None
        ``K coef`` if it is known.
    """

    coef: FloatArray
    free: NDArray[np.intp]
    parameter: float
    bias: float
    bias_rate: float
    is_trivial: bool
    begin: float = 0.0
    expansion: FloatArray | None = None


def exact_start(problem: Problem, gram: Gram) -> Start:
    """The start of the path of ``problem``, whose box is that at C = 1."""
    coef, level, tied = linear_program(problem)
    if tied.any():
        coef, free, value = _settle_ties(problem, gram, coef, tied)
    else:
        value = _expansion(problem, gram, coef)
        free = first_free(problem, coef, value, level)
    return at_first_event(problem, gram, coef, free, value, level, is_pinned=bool(tied.any()))


def start_at(problem: Problem, gram: Gram, C: float) -> Start:
    """The solution at ``C``, or the start of the path if that comes later."""
    start = exact_start(problem, gram)
    if start.is_trivial or start.parameter * C <= 1.0:
        return start
    scaled = scaled_problem(problem, C)
    basis = Basis(scaled, gram, C * start.coef)
    solution = basis.solve(tol=1e-9)
    coef = at_unit(problem, scaled, solution.coef, 1.0 / C)
    bias = float(basis.multiplier.sum())
    return Start(coef, basis.free, 1.0 / C, bias / C, np.nan, False, begin=C)


def scaled_problem(problem: Problem, C: float) -> Problem:
    """The problem at ``C`` from that at 1: the box grows, nothing else.

    What holds of the one holds of the other: nothing is checked again, thousands of times
    on an approximate path.
    """
    scaled = copy(problem)
    for name in ("lower", "upper", "group_sum"):
        object.__setattr__(scaled, name, C * getattr(problem, name))
    return scaled


def at_unit(problem: Problem, scaled: Problem, coef: FloatArray, factor: float) -> FloatArray:
    """A point of the scaled problem in the box at C = 1, bounds met exactly."""
    out = np.clip(coef * factor, problem.lower, problem.upper)
    out = np.where(coef == scaled.upper, problem.upper, out)
    return np.where(coef == scaled.lower, problem.lower, out)


def first_free(
    problem: Problem, coef: FloatArray, value: FloatArray, level: float
) -> NDArray[np.intp]:
    """Where all are at bounds: the first upper one to come back (Sentelle 2014, lemma 1)."""
    can_fall = (problem.lower < problem.upper) & (coef > problem.lower)
    candidates = np.flatnonzero(can_fall & (problem.linear == level))
    return candidates[[np.argmax(value[candidates])]]


def at_first_event(
    problem: Problem,
    gram: Gram,
    coef: FloatArray,
    free: NDArray[np.intp],
    value: FloatArray,
    level: float,
    *,
    is_pinned: bool,
) -> Start:
    """The start, moved to the largest parameter at which a slope vanishes.

    With the free variables at rest the bias is t level - value_free, and the slope of i
    vanishes at t = (value_i - value_free) / (linear_i - level). Where nobody at the level can
    grow the bias is not pinned by it for larger t: any rate between the level and the next
    lower linear term is optimal, and the middle is taken.
    """
    pinned = float(value[free].mean())
    rise = problem.linear - level
    others = (problem.lower < problem.upper) & (rise != 0)
    meets = (value[others] - pinned) / rise[others]
    parameter = float(meets.max(initial=-np.inf))
    scale = np.abs(coef).sum() * np.abs(gram.diagonal()).max(initial=0.0) / np.ptp(problem.linear)
    if not parameter > _TRIVIAL * scale:
        return Start(coef, free, 0.0, -pinned, level, True)
    rate = level
    below = problem.linear[others & (problem.linear < level)]
    if not is_pinned and len(below):
        rate = 0.5 * (level + float(below.max()))
    bias, expansion = level * parameter - pinned, value - problem.ridge * coef
    return Start(coef, free, parameter, bias, float(rate), False, expansion=expansion)


def linear_program(problem: Problem) -> tuple[FloatArray, float, NDArray[np.bool_]]:
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
    """The shortest weight vector of those the linear term allows (Sentelle 2014, lemma 2)."""
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
