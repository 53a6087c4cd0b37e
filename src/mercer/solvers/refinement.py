"""Digits that doubles do not have: the active-set method repeated on what is left to correct.

Where coefficients and kernel values are both large, a slope in double precision is noise. With w
summed to twice the digits (:mod:`mercer.error_free`) the slopes s of a point beta are known, and the
step to the optimum is a problem of the same form,

    maximize    s'd - 1/2 d'(K + diag(ridge)) d
    subject to  lower - beta <= d <= upper - beta,   sum of d over every group = 0,

whose solution is small in all variables that are free already, and so are its rounding errors. The
point is kept as a double and a rest, since its slopes need more digits than a double has; what is
returned, and certified, is the double.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.error_free import Long, add_with_rest, long_expansion
from mercer.gram import Gram
from mercer.problem import Problem, Solution, certify
from mercer.solvers.basis import Basis
from mercer.solvers.margin import violation_unit
from mercer.solvers.progress import Callback

__all__ = ["refined"]

FloatArray = NDArray[np.float64]

_ROUNDS = 20
_PATIENCE = 3  # rounds without a smaller gap: a wrong bound may cost some before it pays
_RELATIVE_GAP = 1e-13


@dataclass
class _Limits:
    """What is left of the steps and the time of a run."""

    steps: int
    deadline: float
    callback: Callback | None

    def improve(self, basis: Basis) -> str:
        """Runs the active-set method; how it ended."""
        left = max(self.deadline - time.perf_counter(), 0.0)
        status = basis.improve(max_iter=self.steps, max_time=left, callback=self.callback)
        self.steps -= basis.n_iterations
        return status


def refined(
    problem: Problem,
    gram: Gram,
    solution: Solution,
    *,
    tol: float,
    max_iter: int = -1,
    max_time: float | None = None,
    callback: Callback | None = None,
) -> Solution:
    """A solution that ended at the limit of precision, or a better one.

    Only a linear kernel has more digits to offer; every other ``solution`` is returned as it is.
    ``max_iter`` and ``max_time`` bound the whole run, ``solution`` included.
    """
    features = gram.features
    if solution.status != "precision-limit" or features is None:
        return solution
    began, evaluations = time.perf_counter(), gram.n_evaluations
    steps = max(10**7, 100 * problem.n_variables) if max_iter < 0 else max_iter
    seconds = np.inf if max_time is None else max_time - solution.seconds
    limits = _Limits(max(steps - solution.n_iter, 0), began + seconds, callback)
    before = limits.steps
    best = _best(problem, gram, features, solution, limits)
    aim = tol * violation_unit(problem, gram, best.coef, best)  # type: ignore[arg-type]
    return replace(
        best,
        n_iter=solution.n_iter + before - limits.steps,
        n_kernel=solution.n_kernel + gram.n_evaluations - evaluations,
        seconds=solution.seconds + time.perf_counter() - began,
        status="converged" if best.violation <= aim else best.status,
    )


def _best(
    problem: Problem, gram: Gram, features: Any, solution: Solution, limits: _Limits
) -> Solution:
    """The point with the smallest gap on the way; its status says why the way ended."""
    best, idle, status = solution, 0, "precision-limit"
    point = (solution.coef, np.zeros_like(solution.coef))
    multiplier = solution.multiplier
    for _ in range(_ROUNDS):
        if _relative(best) <= _RELATIVE_GAP or idle == _PATIENCE:
            break
        point, status = _corrected(problem, gram, features, point, multiplier, limits)
        certificate = certify(problem, gram, point[0])
        multiplier, idle = certificate.multiplier, idle + 1
        found = replace(solution, coef=point[0], **vars(certificate))
        if _relative(found) < _relative(best):
            idle = idle if _relative(found) > 0.5 * _relative(best) else 0
            best = found
        if status not in ("converged", "precision-limit"):
            break
    ended = status if status in ("max-iter", "max-time", "callback") else "precision-limit"
    return replace(best, status=ended)  # type: ignore[arg-type]


def _relative(solution: Solution) -> float:
    gap = solution.relative_gap
    return np.inf if gap is None else gap


def _corrected(
    problem: Problem,
    gram: Gram,
    features: Any,
    point: Long,
    multiplier: FloatArray,
    limits: _Limits,
) -> tuple[Long, str]:
    """The point after the step to the optimum, as far as doubles know it, and how that ended."""
    value, rest = long_expansion(features, problem.index, point)
    # a variable without a group has group -1, the last entry; a level common to a group is no slope
    level = np.append(multiplier, 0.0)[problem.group]
    slope = (problem.linear - value) - rest - problem.ridge * (point[0] + point[1]) - level
    lower, upper = (problem.lower - point[0]) - point[1], (problem.upper - point[0]) - point[1]
    zeros = np.zeros(problem.n_groups)
    step = Problem(slope, lower, upper, problem.index, problem.ridge, problem.group, zeros)
    basis = Basis(step, gram, np.zeros_like(slope), gradient=slope)
    status = limits.improve(basis)
    return _moved(problem, point, basis.coef, step), status


def _moved(problem: Problem, point: Long, by: FloatArray, step: Problem) -> Long:
    """``point + by``; what reaches a bound of the step lies on the bound of the problem."""
    total, lost = add_with_rest(point[0], by)
    coef, rest = add_with_rest(total, point[1] + lost)
    low, high = by == step.lower, by == step.upper
    coef = np.where(low, problem.lower, np.where(high, problem.upper, coef))
    coef = np.clip(coef, problem.lower, problem.upper)
    return coef, np.where(low | high, 0.0, rest)
