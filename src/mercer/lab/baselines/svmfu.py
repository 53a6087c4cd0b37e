"""SvmFu: large chunks, a queue of outsiders by slack, kernel values kept in two tiers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.gram import Gram
from mercer.lab.baselines.baseline import Baseline
from mercer.lab.baselines.chunk_values import ChunkRectangle, ChunkSquare
from mercer.lab.baselines.free_phase import ChunkSteps
from mercer.lab.baselines.run import BaselineRun, check_trace
from mercer.problem import Problem, Solution

__all__ = ["SvmFu"]

FloatArray = NDArray[np.float64]
Variables = NDArray[np.intp]


@dataclass(frozen=True)
class SvmFu(Baseline):
    """SvmFu as its author described it (Rifkin 2002, section 2.4), with the constants he gave.

    A chunk is solved by most-violating pairs on kernel values computed once; then variables
    outside are looked at in the order of the slack they had when last looked at, and violators
    take the places of the members with most slack. Accepts problems with one group that holds
    every variable. In double precision; a chunk too small for the free variables grows. The
    trace of a solution counts ``chunks``, ``free_phases`` and ``chunk_values``, the kernel values
    computed between members of a chunk; an iteration is a step along a pair.

    Parameters
    ----------
    chunk_size : int, default=2000
        Variables solved together.
    free_after : int, default=100
        Consecutive steps between free variables after which a chunk goes on with its free
        variables only, until they agree.
    keep_extra : int, default=200
        Members beside the free ones that an exchange leaves in the chunk.
    min_swap : int, default=100
        Most violators brought in at a time, if the members kept leave room for fewer.
    lookahead : int, default=200
        Variables without a violation that end the look at those outside, after one with.
    shrink_after : int, default=None
        Looks in a row without a violation after which a variable outside is looked at no more,
        until no other violates. None means never.
    final_check : bool, default=True
        Whether all variables are then looked at again. False ends there, "stuck" if the
        certificate disagrees.
    n_outside : int, default=7000
        Rows outside whose kernel values with the chunk are kept.
    random_state : int, default=0
        Seed of the draw of the first chunk.
    trace : bool or int, default=False
        Whether to record every step, or every so many.

    Examples
    --------
    >>> from mercer import Gram, solve
    >>> from mercer.formulations import svc
    >>> from mercer.kernels import Linear
    >>> from mercer.lab import SvmFu
    >>> gram = Gram(Linear(), [[0.0], [1.0], [2.0], [3.0]])
    >>> solve(svc([-1, -1, 1, 1], C=1.0).problem, gram, SvmFu()).status
    'converged'
    """

    chunk_size: int = 2000
    free_after: int = 100
    keep_extra: int = 200
    min_swap: int = 100
    lookahead: int = 200
    shrink_after: int | None = None
    final_check: bool = True
    n_outside: int = 7000
    random_state: int = 0
    trace: bool | int = False

    def __post_init__(self) -> None:
        least = {"chunk_size": 2, "free_after": 1, "min_swap": 1, "lookahead": 1}
        least |= {"keep_extra": 0, "n_outside": 0, "random_state": 0}
        if self.shrink_after is not None:
            least["shrink_after"] = 1
        for name, bound in least.items():
            if not getattr(self, name) >= bound:
                raise ValueError(f"{name} must be at least {bound}, got {getattr(self, name)!r}")
        check_trace(self.trace)

    name = "svmfu"

    def _run(self, problem: Problem, gram: Gram, **limits: Any) -> BaselineRun:
        return _Run(self, problem, gram, **limits)


class _Run(BaselineRun):
    solver: SvmFu

    def solution(self) -> Solution:
        found = super().solution()
        counted = {
            "chunks": self.chunks,
            "free_phases": self.free_phases,
            "chunk_values": self.square.n_computed,
        }
        return replace(found, trace={**found.trace, **counted})

    def prepare(self, gradient: FloatArray) -> None:
        p, n = self.problem, self.problem.n_variables
        self.square = ChunkSquare(self.kernel, self.kernel.diagonal())
        self.rectangle = ChunkRectangle(self.square, self.solver.n_outside)
        self.capacity = self.solver.chunk_size
        self.shrink_after = self.solver.shrink_after
        self.slack = np.full(n, -1.0)  # when last looked at
        self.calm = np.zeros(n, dtype=np.int64)  # looks in a row without a violation
        self.outside = np.zeros(n)  # K coef, of the coefficients outside the chunk
        self.chunks = self.free_phases = 0
        order = np.random.default_rng(self.solver.random_state).permutation(n)
        free, fixed = (self.coef > p.lower) & (self.coef < p.upper), p.lower == p.upper
        first = order[np.argsort((fixed * 2 - free)[order], kind="stable")]
        members = np.sort(first[: max(self.capacity, int(free.sum()) + 1)])
        self._account_for(np.setdiff1d(np.arange(n), members), 1.0)
        self._hold(members)
        self._start_chunk(members)

    def _account_for(self, variables: Variables, sign: float) -> None:
        """Variables that leave the chunk (+1) or enter it (-1) change the sum outside."""
        p, some = self.problem, variables[self.coef[variables] != 0.0]
        if len(some):
            weights = sign * self.coef[some][:, None]
            self.outside += self.kernel.product(p.index[some], weights, None)[0][p.index]

    def _hold(self, members: Variables) -> None:
        """Let the rows of these be in the chunk."""
        self.rectangle.forget(self.square.hold(np.unique(self.problem.index[members])))

    def _start_chunk(self, members: Variables) -> None:
        """With the gradients of the members: the values of what has coefficients, and outside."""
        p, slots = self.problem, self.square.slot[self.problem.index[members]]
        used, weights = self._support(members)
        for slot in used:
            self.square.row(slot)
        gradient = p.linear[members] - p.ridge[members] * self.coef[members]
        gradient -= self.outside[members] + (weights @ self.square.values[used])[slots]
        self.members, self.chunks = members, self.chunks + 1
        self.steps = ChunkSteps(
            p, self.coef, members, gradient, self.square, self.solver.free_after
        )

    def _support(self, members: Variables) -> tuple[Variables, FloatArray]:
        """Slots of rows with coefficients in the chunk, and these."""
        slots = self.square.slot[self.problem.index[members]]
        total: FloatArray = np.zeros(len(self.square.rows))
        np.add.at(total, slots, self.coef[members])
        used = np.flatnonzero(total)
        return used, total[used]

    def step(self) -> bool:
        up, down, gain = self.steps.best_pair()
        self.violation = max(gain, 0.0)
        if gain > 0.4 * self.tol:
            return self.may_step() and self._take(up, down, gain)
        if self.steps.watched is not None:
            self.steps.catch_up()
            return True
        return self._exchange()

    def _take(self, up: int, down: int, gain: float) -> bool:
        i, j = int(self.members[up]), int(self.members[down])
        self.record((i, j))
        before, phase = (self.coef[i], self.coef[j]), self.steps.watched
        move = self.steps.take(up, down, gain)
        if move.step == np.inf:
            self.status = "unbounded"
            return False
        self.free_phases += phase is None and self.steps.watched is not None
        self.iterations += 1
        self.objective += move.gain
        if (self.coef[i], self.coef[j]) == before:
            self.status = "precision-limit"
        return self.status == "converged"

    def _exchange(self) -> bool:
        """Bring violators in; false if there are none."""
        threshold, kept = self._threshold()
        self.capacity = max(self.capacity, int(kept.sum()) + self.solver.min_swap)
        room = max(self.solver.min_swap, self.capacity - int(kept.sum()) - self.solver.keep_extra)
        used, weights = self._support(self.members)
        new, columns = self._violators(threshold, room, used, weights)
        if self.status != "converged":
            return False
        if not len(new):
            return self._look_again()
        self._swap(new, columns, used, threshold, kept)
        return True

    def _look_again(self) -> bool:
        """Once, at all that were looked at no more; the certificate is for all variables."""
        if not self.solver.final_check:
            self.missed = "stuck"
            return False
        if self.shrink_after is None or (self.calm < self.shrink_after).all():
            return False
        self.shrink_after = None
        return True

    def _threshold(self) -> tuple[float, NDArray[np.bool_]]:
        """The bias, and the members it rests on: the free ones, or else the two extremes."""
        gradient, grows, falls = self.steps.gradient, self.steps.grows, self.steps.falls
        kept = grows & falls
        if kept.any():
            return float(gradient[kept].mean()), kept
        high, low = np.flatnonzero(grows), np.flatnonzero(falls)
        ends = [
            int(side[pick(gradient[side])])
            for side, pick in ((high, np.argmax), (low, np.argmin))
            if len(side)
        ]
        kept[ends] = True
        return float(gradient[ends].mean()) if ends else 0.0, kept

    def _slack_of(self, variables: Variables, gradient: FloatArray, threshold: float) -> FloatArray:
        """How far a variable may move before it violates; negative if it does."""
        p, coef = self.problem, self.coef[variables]
        rise = np.where(coef < p.upper[variables], threshold - gradient, np.inf)
        fall = np.where(coef > p.lower[variables], gradient - threshold, np.inf)
        return np.minimum(rise, fall)

    def _violators(
        self, threshold: float, room: int, used: Variables, weights: FloatArray
    ) -> tuple[Variables, FloatArray]:
        """Variables outside that violate, and their kernel values with the slots in use."""
        queue, look = self._queue(), self.solver.lookahead
        new: list[Variables] = [np.empty(0, dtype=np.intp)]
        columns: list[FloatArray] = [np.empty((len(used), 0))]
        seen, found, last = 0, 0, None
        while seen < len(queue) and found < room and self.may_go_on():
            ahead = look if last is None else last + look - seen
            if ahead <= 0:
                break
            some = queue[seen : seen + min(ahead, room - found)]
            block = self.rectangle.block(used, self.problem.index[some])
            violates = self._look_at(some, weights @ block, threshold)
            new.append(some[violates])
            columns.append(block[:, violates])
            if violates.any():
                last = seen + int(np.flatnonzero(violates)[-1]) + 1
            seen, found = seen + len(some), found + int(violates.sum())
        return np.concatenate(new), np.concatenate(columns, axis=1)

    def _queue(self) -> Variables:
        """Variables outside, least slack first, without those that never move."""
        waiting = self.problem.lower < self.problem.upper
        waiting[self.members] = False
        if self.shrink_after is not None:
            waiting &= self.calm < self.shrink_after
        outside = np.flatnonzero(waiting)
        return outside[np.argsort(self.slack[outside], kind="stable")]

    def _look_at(
        self, variables: Variables, inside: FloatArray, threshold: float
    ) -> NDArray[np.bool_]:
        """Which of them violate by more than half the tolerance; all get their new slack."""
        p = self.problem
        gradient = p.linear[variables] - p.ridge[variables] * self.coef[variables]
        gradient -= self.outside[variables] + inside
        self.slack[variables] = self._slack_of(variables, gradient, threshold)
        violates: NDArray[np.bool_] = self.slack[variables] < -0.5 * self.tol
        self.calm[variables] = np.where(violates, 0, self.calm[variables] + 1)
        return violates

    def _swap(
        self,
        new: Variables,
        columns: FloatArray,
        used: Variables,
        threshold: float,
        kept: NDArray[np.bool_],
    ) -> None:
        """Let the new ones in and those with most slack out."""
        p, members = self.problem, self.members
        self.slack[members] = self._slack_of(members, self.steps.gradient, threshold)
        n_out = max(len(members) + len(new) - self.capacity, 0)
        rank = np.where(kept, -np.inf, self.slack[members])
        stays = np.sort(np.argsort(rank, kind="stable")[: len(members) - n_out])
        leaving = np.delete(members, stays)
        self._account_for(leaving, 1.0)
        self._account_for(new, -1.0)
        members = np.append(members[stays], new)
        rows = self.square.rows[used]
        self._hold(members)
        held = self.square.slot[rows] >= 0
        self.square.learn(used[held], self.square.slot[p.index[new]], columns[held])
        self._start_chunk(members)
