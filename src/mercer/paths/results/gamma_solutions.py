"""The classifier at every width of the Gaussian kernel, between solutions at some widths."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from mercer.paths.results.solutions import Solutions
from mercer.paths.results.statuses import ENDED
from mercer.problem import Problem, Solution
from mercer.training.numbers import plain, real

__all__ = ["GammaSolutions", "between"]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class GammaSolutions(Solutions):
    """Variables and bias at every gamma from the first to the last.

    Attributes
    ----------
    gamma : ndarray of shape (n_solutions,)
        Where the solutions are, ascending.
    C : float
        C of all of these machines.
    at_breakpoints : tuple of Solution
        The solution at each gamma, with its certificate.
    problem : Problem
        The problem, the same at every gamma: the kernel moves.
    status : str
        "gamma_max", or why it ended early; "precision-limit" if rounding allows no such accuracy.
        A first solution that was not finished is kept: its own ``status`` and certificate say
        what it is.
    """

    parameter: ClassVar[str] = "gamma"
    statuses: ClassVar[tuple[str, ...]] = ("gamma_max", *ENDED)

    gamma: FloatArray
    C: float
    at_breakpoints: tuple[Solution, ...]
    problem: Problem
    status: str

    @property
    def breakpoints(self) -> FloatArray:
        """Where the solutions are; between two of them the variables are affine in log gamma."""
        return self.gamma

    @property
    def n_events(self) -> int:
        """Number of solutions."""
        return len(self.gamma)

    @property
    def n_free(self) -> NDArray[np.int64]:
        """Number of free variables of each solution."""
        coef = np.array([solution.coef for solution in self.at_breakpoints])
        inside = (coef > self.problem.lower) & (coef < self.problem.upper)
        return np.asarray(inside.sum(axis=1))

    def _mean(self, gamma: float) -> tuple[int, int, float]:
        """The solutions on both sides of a gamma, and the share of the right one."""
        low, high, last = self.gamma[0], self.gamma[-1], len(self.gamma) - 1
        given, gamma = gamma, real("gamma", gamma)
        if not low * (1 - 1e-12) <= gamma <= high * (1 + 1e-12):
            raise ValueError(f"gamma must lie in [{low:.6g}, {high:.6g}], got {plain(given)}")
        k = int(np.clip(np.searchsorted(self.gamma, gamma, "right") - 1, 0, last))
        if k == last:
            return k, k, 0.0
        width = np.log(self.gamma[k + 1] / self.gamma[k])
        return k, k + 1, float(np.clip(np.log(gamma / self.gamma[k]) / width, 0.0, 1.0))

    def variables(self, value: float) -> FloatArray:
        """The coefficients at a gamma."""
        k, after, share = self._mean(value)
        left, right = self.at_breakpoints[k], self.at_breakpoints[after]
        return between(self.problem, left.coef, right.coef, share)

    def bias(self, value: float) -> float:
        """The bias at a gamma."""
        k, after, share = self._mean(value)
        left, right = (self.at_breakpoints[i].multiplier[0] for i in (k, after))
        return float(left + share * (right - left))

    def free(self, value: float) -> NDArray[np.intp]:
        """The rows strictly between their bounds at a gamma."""
        coef = self.variables(value)
        is_free = (coef > self.problem.lower) & (coef < self.problem.upper)
        return np.unique(self.problem.index[is_free])

    def problem_at(self, value: float) -> Problem:
        """The problem."""
        return self.problem


def between(problem: Problem, left: FloatArray, right: FloatArray, share: float) -> FloatArray:
    """A point of the chord; what does not move stays what it is, to the last digit."""
    return np.clip(left + share * (right - left), problem.lower, problem.upper)
