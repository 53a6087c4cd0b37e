"""SVM-light: the steepest feasible direction of a few variables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.gram import Gram
from mercer.problem import Problem, assess
from mercer.solvers.baselines.baseline import Baseline
from mercer.solvers.baselines.pair import move_pair
from mercer.solvers.baselines.part import solve_part
from mercer.solvers.baselines.run import BaselineRun, check_trace

__all__ = ["SvmLight", "steepest_direction"]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class SvmLight(Baseline):
    """The few variables of the steepest feasible direction, solved together (Joachims 1999).

    Accepts problems with one group that holds every variable. In double precision, without
    shrinking; the rows of the working set come from the cache of the Gram.

    Parameters
    ----------
    set_size : int, default=10
        Number of variables, even; 2 is SMO by the most violating pair.
    trace : bool or int, default=False
        Whether to record every iteration, or every so many.
    """

    set_size: int = 10
    trace: bool | int = False

    def __post_init__(self) -> None:
        if self.set_size < 2 or self.set_size % 2:
            raise ValueError(f"set_size must be even and at least 2, got {self.set_size!r}")
        check_trace(self.trace)

    name = "svmlight"

    def _run(self, problem: Problem, gram: Gram, **limits: Any) -> BaselineRun:
        return _Run(self, problem, gram, **limits)


def steepest_direction(
    gradient: FloatArray, can_grow: NDArray[np.bool_], can_fall: NDArray[np.bool_], set_size: int
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Variables to raise and to lower: the best direction with entries in [-1, 1].

    It maximizes gradient' d over all d with sum zero, at most ``set_size`` nonzero entries and
    the signs the box allows: the largest gradients of what may grow against the smallest of
    what may fall, while the one exceeds the other (docs/theory/chunked.md#svm-light). Ties go to
    the last.
    """
    grow, fall = np.flatnonzero(can_grow), np.flatnonzero(can_fall)
    # stable sorts of the reversed lists put the last of equals first
    top = grow[::-1][np.argsort(-gradient[grow[::-1]], kind="stable")][: set_size // 2]
    bottom = fall[::-1][np.argsort(gradient[fall[::-1]], kind="stable")][: set_size // 2]
    n = min(len(top), len(bottom))
    n = int(np.count_nonzero(gradient[top[:n]] > gradient[bottom[:n]]))
    return top[:n], bottom[:n]


class _Run(BaselineRun):
    solver: SvmLight

    def prepare(self, gradient: FloatArray) -> None:
        self.gradient = gradient
        self.diagonal = self.kernel.diagonal()

    def step(self) -> bool:
        p = self.problem
        up, down = steepest_direction(
            self.gradient, self.coef < p.upper, self.coef > p.lower, self.solver.set_size
        )
        self.violation = float(self.gradient[up[0]] - self.gradient[down[0]]) if len(up) else 0.0
        if self.violation <= self.tol or not self.may_step():
            return False
        if self.stride:
            self.record((int(up[0]), int(down[0])), gap=self._gap())
        return self._move_pair(up[0], down[0]) if len(up) == 1 else self._move_set(up, down)

    def _move_pair(self, up: int, down: int) -> bool:
        p, i, j = self.problem, self.problem.index[up], self.problem.index[down]
        first, second = self.kernel.row(i), self.kernel.row(j)
        values = np.array([self.diagonal[i], self.diagonal[j], first[j]])
        move = move_pair(p, self.coef, up, down, self.violation, values)
        if move.step == np.inf:
            self.status = "unbounded"
            return False
        # in the order of the compiled loop, for the same rounding
        self.gradient[up] -= move.step * p.ridge[up]
        self.gradient[down] += move.step * p.ridge[down]
        self.gradient -= move.step * (first - second)[p.index]
        return self._count(move.gain, move.step)

    def _move_set(self, up: NDArray[np.intp], down: NDArray[np.intp]) -> bool:
        p, members = self.problem, np.concatenate([up, down])
        rows = np.array([self.kernel.row(i) for i in p.index[members]])
        part = solve_part(
            p,
            self.coef,
            members,
            self.gradient[members],
            rows[:, p.index[members]],
            0.1 * self.tol,
            self.seconds_left(),
        )
        if part.status == "unbounded":
            self.status = "unbounded"
            return False
        change = part.coef - self.coef[members]
        slope = float(change @ self.gradient[members])
        self.coef[members] = part.coef
        self.gradient[members] -= p.ridge[members] * change
        self.gradient -= (change @ rows)[p.index]
        # the gain of a quadratic: half the slope at either end
        gain = 0.5 * (slope + float(change @ self.gradient[members]))
        return self._count(gain, float(np.abs(change).max()))

    def _count(self, gain: float, length: float) -> bool:
        """Whether the step changed anything."""
        self.iterations += 1
        self.objective += gain
        if length == 0.0:
            self.status = "precision-limit"
        return length > 0.0

    def _gap(self) -> float:
        p = self.problem
        values = p.linear - self.gradient - p.ridge * self.coef
        gap = assess(p, self.coef, values, self.gram.is_positive_definite).gap
        return np.inf if gap is None else gap
