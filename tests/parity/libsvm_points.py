"""LIBSVM's solutions as points of our problems (docs/theory/problem.md#scale-of-libsvm)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer import Problem
from mercer.solvers.runs.start import feasible_start

FloatArray = NDArray[np.float64]


def libsvm_point(machine: Any, problem: Problem, n_rows: int) -> FloatArray:
    """The feasible point nearest to the coefficients of a fitted machine of ``sklearn.svm``.

    Rounding may leave its coefficients outside the box and its sums beside the mark by a unit
    in the last place or two.
    """
    coef = machine.dual_coef_
    coef = np.ravel(coef.toarray() if hasattr(coef, "toarray") else coef)
    rows = np.zeros(n_rows)
    rows[machine.support_] = coef
    name = type(machine).__name__
    if name == "NuSVC":
        # taken as beta / rho
        rows *= problem.group_sum[0] / rows[rows > 0].sum()
    if name in ("SVR", "NuSVR"):
        rows = np.concatenate([np.maximum(rows, 0.0), np.minimum(rows, 0.0)])
    if name == "NuSVR":
        rows = _both_ways(rows, problem)
    return feasible_start(problem, rows)


def _both_ways(point: FloatArray, problem: Problem) -> FloatArray:
    """What the sums lack is added to both variables of a row, which cancel each other.

    LIBSVM gives their difference only; where the tube has no width both may be positive.
    """
    n = len(point) // 2
    lack = max(problem.group_sum[0] - point[:n].sum(), 0.0)
    room = np.maximum(np.minimum(problem.upper[:n] - point[:n], point[n:] - problem.lower[n:]), 0)
    before = np.concatenate([[0.0], np.cumsum(room)[:-1]])
    extra = np.clip(lack - before, 0.0, room)
    return point + np.concatenate([extra, -extra])
