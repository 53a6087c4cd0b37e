"""Newton steps of the free variables of a linear kernel, without its matrix.

With X the rows of the free variables, each less the mean of its group, and s their slopes, less
those means too, the step d solves X X'd = s, and X'd = v in between:

    the shortest v with X v = s,   the shortest d with X'd = v.

Both are least-squares problems of the rows themselves, whose condition is the root of that of
their kernel matrix. A shortest d is a combination of columns of X, which sum to zero over each group.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from mercer.problem import Problem

__all__ = ["feature_step"]

FloatArray = NDArray[np.float64]

_MOST_ENTRIES = 10**6  # of A, up to which the step is cheap


def feature_step(problem: Problem, features: Any) -> FloatArray:
    """The maximum over the free variables: whoever meets a bound on the way stays there.

    Parameters
    ----------
    problem : Problem
        What is left to do from a point, which is the origin: ``linear`` are the slopes. Without
        a ridge; with one, or with too many free variables, the step is zero.
    features : ndarray or CSR matrix of shape (n_rows, n_features)
        The rows.
    """
    step, slopes = np.zeros(problem.n_variables), problem.linear
    width = features.shape[1] + problem.n_groups
    while True:
        free = np.flatnonzero((problem.lower < step) & (step < problem.upper))
        if problem.ridge.any() or not 0 < len(free) * width <= _MOST_ENTRIES:
            return step
        by = _newton(problem, features, free, slopes)
        last, reach = _first_bound(by, problem.lower[free] - step[free], problem.upper[free] - step[free])
        step[free] += min(reach, 1.0) * by
        if reach >= 1.0:
            return step
        step[free[last]] = (problem.upper if by[last] > 0.0 else problem.lower)[free[last]]
        moved = features[problem.index[free]].T @ (reach * by)
        slopes = slopes - (features @ moved)[problem.index]


def _newton(
    problem: Problem, features: Any, free: NDArray[np.intp], slopes: FloatArray
) -> FloatArray:
    """The step d of the free variables."""
    rows = features[problem.index[free]]
    matrix = _centred(problem, free, rows.toarray() if sp.issparse(rows) else rows)
    # a small system of any rank: more threads would only wait for each other
    with threadpool_limits(1, user_api="blas"):
        direction = _shortest(matrix, _centred(problem, free, slopes[free]))
        return _centred(problem, free, _shortest(matrix.T, direction))


def _centred(problem: Problem, free: NDArray[np.intp], values: FloatArray) -> FloatArray:
    """Values of the free variables less the mean of their group."""
    out = values.copy()
    for g in range(problem.n_groups):
        member = problem.group[free] == g
        if member.any():
            out[member] -= values[member].mean(axis=0)
    return out


def _shortest(matrix: FloatArray, right: FloatArray) -> FloatArray:
    solution = scipy.linalg.lstsq(matrix, right, cond=1e-14, lapack_driver="gelsy")[0]
    return np.asarray(solution)


def _first_bound(by: FloatArray, lower: FloatArray, upper: FloatArray) -> tuple[int, float]:
    """The variable that first meets a bound, and after which part of the step."""
    with np.errstate(divide="ignore", invalid="ignore"):
        reach = np.where(by != 0.0, np.where(by > 0.0, upper, lower) / by, np.inf)
    last = int(reach.argmin())
    return last, float(reach[last])
