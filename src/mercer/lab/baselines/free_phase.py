"""Pair steps within a chunk, for a while among its free variables only."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mercer.lab.baselines.chunk_values import ChunkSquare
from mercer.lab.baselines.pair import Move, move_pair
from mercer.problem import Problem

__all__ = ["ChunkSteps"]

FloatArray = NDArray[np.float64]
Positions = NDArray[np.intp]


class ChunkSteps:
    """The most violating pair of a chunk, step by step (Rifkin 2002, section 2.4.1).

    After ``free_after`` consecutive steps between free variables the others are left alone,
    their gradients too, until the free ones agree; then all catch up. Gains are differences of
    gradients in signed variables: the four candidates of the two classes in one.

    Parameters
    ----------
    problem : Problem
        The whole problem.
    coef : ndarray of shape (n_variables,)
        All coefficients; those of the members change.
    members : ndarray of int
        The variables of the chunk.
    gradient : ndarray of shape (n_members,)
        Their gradients.
    square : ChunkSquare
        Kernel values between their rows.
    free_after : int
        Consecutive steps between free variables that start the free phase.
    """

    def __init__(
        self,
        problem: Problem,
        coef: FloatArray,
        members: Positions,
        gradient: FloatArray,
        square: ChunkSquare,
        free_after: int,
    ) -> None:
        self.problem, self.coef, self.members = problem, coef, members
        self.gradient, self.square, self.free_after = gradient, square, free_after
        self.slots = square.slot[problem.index[members]]
        self.grows = coef[members] < problem.upper[members]
        self.falls = coef[members] > problem.lower[members]
        self.streak = 0
        self.watched: Positions | None = None  # the free phase is on these members

    def best_pair(self) -> tuple[int, int, float]:
        """The member to raise, the member to lower, and the difference of their gradients.

        Not above 0 if there is no such pair.
        """
        watched = slice(None) if self.watched is None else self.watched
        gradient = self.gradient[watched]
        high = np.where(self.grows[watched], gradient, -np.inf)
        low = np.where(self.falls[watched], gradient, np.inf)
        if not len(gradient):
            return -1, -1, 0.0
        up, down = int(high.argmax()), int(low.argmin())
        gain = float(high[up] - low[down])
        if self.watched is not None:
            up, down = int(self.watched[up]), int(self.watched[down])
        return up, down, gain

    def take(self, up: int, down: int, slope: float) -> Move:
        """Step along a pair of members; an infinite step is not taken."""
        p, i, j = self.problem, int(self.members[up]), int(self.members[down])
        first, second = self.square.row(self.slots[up]), self.square.row(self.slots[down])
        crossing = first[self.slots[down]]
        values = np.array([first[self.slots[up]], second[self.slots[down]], crossing])
        move = move_pair(p, self.coef, i, j, slope, values)
        if move.step == np.inf:
            return move
        watched = slice(None) if self.watched is None else self.watched
        self.gradient[watched] -= move.step * (first - second)[self.slots[watched]]
        self.gradient[up] -= move.step * p.ridge[i]
        self.gradient[down] += move.step * p.ridge[j]
        self._count(up, down)
        return move

    def _count(self, up: int, down: int) -> None:
        """Whether it is time for the free phase."""
        were_free = (self.grows & self.falls)[[up, down]].all()
        for at in (up, down):
            i = self.members[at]
            self.grows[at] = self.coef[i] < self.problem.upper[i]
            self.falls[at] = self.coef[i] > self.problem.lower[i]
        if self.watched is not None:
            return
        self.streak = self.streak + 1 if were_free else 0
        if self.streak >= self.free_after:
            free = np.flatnonzero(self.grows & self.falls)
            if len(free) >= 2:
                self.watched, self.before = free, self.coef[self.members[free]]
                self.streak = 0

    def catch_up(self) -> None:
        """End the free phase: the gradients of all others, from the net change."""
        assert self.watched is not None
        change = self.coef[self.members[self.watched]] - self.before
        moved = np.flatnonzero(change)
        rest = np.setdiff1d(np.arange(len(self.members)), self.watched)
        rows = self.slots[self.watched[moved]]
        block = self.square.values[np.ix_(rows, self.slots[rest])]
        self.gradient[rest] -= change[moved] @ block
        self.watched = None
