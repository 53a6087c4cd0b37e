"""Pairs of small classes in a search: all those of a split in one native call for each price.

A problem of twenty rows takes the core less time than its call, and thirty classes have 435 pairs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mercer.formulations import Formulation
from mercer.gram import Gram
from mercer.problem import Problem
from mercer.selection.adjoint import Scaling
from mercer.selection.objectives.base import OutOfTime
from mercer.solvers.batch import Batch, solve_batch

__all__ = ["SmallParts"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]
BoolArray = NDArray[np.bool_]

_FEW_VARIABLES = 60  # of a problem: larger ones gain more by starting from the price before
_FEWEST = 10  # problems
_MOST_ROWS = 3000  # of the matrix that they share
_NAMES = ("linear", "lower", "upper", "index", "ridge", "group")


@dataclass(frozen=True, eq=False)
class SmallParts:
    """Problems of few variables at the price 1, one after the other in the arrays of one.

    Attributes
    ----------
    problem : Problem
        All of them.
    offsets : ndarray of shape (n_problems + 1,)
        Where each begins, and where the last one ends.
    part : ndarray of shape (n_problems,)
        What each of them is the problem of.
    """

    problem: Problem
    offsets: IntArray
    part: IntArray

    @classmethod
    def of(cls, units: Sequence[Formulation]) -> SmallParts | None:
        """The small ones of the problems of all parts; None if there are few."""
        found = [
            (p, unit.problem)
            for p, unit in enumerate(units)
            if unit.problem.n_variables <= _FEW_VARIABLES and _can_move(unit.problem)
        ]
        if len(found) < _FEWEST:
            return None
        part, problems = zip(*found, strict=True)
        sizes = [problem.n_variables for problem in problems]
        return cls(_joined(problems), np.cumsum([0, *sizes]), np.array(part))

    @staticmethod
    def suit(gram: Gram) -> bool:
        """Whether there is room for the whole matrix that they read, in double precision."""
        return gram.n_rows <= _MOST_ROWS and 8 * gram.n_rows**2 <= gram.cache_bytes

    def followed(
        self,
        gram: Gram,
        prices: Sequence[float],
        scaling: Scaling,
        tol: float,
        seconds_left: Callable[[], float],
    ) -> Iterator[tuple[FloatArray, FloatArray, IntArray]]:
        """Coefficients, biases, and which are to be solved singly, for one price after the other.

        Prices ascend, and boxes with them: a machine without a coefficient at its bound is that of
        all larger prices, if nothing else moves.
        """
        sizes = np.diff(self.offsets)
        coef, bias = np.zeros(self.problem.n_variables), np.zeros(len(sizes))
        is_plain, is_open = np.ones(len(sizes), dtype=bool), np.ones(len(sizes), dtype=bool)
        for price in prices:
            box, ridge = price**scaling.box, price**scaling.ridge
            if is_open.any():
                at = np.repeat(is_open, sizes)
                found = self._solve(at, is_open, gram, (box, ridge), tol, seconds_left())
                coef[at], bias[is_open] = found.coef, found.multiplier.sum(axis=1)
                is_plain[is_open] = found.is_plain
                is_open = ~is_plain | self._may_change(coef, box)
            yield coef, bias, np.flatnonzero(~is_plain)

    def _solve(
        self,
        at: BoolArray,
        is_open: BoolArray,
        gram: Gram,
        factors: tuple[float, float],
        tol: float,
        max_time: float,
    ) -> Batch:
        """Some of the problems, with these factors of their boxes and ridges."""
        some = {name: getattr(self.problem, name)[at] for name in _NAMES}
        some["lower"], some["upper"] = factors[0] * some["lower"], factors[0] * some["upper"]
        some["ridge"] = factors[1] * some["ridge"]
        problem = Problem(**some, group_sum=self.problem.group_sum)
        offsets = np.concatenate([[0], np.cumsum(np.diff(self.offsets)[is_open])])
        found = solve_batch(problem, offsets, gram, tol=tol, max_time=max_time)
        if (found.is_plain & (found.fields["status"] == "max-time")).any():
            raise OutOfTime
        return found

    def _may_change(self, coef: FloatArray, box: float) -> BoolArray:
        """Whether a larger box may change a solution; with a ridge every price does."""
        if self.problem.ridge.any():
            return np.ones(len(self.part), dtype=bool)
        far = np.where(coef > 0, self.problem.upper, -self.problem.lower)
        return np.logical_or.reduceat((coef != 0) & (np.abs(coef) >= box * far), self.offsets[:-1])


def _can_move(problem: Problem) -> bool:
    """Whether any variable can: of a pair of which one class is not trained on none can."""
    return bool((problem.lower < problem.upper).any())


def _joined(problems: Sequence[Problem]) -> Problem:
    """Their arrays, one after the other, with the group of the first."""
    arrays = {
        name: np.concatenate([getattr(problem, name) for problem in problems]) for name in _NAMES
    }
    return Problem(**arrays, group_sum=problems[0].group_sum)
