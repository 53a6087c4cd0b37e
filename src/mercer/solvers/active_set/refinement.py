"""Digits that doubles do not have: the active-set method repeated on what is left to correct.

Where coefficients and kernel values are both large, a slope in double precision is noise. With w
summed to twice the digits (:mod:`mercer.problem.error_free`) the slopes s of a point beta are
known, and the step to the optimum is a problem of the same form,

    maximize    s'd - 1/2 d'(K + diag(ridge)) d
    subject to  lower - beta <= d <= upper - beta,   sum of d over every group = 0,

whose solution is small in all variables that are free already, and so are its rounding errors. The
point is kept as a double and a rest, since its slopes need more digits than a double has; what is
returned, and certified, is the double.

The kernel matrix may have more condition than doubles have digits, and the active-set method
would take directions for flat that are not. A proximal term on its diagonal keeps it from that, at
at the cost of shorter steps: they find out who is free, and
:mod:`mercer.solvers.active_set.feature_step` goes to the maximum over these. Neither step can
lose.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.gram import Gram
from mercer.problem import Problem, Solution, certify
from mercer.problem.error_free import Long, add_with_rest, long_expansion
from mercer.solvers.active_set.basis import Basis
from mercer.solvers.active_set.feature_step import feature_step
from mercer.solvers.runs.margin import largest_diagonal, violation_scale
from mercer.solvers.runs.progress import Callback, continued
from mercer.solvers.runs.start import are_sums_worth

__all__ = ["refined"]

FloatArray = NDArray[np.float64]

_ROUNDS = 100
_RELATIVE_GAP = 1e-13
_RELATIVE_GAIN = 1e-15
_PROXIMAL = 1e-12  # of the largest kernel value: above the noise of a pivot


@dataclass
class _Limits:
    """The remaining steps and time of a run."""

    steps: int
    deadline: float
    callback: Callback | None
    taken: int  # steps before the run
    began: float  # the time at which the first of them was taken

    def improve(self, basis: Basis, objective: float) -> str:
        """Runs the active-set method on a step from a point of an objective; how it ended."""
        now = time.perf_counter()
        callback = continued(
            self.callback, iterations=self.taken, seconds=now - self.began, objective=objective
        )
        left = max(self.deadline - now, 0.0)
        status = basis.improve(max_iter=self.steps, max_time=left, callback=callback)
        self.taken += basis.n_iterations
        self.steps -= basis.n_iterations
        return status


def refined(
    problem: Problem,
    gram: Gram,
    solution: Solution,
    *,
    tol: float = 1e-3,
    max_iter: int = -1,
    max_time: float | None = None,
    callback: Callback | None = None,
) -> Solution:
    """A solution that ended at the limit of precision, or a better one.

    Only a linear kernel has more digits to offer; every other ``solution`` is returned as it is.
    ``max_iter`` and ``max_time`` bound the whole run, ``solution`` included.
    """
    if solution.status != "precision-limit" or not _has_room(gram, solution):
        return solution
    features = gram.features()
    if features is None:
        return solution
    began, evaluations = time.perf_counter(), gram.n_evaluations
    steps = max(10**7, 100 * problem.n_variables) if max_iter < 0 else max_iter
    seconds = np.inf if max_time is None else max_time - solution.seconds
    limits = _Limits(
        max(steps - solution.n_iter, 0),
        began + seconds,
        callback,
        solution.n_iter,
        began - solution.seconds,
    )
    before = limits.steps
    best = _best(problem, gram, features, solution, limits)
    aim = tol * violation_scale(problem, gram, best.coef, best)
    return replace(
        best,
        n_iter=solution.n_iter + before - limits.steps,
        n_kernel=solution.n_kernel + gram.n_evaluations - evaluations,
        seconds=solution.seconds + time.perf_counter() - began,
        status="converged" if best.is_within(aim) and best.is_feasible else best.status,
    )


def _best(
    problem: Problem, gram: Gram, features: Any, solution: Solution, limits: _Limits
) -> Solution:
    """The point with the smallest gap on the way; its status says why the way ended."""
    best, status = solution, "precision-limit"
    place = _Place.at(problem, features, (solution.coef, np.zeros_like(solution.coef)))
    for _ in range(_ROUNDS):
        before = place.objective
        place, ended = _round(place, gram, limits)
        found = _certified(problem, gram, place.point[0], solution)
        best = min(best, found, key=_relative)
        if ended in ("max-iter", "max-time", "callback"):
            status = ended
            break
        gain = place.objective - before
        if _relative(best) <= _RELATIVE_GAP or not gain > _RELATIVE_GAIN * abs(before):
            break
    return replace(best, status=status)  # type: ignore[arg-type]


def _certified(problem: Problem, gram: Gram, coef: FloatArray, solution: Solution) -> Solution:
    """The double of a point, its group sums restored if they are worth something."""
    coef, certificate = coef.copy(), certify(problem, gram, coef, accuracy=0.0)
    if gram.shift is not None or are_sums_worth(problem, coef, certificate):
        problem._native.restore_sums(coef)
        certificate = certify(problem, gram, coef, accuracy=0.0)
    return replace(solution, coef=coef, **vars(certificate))


def _has_room(gram: Gram, solution: Solution) -> bool:
    """Whether products of coefficients and rows stay far from overflow."""
    largest = float(np.abs(gram.diagonal()).max(initial=0.0))
    if not np.isfinite(solution.violation):
        return False
    return largest < 1e200 and float(np.abs(solution.coef).max(initial=0.0)) < 1e50


def _relative(solution: Solution) -> float:
    gap = solution.relative_gap
    return np.inf if gap is None else gap


@dataclass(frozen=True)
class _Place:
    """A point of a problem, its dual value and the problem of the step from there."""

    problem: Problem
    features: Any
    point: Long
    objective: float
    left: Problem

    @classmethod
    def at(cls, problem: Problem, features: Any, point: Long) -> _Place:
        value, rest = long_expansion(features, problem.index, point)
        coef = point[0] + point[1]
        gradient = (problem.linear - value) - rest - problem.ridge * coef
        left = Problem(
            gradient - _group_gradient(problem, point[0], gradient),
            (problem.lower - point[0]) - point[1],
            (problem.upper - point[0]) - point[1],
            problem.index,
            problem.ridge,
            problem.group,
            np.zeros(problem.n_groups),
        )
        # linear'b - b'(K + ridge)b / 2 = b'(linear + gradient) / 2
        objective = 0.5 * float(coef @ (problem.linear + gradient))
        return cls(problem, features, point, objective, left)

    def moved(self, by: FloatArray) -> _Place:
        """Where the step ``by`` leads; what reaches a bound of it lies on the problem's bound."""
        total, lost = add_with_rest(self.point[0], by)
        coef, rest = add_with_rest(total, self.point[1] + lost)
        lower, upper = self.problem.lower, self.problem.upper
        low, high = by == self.left.lower, by == self.left.upper
        coef = np.clip(np.where(low, lower, np.where(high, upper, coef)), lower, upper)
        return _Place.at(self.problem, self.features, (coef, np.where(low | high, 0.0, rest)))


def _group_gradient(problem: Problem, coef: FloatArray, gradient: FloatArray) -> FloatArray:
    """The mean gradient of the free variables of each variable's group, which is no slope."""
    free = (coef > problem.lower) & (coef < problem.upper)
    count = problem.group_sums(free)
    mean = problem.group_sums(np.where(free, gradient, 0.0)) / np.maximum(count, 1.0)
    # a variable without a group has group -1, the last entry
    return np.append(mean, 0.0)[problem.group]


def _round(place: _Place, gram: Gram, limits: _Limits) -> tuple[_Place, str]:
    """A step that finds the bounds, one that is exact between them, and how the first ended."""
    ridge = place.left.ridge + _PROXIMAL * largest_diagonal(place.problem, gram)
    left = replace(place.left, ridge=ridge)
    basis = Basis(left, gram, np.zeros_like(ridge), gradient=left.linear)
    status = limits.improve(basis, place.objective)
    found = place.moved(basis.coef)
    return found.moved(feature_step(found.left, found.features, limits.deadline)), status
