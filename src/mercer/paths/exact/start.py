"""Where a path begins: the solution for all small C (Sentelle 2014, lemmas 1 and 2).

For large t the linear term decides: maximize linear'a over the box with sum zero. Its solutions
are those with every variable above a threshold at its upper bound and every one below at its lower
bound; among the variables *at* the threshold (the larger class) the quadratic term decides.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from mercer.gram import Gram
from mercer.paths.inputs.limits import Limits
from mercer.problem import Problem, Solution
from mercer.problem.family import Family
from mercer.solvers import Basis
from mercer.solvers.runs.deadline import Deadline

__all__ = [
    "Start",
    "at_box_one",
    "exact_start",
    "expansion_in_time",
    "finite_sums",
    "scale_of_box",
    "start_at",
    "unfinished",
]

FloatArray = NDArray[np.float64]
_SMALL, _LARGE = 1e-6, 1e100  # boxes: of group sums 1e-9 is rounding; squares must be numbers
_TRIVIAL = 1e-9  # of the largest parameter the kernel and the weights could give
_ROUNDED = 1e-13  # the least that is known of it
_DOUBTFUL = 1e-6  # of a typical parameter: below it rounding hides no breakpoint
_TOLERANCE = 1e-3  # of a slope, relative to the linear term: what machines are trained to
_PRODUCT_VALUES = 2**24  # kernel values between two looks at the clock


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
    status : str
        Why the path ends here; empty if it can go on.
    """

    coef: FloatArray
    free: NDArray[np.intp]
    parameter: float
    bias: float
    bias_rate: float
    is_trivial: bool
    begin: float = 0.0
    expansion: FloatArray | None = None
    status: str = ""


def unfinished(problem: Problem, status: str) -> Start:
    """The empty result if no solution was found in time: no C is known."""
    no_rows = np.zeros(0, np.intp)
    return Start(np.zeros(problem.n_variables), no_rows, np.inf, 0.0, 0.0, False, status=status)


def exact_start(problem: Problem, gram: Gram, limits: Limits | None = None) -> Start:
    """The start of the path of ``problem``, whose box is that at C = 1."""
    limits = limits or Limits()
    coef, threshold, tied = linear_program(problem)
    limits.tally.share = float(np.abs(coef).sum() / (problem.upper - problem.lower).sum())
    if tied.any():
        solution, free = _shortest_of_tied(problem, gram, coef, tied, limits)
        if solution.status in ("max-time", "callback"):
            return unfinished(problem, solution.status)
        coef, value = solution.coef, finite_sums(-solution.gradient)
    else:
        found = expansion_in_time(problem, gram, coef, limits.deadline)
        if found is None:
            return unfinished(problem, "max-time")
        value, free = found, first_free(problem, coef, found, threshold)
    return at_first_event(problem, gram, coef, free, value, threshold, is_pinned=bool(tied.any()))


def start_at(problem: Problem, gram: Gram, C: float, limits: Limits) -> Start:
    """The solution at ``C``, or the start of the path if that comes later.

    Where there is no time for the solution, the start of the path is what is known.
    """
    start = exact_start(problem, gram, limits)
    if start.status or start.is_trivial or start.parameter * C <= 1.0:
        return start
    if limits.deadline.is_over:
        return replace(start, status="max-time")
    scaled = Family(problem).at(C)
    basis = Basis(scaled, gram, C * start.coef)
    solution = basis.solve(
        tol=1e-9, max_time=limits.deadline.seconds_left, callback=limits.watch(C)
    )
    if solution.status in ("max-time", "callback"):
        return replace(start, status=solution.status)
    coef = at_box_one(problem, scaled, solution.coef, 1.0 / C)
    bias = float(basis.multiplier.sum())
    return Start(coef, basis.free, 1.0 / C, bias / C, np.nan, False, begin=C)


def scale_of_box(problem: Problem) -> float:
    """The power of two that brings a box of extreme size near 1; 1 for others."""
    size = float(np.maximum(problem.upper, -problem.lower).max(initial=0.0))
    if size == 0.0 or _SMALL < size < _LARGE:
        return 1.0
    return float(np.ldexp(1.0, -max(int(np.frexp(size)[1]), -1000)))


def at_box_one(problem: Problem, scaled: Problem, coef: FloatArray, factor: float) -> FloatArray:
    """A point of the scaled problem in the box at C = 1, bounds met exactly."""
    out = np.clip(coef * factor, problem.lower, problem.upper)
    out = np.where(coef == scaled.upper, problem.upper, out)
    return np.where(coef == scaled.lower, problem.lower, out)


def first_free(
    problem: Problem, coef: FloatArray, value: FloatArray, threshold: float
) -> NDArray[np.intp]:
    """Where all are at bounds: the first upper one to come back (Sentelle 2014, lemma 1)."""
    can_fall = (problem.lower < problem.upper) & (coef > problem.lower)
    candidates = np.flatnonzero(can_fall & (problem.linear == threshold))
    return candidates[[np.argmax(value[candidates])]]


