"""Newton steps of the free variables of a linear kernel, without its matrix.

With X the rows of the free variables, each less the mean of its group, and s their slopes, less
those means too, the step d solves X X'd = s, and X'd = v in between:

    the shortest v with X v = s,   the shortest d with X'd = v.

Both are least-squares problems of the rows themselves, whose condition is the root of that of
their kernel matrix. A shortest d is a combination of columns of X, so that it sums to zero over
each group.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from mercer.problem import Problem

__all__ = ["feature_step"]

FloatArray = NDArray[np.float64]

_MOST_ENTRIES = 10**6  # of X, up to which the step is cheap
_FLAT = 1e-8  # relative size of a slope that rounding does not explain


def feature_step(problem: Problem, features: Any, deadline: float = np.inf) -> FloatArray:
    """The maximum over the free variables: whoever meets a bound on the way stays there.

    Parameters
    ----------
    problem : Problem
        What is left to do from a point, which is the origin: ``linear`` are the slopes. Without
        a ridge; with one, or with too many free variables, the step is zero.
    features : ndarray or CSR matrix of shape (n_rows, n_features)
        The rows.
    deadline : float, default=inf
        When to end on the way, by ``time.perf_counter``.
    """
    step, slopes = np.zeros(problem.n_variables), problem.linear
    width = features.shape[1] + problem.n_groups
    # small systems of any rank: more threads would only wait for each other
    with threadpool_limits(1, user_api="blas"):
        while not problem.ridge.any() and time.perf_counter() < deadline:
            free = np.flatnonzero((problem.lower < step) & (step < problem.upper))
            if not 0 < len(free) * width <= _MOST_ENTRIES:
                break
            by, length = _uphill(problem, features, free, slopes)
            room = problem.lower[free] - step[free], problem.upper[free] - step[free]
            last, reach = _first_bound(by, *room)
            if reach >= length:
                # flat without end: there is no maximum
                return step if length == np.inf else _added(step, free, by)
            step = _added(step, free, reach * by)
            step[free[last]] = (problem.upper if by[last] > 0.0 else problem.lower)[free[last]]
            moved = features[problem.index[free]].T @ (reach * by)
            slopes = slopes - (features @ moved)[problem.index]
    return step


def _added(step: FloatArray, free: NDArray[np.intp], by: FloatArray) -> FloatArray:
    out = step.copy()
    out[free] += by
    return out


def _uphill(
    problem: Problem, features: Any, free: NDArray[np.intp], slopes: FloatArray
) -> tuple[FloatArray, float]:
    """A direction of the free variables, and how far it is uphill.

    What X v cannot make of s is a direction in which the objective is linear.
    """
    rows = features[problem.index[free]]
    matrix = _centred(problem, free, rows.toarray() if sp.issparse(rows) else rows)
    right = _centred(problem, free, slopes[free])
    v, rank = _shortest(matrix, right)
    flat = right - matrix @ v
    n_means = len(np.unique(problem.group[free][problem.group[free] >= 0]))
    if rank < len(free) - n_means and np.abs(flat).max() > _FLAT * np.abs(right).max():
        return _centred(problem, free, flat), np.inf
    return _centred(problem, free, _shortest(matrix.T, v)[0]), 1.0


def _centred(problem: Problem, free: NDArray[np.intp], values: FloatArray) -> FloatArray:
    """Values of the free variables less the mean of their group."""
    out = values.copy()
    for g in range(problem.n_groups):
        member = problem.group[free] == g
        if member.any():
            out[member] -= values[member].mean(axis=0)
    return out


def _shortest(matrix: FloatArray, right: FloatArray) -> tuple[FloatArray, int]:
    """The shortest solution of least squares, and the rank of the matrix."""
    found = scipy.linalg.lstsq(matrix, right, cond=1e-14, lapack_driver="gelsy")
    return np.asarray(found[0]), int(found[2])


def _first_bound(by: FloatArray, lower: FloatArray, upper: FloatArray) -> tuple[int, float]:
    """The variable that first meets a bound, and after which part of the step."""
    with np.errstate(divide="ignore", invalid="ignore"):
        reach = np.where(by != 0.0, np.where(by > 0.0, upper, lower) / by, np.inf)
    last = int(reach.argmin())
    return last, float(reach[last])
