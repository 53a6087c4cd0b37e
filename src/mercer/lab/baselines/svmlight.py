"""SVM-light: the steepest feasible direction of a few variables."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.gram import Gram
from mercer.lab.baselines.baseline import Baseline
from mercer.lab.baselines.column_cache import ColumnCache
from mercer.lab.baselines.pair import move_pair
from mercer.lab.baselines.part import solve_part
from mercer.lab.baselines.run import BaselineRun, check_trace
from mercer.problem import Problem, Solution
from mercer.problem.certificate import assess

__all__ = ["SvmLight", "steepest_direction"]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class SvmLight(Baseline):
    """The few variables of the steepest feasible direction, solved together (Joachims 1999).

    Accepts problems with one group that holds every variable. In double precision; the rows of
    the working set come from the cache of the Gram.

    Parameters
    ----------
    set_size : int, default=10
        Number of variables, even; 2 is SMO by the most violating pair.
    shrink_after : int, default=None
        Iterations in a row that a variable at a bound satisfies its KKT condition, after which
        it is left out (Joachims 1999, section 11.2.5); 100 is usual. None means never.
    final_check : bool, default=True
        Whether to look at all variables again when those that are left seem optimal, and to go
        on if one of them violates. False ends there, "stuck" if the certificate disagrees.
    trace : bool or int, default=False
        Whether to record every iteration, or every so many.

    Examples
    --------
    >>> from mercer import Gram, solve
    >>> from mercer.formulations import svc
    >>> from mercer.kernels import Linear
    >>> from mercer.lab import SvmLight
    >>> gram = Gram(Linear(), [[0.0], [1.0], [2.0], [3.0]])
    >>> solve(svc([-1, -1, 1, 1], C=1.0).problem, gram, SvmLight(set_size=2)).status
    'converged'
    """

    set_size: int = 10
    shrink_after: int | None = None
    final_check: bool = True
    trace: bool | int = False

    def __post_init__(self) -> None:
        if self.set_size < 2 or self.set_size % 2:
            raise ValueError(f"set_size must be even and at least 2, got {self.set_size!r}")
        if self.shrink_after is not None and not self.shrink_after >= 1:
            raise ValueError(f"shrink_after must be at least 1, got {self.shrink_after!r}")
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
        n_rows, n = self.gram.n_rows, self.problem.n_variables
        self.gradient = gradient  # of the active variables; of others as they left
        self.diagonal = self.kernel.diagonal()
        self.active = np.arange(n)
        self.place = self.problem.index  # of an active variable in a column
        self.columns = ColumnCache(self.kernel, n_rows, self.gram.cache_bytes // 8)
        self.calm = np.zeros(n, dtype=np.int64)  # iterations in a row that a bound was right
        self.shrink_after = self.solver.shrink_after
        if not self.solver.final_check:
            self.missed = "stuck"

    def solution(self) -> Solution:
        found = super().solution()
        computed = found.trace["rows_computed"] + self.columns.n_computed
        return replace(found, trace={**found.trace, "rows_computed": computed})

    def step(self) -> bool:
        p, some = self.problem, self.active
        up, down = steepest_direction(
            self.gradient[some],
            self.coef[some] < p.upper[some],
            self.coef[some] > p.lower[some],
            self.solver.set_size,
        )
        up, down = some[up], some[down]
        self.violation = float(self.gradient[up[0]] - self.gradient[down[0]]) if len(up) else 0.0
        if self.violation <= self.tol:
            return self._look_again()
        if not self.may_step():
            return False
        if self.stride:
            self.record((int(up[0]), int(down[0])), gap=self._gap())
        moved = self._move_pair(up[0], down[0]) if len(up) == 1 else self._move_set(up, down)
        if self.shrink_after is not None:
            self._shrink(self.shrink_after)
        return moved

    def _look_again(self) -> bool:
        """Once, at all variables, with gradients computed anew; false if nothing was left out."""
        p = self.problem
        if len(self.active) == p.n_variables or not self.solver.final_check:
            return False
        self.gradient = p.linear - p.ridge * self.coef - self.values_at(slice(None))
        self.active, self.place, self.shrink_after = np.arange(p.n_variables), p.index, None
        self.columns.activate()
        return True

    def _shrink(self, patience: int) -> None:
        """Leave out variables whose bound has been right for so many iterations."""
        p, some = self.problem, self.active
        gradient, grows = self.gradient[some], self.coef[some] < p.upper[some]
        falls = self.coef[some] > p.lower[some]
        free = grows & falls
        if not free.any():
            return
        threshold = gradient[free].mean()
        is_right = (grows & ~falls & (gradient < threshold)) | (
            falls & ~grows & (gradient > threshold)
        )
        self.calm[some] = np.where(is_right, self.calm[some] + 1, 0)
        stays = self.calm[some] < patience
        if not stays.all():
            self.active = some[stays]
            rows, self.place = np.unique(p.index[self.active], return_inverse=True)
            self.columns.restrict(rows)

    def _values(self, row: int) -> FloatArray:
        """Kernel values of a row with the active variables."""
        return self.columns.column(row)[self.place]

    def _move_pair(self, up: int, down: int) -> bool:
        p, i, j = self.problem, self.problem.index[up], self.problem.index[down]
        first, second = self._values(i), self._values(j)
        between = first[np.searchsorted(self.active, down)]
        values = np.array([self.diagonal[i], self.diagonal[j], between])
        move = move_pair(p, self.coef, up, down, self.violation, values)
        if move.step == np.inf:
            self.status = "unbounded"
            return False
        # in the order of the compiled loop, for the same rounding
        self.gradient[up] -= move.step * p.ridge[up]
        self.gradient[down] += move.step * p.ridge[down]
        self.gradient[self.active] -= move.step * (first - second)
        return self._count(move.gain, move.step)

    def _move_set(self, up: NDArray[np.intp], down: NDArray[np.intp]) -> bool:
        p, members = self.problem, np.concatenate([up, down])
        rows = np.array([self._values(i) for i in p.index[members]])
        part = solve_part(
            p,
            self.coef,
            members,
            self.gradient[members],
            rows[:, np.searchsorted(self.active, members)],
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
        self.gradient[self.active] -= change @ rows
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
        """Infinite while gradients are missing."""
        p = self.problem
        if len(self.active) < p.n_variables:
            return np.inf
        values = p.linear - self.gradient - p.ridge * self.coef
        gap = assess(p, self.coef, values, self.gram.definiteness).gap
        return np.inf if gap is None else gap
