"""Scheinberg's active set method."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.gram import Gram
from mercer.lab.baselines.baseline import Baseline
from mercer.lab.baselines.centred_factor import CentredFactor
from mercer.lab.baselines.run import BaselineRun, check_trace
from mercer.problem import Problem, Solution

__all__ = ["SvmQp"]

FloatArray = NDArray[np.float64]
Variables = NDArray[np.intp]
_ROUNDING = 1e-14


@dataclass(frozen=True)
class SvmQp(Baseline):
    """One variable at a time joins the free ones, which stay at the optimum among themselves.

    Scheinberg 2006, as far as Sentelle 2014 describes it (sections 4.3 and 5.7). The free
    variables answer a newcomer so that their gradients stay equal, up to the optimum or to the
    first bound, whose variable leaves; then again. Where the objective is flat on that way, because
    the kernel matrix of the free variables is singular, the step goes to a bound. Newcomers come
    from a list, most violating first, that holds the worst of either end of their boxes and is made
    anew when none of them violates. Accepts problems with one group that holds every variable. In
    double precision; the kernel rows of free variables are kept.

    Parameters
    ----------
    list_size : int or None, default=100
        Variables in the list, half of them from either end of the box; None for no list: the most
        violating of all comes next.
    trace : bool or int, default=False
        Whether to record every step, or every so many. Besides, ``Solution.trace`` has the
        number of ``flat_steps``.

    Examples
    --------
    >>> from mercer import Gram, solve
    >>> from mercer.formulations import svc
    >>> from mercer.kernels import Linear
    >>> from mercer.lab import SvmQp
    >>> gram = Gram(Linear(), [[0.0], [1.0], [2.0], [3.0]])
    >>> solve(svc([-1, -1, 1, 1], C=1.0).problem, gram, SvmQp()).status
    'converged'
    """

    list_size: int | None = 100
    trace: bool | int = False

    def __post_init__(self) -> None:
        if self.list_size is not None and not self.list_size >= 2:
            raise ValueError(f"list_size must be None or at least 2, got {self.list_size!r}")
        check_trace(self.trace)

    name = "svm-qp"

    def _run(self, problem: Problem, gram: Gram, **limits: Any) -> BaselineRun:
        return _Run(self, problem, gram, **limits)


class _Run(BaselineRun):
    solver: SvmQp

    def prepare(self, gradient: FloatArray) -> None:
        p = self.problem
        self.gradient, self.diagonal = gradient, self.kernel.diagonal()[p.index] + p.ridge
        self.factor, self.rows = CentredFactor(), dict[int, FloatArray]()
        free = (self.coef > p.lower) & (self.coef < p.upper)
        self.waiting = list(np.flatnonzero(free)[::-1])  # free at the start, to be let in
        self.candidates: Variables = np.empty(0, dtype=np.intp)
        self.newcomer = -1
        self.flat_steps, self.idle_steps = 0, 0

    def step(self) -> bool:
        if self.newcomer < 0:
            self.newcomer = self._next()
        return self.newcomer >= 0 and self.may_step() and self._move(self.newcomer)

    def solution(self) -> Solution:
        """The solution, with the number of flat steps."""
        found = super().solution()
        found.trace["flat_steps"] = self.flat_steps  # type: ignore[index]
        return found

    def _next(self) -> int:
        """The next newcomer; -1 at the optimum."""
        if not self.problem.n_variables:
            return -1
        if self.waiting:
            return int(self.waiting.pop())
        if not self.factor.members:
            return 0
        if len(self.candidates):
            excess = self._excess(self.candidates)
            best = int(excess.argmax())
            if excess[best] > 0.5 * self.tol:
                found, self.candidates = self.candidates[best], np.delete(self.candidates, best)
                return int(found)
        return self._look_at_all()

    def _look_at_all(self) -> int:
        """The most violating of all, and a new list of candidates."""
        p, everything = self.problem, np.arange(self.problem.n_variables)
        excess = self._excess(everything)
        up, down = self.coef < p.upper, self.coef > p.lower
        self.violation = float(
            self.gradient[up].max(initial=-np.inf) - self.gradient[down].min(initial=np.inf)
        )
        if self.violation <= self.tol:
            return -1
        if self.idle_steps > 2 * len(excess) + 10:  # the first one instead: no circle is endless
            self.candidates = np.empty(0, dtype=np.intp)
            return int(np.flatnonzero(excess > 0.25 * self.tol)[0])
        far = np.abs(self.coef) >= np.maximum(np.abs(p.lower), np.abs(p.upper))
        if self.solver.list_size is None:
            return int(excess.argmax())
        half, chosen = self.solver.list_size // 2, []
        for end in (far, ~far):
            members = np.flatnonzero(end & (excess > 0.25 * self.tol))
            chosen.append(members[np.argsort(-excess[members], kind="stable")[:half]])
        self.candidates = np.concatenate(chosen)
        best = int(self.candidates[self._excess(self.candidates).argmax()])
        self.candidates = self.candidates[self.candidates != best]
        return best

    def _excess(self, variables: Variables) -> FloatArray:
        """How much each variable gains on the free ones by moving; 0 for those themselves."""
        p, coef = self.problem, self.coef[variables]
        ahead = self.gradient[variables] - self._level()
        up = np.where(coef < p.upper[variables], ahead, 0.0)
        excess = np.maximum(up, np.where(coef > p.lower[variables], -ahead, 0.0))
        excess[np.isin(variables, self.factor.members)] = 0.0
        return np.asarray(excess)

    def _level(self) -> float:
        """The gradient that the free variables share: the bias."""
        return float(self.gradient[self.factor.members[0]])

    def _row(self, variable: int) -> FloatArray:
        """Kernel values of a variable with all of them, kept while it is free."""
        if variable not in self.rows:
            row = np.array(self.kernel.row(self.problem.index[variable]))[self.problem.index]
            row[variable] += self.problem.ridge[variable]
            self.rows[variable] = row
        return self.rows[variable]

    def _move(self, i: int) -> bool:
        """One step of a newcomer and the free variables."""
        if not self.factor.members:
            self._join(i)
            return True
        own, members = self._row(i), self.factor.members
        entry = self.factor.entry(own[members], float(self.diagonal[i]))
        slope = float(self.gradient[i]) - self._level()
        moving = np.append(members, i)
        direction = np.append(entry.direction, 1.0) * (1.0 if slope >= 0.0 else -1.0)
        room = self._room(moving, direction)
        blocking = int(room.argmin())
        full = abs(slope) / entry.curvature if entry.curvature > 0.0 else np.inf
        length = min(full, float(room[blocking]))
        if length == np.inf:
            self.status = "unbounded"
            return False
        self._take(moving, direction, length, abs(slope), entry.curvature)
        if full <= room[blocking]:
            self._join(i)
            return True
        self._set_to_bound(int(moving[blocking]), direction[blocking] > 0.0)
        if blocking < len(members):
            del self.rows[members[blocking]]
            self.factor.remove(blocking)
        else:
            del self.rows[i]
            self.newcomer = -1
        return True

    def _join(self, i: int) -> None:
        own, members = self._row(i), self.factor.members
        self.factor.append(i, own[members], float(self.diagonal[i]))
        self.newcomer = -1

    def _room(self, moving: Variables, direction: FloatArray) -> FloatArray:
        """How far each variable may go."""
        p, coef = self.problem, self.coef[moving]
        above, below = p.upper[moving] - coef, coef - p.lower[moving]
        room = np.full(len(moving), np.inf)
        moves = np.abs(direction) > _ROUNDING
        np.divide(np.where(direction > 0, above, below), np.abs(direction), out=room, where=moves)
        return room

    def _take(
        self, moving: Variables, direction: FloatArray, length: float, slope: float, curve: float
    ) -> None:
        self.record((int(moving[-1]), -1))
        change = length * direction
        self.coef[moving] += change
        self.gradient -= change @ np.array([self._row(int(v)) for v in moving])
        self.objective += length * (slope - 0.5 * curve * length)
        self.iterations += 1
        self.flat_steps += curve == 0.0
        self.idle_steps = 0 if length > 0.0 else self.idle_steps + 1

    def _set_to_bound(self, variable: int, grows: bool) -> None:
        p = self.problem
        self.coef[variable] = (p.upper if grows else p.lower)[variable]