def at_first_event(
    problem: Problem,
    gram: Gram,
    coef: FloatArray,
    free: NDArray[np.intp],
    value: FloatArray,
    threshold: float,
    *,
    is_pinned: bool,
) -> Start:
    """The start, moved to the largest parameter at which a slope vanishes.

    With the free variables where they are the bias is t threshold - value_free, and the slope of i
    vanishes at t = (value_i - value_free) / (linear_i - threshold). Where no row at the threshold
    can grow the bias is not pinned by it for larger t: any rate between the threshold and the next
    lower linear term is optimal, and the middle is taken.
    """
    pinned = float(value[free].mean())
    rise = problem.linear - threshold
    others = (problem.lower < problem.upper) & (rise != 0)
    if not others.any():  # all targets are the same, and the tube has no width
        return Start(coef, free, 0.0, -pinned, threshold, True)
    meets = (value[others] - pinned) / rise[others]
    parameter = float(meets.max(initial=-np.inf))
    noise = _noise(problem, gram, coef)
    if not parameter > noise:
        if noise <= _DOUBTFUL * _typical_parameter(problem, gram, coef):
            return Start(coef, free, 0.0, -pinned, threshold, True)
        # from here on rounding of slopes is more than that of the linear term
        t = noise / _TOLERANCE
        return Start(
            coef, free, t, threshold * t - pinned, threshold, False, status="precision-limit"
        )
    rate = threshold
    below = problem.linear[others & (problem.linear < threshold)]
    if not is_pinned and len(below):
        rate = 0.5 * (threshold + float(below.max()))
    bias, expansion = threshold * parameter - pinned, value - problem.ridge * coef
    return Start(coef, free, parameter, bias, float(rate), False, expansion=expansion)


def _typical_parameter(problem: Problem, gram: Gram, coef: FloatArray) -> float:
    """The first breakpoint of rows as far apart as these; infinite if they are all the same.

    Their spread is the largest squared distance to one of them in feature space.
    """
    is_real = problem.index < gram.n_rows
    rows = np.unique(problem.index[(problem.lower < problem.upper) & is_real])
    diagonal = gram.diagonal()[rows]
    distances = diagonal + diagonal[0] - 2.0 * gram.block(rows[:1], rows, precision="double")[0]
    spread = float(distances.max(initial=0.0))
    if spread == 0.0:
        return np.inf
    return float(np.abs(coef).sum()) * spread / float(np.ptp(problem.linear[problem.present]))


def _noise(problem: Problem, gram: Gram, coef: FloatArray) -> float:
    """What rounding makes of a parameter that is zero.

    Rows far from the origin have small ones; where the rounding is unknown more is left out.
    """
    present = np.zeros(problem.n_variables, dtype=bool)
    present[problem.present] = True
    spread = float(np.ptp(problem.linear[present]))
    real = present & (problem.index < gram.n_rows)  # an artificial variable has a row of its own
    rows = problem.index[real]
    largest = np.abs(gram.diagonal()[rows]).max(initial=0.0)
    # the largest parameter there could be
    scale = float(np.abs(coef).sum() * largest / spread)
    error = 4.0 * gram.expansion_error(coef[real], rows) / spread
    return min(_TRIVIAL * scale, max(_ROUNDED * scale, error))


def linear_program(problem: Problem) -> tuple[FloatArray, float, NDArray[np.bool_]]:
    """Maximizer of linear'a, the threshold that divides upper from lower, and who is at it."""
    width = problem.upper - problem.lower
    need = float(problem.group_sum[0] - problem.lower.sum())
    thresholds, of_threshold = np.unique(-problem.linear, return_inverse=True)
    filled = np.cumsum(np.bincount(of_threshold, weights=width))
    slack = 1e-12 * max(1.0, float(width.sum()))
    last = int(np.searchsorted(filled, need - slack))
    threshold = -float(thresholds[last])
    is_even = abs(filled[last] - need) <= slack
    tied = (problem.linear == threshold) & (width > 0) & (not is_even)
    upper = problem.linear >= threshold if is_even else problem.linear > threshold
    return np.where(upper, problem.upper, problem.lower), threshold, tied


def _shortest_of_tied(
    problem: Problem, gram: Gram, coef: FloatArray, tied: NDArray[np.bool_], limits: Limits
) -> tuple[Solution, NDArray[np.intp]]:
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
    solution = basis.solve(
        tol=1e-6, max_time=limits.deadline.seconds_left, callback=limits.watch(0.0)
    )
    return solution, basis.free


def expansion_in_time(
    problem: Problem, gram: Gram, coef: FloatArray, deadline: Deadline
) -> FloatArray | None:
    """K coef, part by part; None if the time is over."""
    rows = problem.row_coef(coef, gram.n_rows)
    used = np.flatnonzero(rows)
    values = np.empty(gram.n_rows)
    step = max(_PRODUCT_VALUES // max(len(used), 1), 1)
    for begin in range(0, gram.n_rows, step):
        if deadline.is_over:
            return None
        part = np.arange(begin, min(begin + step, gram.n_rows))
        values[part] = gram.product(used, rows[used], rows=part, precision="double")
    return finite_sums(values[problem.index] + problem.ridge * coef)


def finite_sums(values: FloatArray) -> FloatArray:
    """``values`` of a machine whose coefficients are the weights, if doubles hold them."""
    if np.isfinite(values).all():
        return values
    i = int(np.flatnonzero(~np.isfinite(values))[0])
    raise ValueError(
        "sums of kernel values times sample_weight must be finite, got "
        f"{float(values[i])} for variable {i}: scale the features or the weights"
    )
