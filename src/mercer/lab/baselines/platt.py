"""Platt's SMO with the two thresholds of Keerthi."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.gram import Gram
from mercer.lab.baselines.baseline import Baseline
from mercer.lab.baselines.linear_weights import LinearWeights
from mercer.lab.baselines.pair import move_pair
from mercer.lab.baselines.run import BaselineRun, check_trace
from mercer.problem import Problem

__all__ = ["Platt"]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class Platt(Baseline):
    """Passes over all variables, and steps among the free ones in between (Platt 1998).

    The gradient is kept for the free variables only (the error cache); that of any other is
    computed afresh when it is examined. No bias is estimated: two thresholds, the largest known
    gradient of what may grow and the smallest of what may fall, decide what violates and what
    it is paired with. With the linear kernel the weight vector is kept, and examining a variable
    takes one product with its row. Accepts problems with one group that holds every variable. In
    double precision; kernel values are not kept.

    Parameters
    ----------
    trace : bool or int, default=False
        Whether to record every step, or every so many.

    Examples
    --------
    >>> from mercer import Gram, solve
    >>> from mercer.formulations import svc
    >>> from mercer.kernels import Linear
    >>> from mercer.lab import Platt
    >>> gram = Gram(Linear(), [[0.0], [1.0], [2.0], [3.0]])
    >>> solve(svc([-1, -1, 1, 1], C=1.0).problem, gram, Platt()).status
    'converged'
    """

    trace: bool | int = False

    def __post_init__(self) -> None:
        check_trace(self.trace)

    name = "platt"

    def _run(self, problem: Problem, gram: Gram, **limits: Any) -> BaselineRun:
        return _Run(self, problem, gram, **limits)


class _Run(BaselineRun):
    solver: Platt

    def prepare(self, gradient: FloatArray) -> None:
        self.gradient = gradient  # up to date where known: free variables, the last pair
        self.diagonal = self.kernel.diagonal()
        self.weights = LinearWeights.of(self.gram, self.problem, self.coef)
        self.high, self.low = -1, -1  # variables of the thresholds
        self.moved = False
        self._set_thresholds(np.flatnonzero(self._may_grow() & self._may_fall()))
        self.pairs = self._violating_pairs()

    def step(self) -> bool:
        for pair in self.pairs:
            if not self.may_go_on():
                return False
            if pair is not None:
                return self.may_step() and self._take(*pair)
        return False

    def _violating_pairs(self) -> Iterator[tuple[int, int] | None]:
        """Pairs to move; None where a variable was examined and left alone."""
        changed = True
        while changed:
            changed = False
            for i in range(self.problem.n_variables):
                yield self._examine(i)
                changed |= self.moved
            while changed and self._thresholds_apart() > self.tol:
                yield self.high, self.low
                if not self.moved:
                    break

    def _examine(self, i: int) -> tuple[int, int] | None:
        """The pair in which variable ``i`` violates most; None if it violates in none."""
        self.moved = False
        p, coef = self.problem, self.coef[i]
        grows, falls = coef < p.upper[i], coef > p.lower[i]
        if not (grows and falls):
            value = self.values_at([i])[0] if self.weights is None else self.weights.value(i)
            self.gradient[i] = p.linear[i] - p.ridge[i] * coef - value
        own = self.gradient[i]
        if grows and (self.high < 0 or own > self.gradient[self.high]):
            self.high = i
        if falls and (self.low < 0 or own < self.gradient[self.low]):
            self.low = i
        rise = own - self.gradient[self.low] if grows and self.low >= 0 else 0.0
        fall = self.gradient[self.high] - own if falls and self.high >= 0 else 0.0
        if max(rise, fall) <= self.tol:
            return None
        return (i, self.low) if rise >= fall else (self.high, i)

    def _take(self, up: int, down: int) -> bool:
        p, index = self.problem, self.problem.index
        self.violation = float(self.gradient[up] - self.gradient[down])
        self.record((up, down))
        known = np.union1d(np.flatnonzero(self._may_grow() & self._may_fall()), [up, down])
        block = self.kernel.block(index[[up, down]], index[known])
        crossing = block[0, np.searchsorted(known, down)]
        values = np.array([self.diagonal[index[up]], self.diagonal[index[down]], crossing])
        before = self.coef[up], self.coef[down]
        move = move_pair(p, self.coef, up, down, self.violation, values)
        if move.step == np.inf:
            self.status = "unbounded"
            return False
        self.moved = (self.coef[up], self.coef[down]) != before
        if self.weights is not None:
            for i, old in zip((up, down), before, strict=True):
                self.weights.move(i, self.coef[i] - old)
        self.gradient[known] -= move.step * (block[0] - block[1])
        self.gradient[up] -= move.step * p.ridge[up]
        self.gradient[down] += move.step * p.ridge[down]
        self._set_thresholds(known)
        self.iterations += 1
        self.objective += move.gain
        return True

    def _set_thresholds(self, known: NDArray[np.intp]) -> None:
        """From the known gradients alone: all others may have changed."""
        grow, fall = known[self._may_grow()[known]], known[self._may_fall()[known]]
        self.high = int(grow[np.argmax(self.gradient[grow])]) if len(grow) else -1
        self.low = int(fall[np.argmin(self.gradient[fall])]) if len(fall) else -1

    def _thresholds_apart(self) -> float:
        if self.high < 0 or self.low < 0:
            return 0.0
        return float(self.gradient[self.high] - self.gradient[self.low])

    def _may_grow(self) -> NDArray[np.bool_]:
        return self.coef < self.problem.upper

    def _may_fall(self) -> NDArray[np.bool_]:
        return self.coef > self.problem.lower
