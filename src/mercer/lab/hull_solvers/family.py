"""Which problems are about points of hulls, and where the search in a hull begins."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer.problem import Problem
from mercer.solvers.runs.start import feasible_start

__all__ = ["Begin", "barycentres", "check_begin", "check_hulls", "first_point"]

FloatArray = NDArray[np.float64]
Begin = Literal["auto", "barycentres", "sparse"]

_MANY = 5000  # variables, of which not all are to have a coefficient


def check_hulls(name: str, problem: Problem) -> None:
    """Refuse problems whose groups are no hulls.

    A hull is a group with a sum other than 0 whose coefficients lie between 0 and a bound on the
    side of that sum.
    """
    got = _misfit(problem)
    if got:
        raise ValueError(
            f"solver={name!r} takes problems about points of hulls (nearest points, minimum norm, "
            "smallest ball, one-class, nu-SVC): every variable in a group, between 0 and a bound "
            f"on the side of the group's sum; got {got}. The solvers 'smo' and 'chunked' take any "
            "problem"
        )


def _misfit(problem: Problem) -> str:
    """What keeps a problem from being about hulls; empty if nothing does."""
    if problem.n_groups == 0 or (problem.group < 0).any():
        return "variables without a group"
    if (problem.group_sum == 0.0).any():
        return "a group whose sum is 0"
    sign = np.sign(problem.group_sum)[problem.group]
    inner = np.where(sign > 0, problem.lower, -problem.upper)
    if (inner != 0.0).any():
        i = int(np.flatnonzero(inner)[0])
        return f"lower[{i}]={problem.lower[i]} and upper[{i}]={problem.upper[i]}"
    return ""


def check_begin(begin: object) -> None:
    """Refuse what is no place to begin."""
    allowed = ("auto", "barycentres", "sparse")
    if begin not in allowed:
        raise ValueError(f"begin must be one of {allowed}, got {begin!r}")


def first_point(problem: Problem, start: ArrayLike | None, begin: Begin) -> FloatArray:
    """``start`` made feasible or, without one, the point that ``begin`` names."""
    if start is not None:
        return feasible_start(problem, start)
    is_sparse = begin == "sparse" or (begin == "auto" and problem.n_variables > _MANY)
    return feasible_start(problem) if is_sparse else barycentres(problem)


def barycentres(problem: Problem) -> FloatArray:
    """The mean of each hull's rows, weighted as their bounds or ridges are."""
    size = np.maximum(problem.upper, -problem.lower)
    endless = np.isinf(size)
    with np.errstate(divide="ignore"):
        weight = np.where(problem.ridge > 0.0, 1.0 / problem.ridge, 1.0)
    reach = np.minimum(size, np.abs(problem.group_sum)[problem.group])
    # in units of the largest, so that equal ones are 1
    share = np.where(endless, weight / weight.max(), reach / reach.max())
    coef = np.zeros(problem.n_variables)
    for g, total in enumerate(problem.group_sum):
        members = problem.group == g
        if endless[members].any():  # next to an infinite bound the others do not count
            members &= endless
        coef[members] = total * share[members] / share[members].sum()
    return feasible_start(problem, coef)
