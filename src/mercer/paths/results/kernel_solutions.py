"""The classifier at every value of a parameter of the kernel, between solutions at some values."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mercer.paths.results.solutions import Solutions
from mercer.paths.results.statuses import ENDED
from mercer.problem import Problem, Solution
from mercer.training.numbers import plain, real

__all__ = ["KernelSolutions", "between"]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class KernelSolutions(Solutions):
    """Variables and bias at every value of the parameter from the first to the last.

    Attributes
    ----------
    name : str
        The parameter, as in ``kernel.parameter_names``.
    values : ndarray of shape (n_solutions,)
        Where the solutions are, ascending.
    C : float
        C of all of these machines.
    at_breakpoints : tuple of Solution
        The solution at each of them, with its certificate.
    problem : Problem
        The problem, always the same: the kernel moves.
    status : str
        The name followed by "_max", or why it ended early; "precision-limit" if rounding allows
        no such accuracy. A first solution that was not finished is kept: its own ``status`` and
        certificate say what it is.
    """

    name: str
    values: FloatArray
    C: float
    at_breakpoints: tuple[Solution, ...]
    problem: Problem
    status: str

    @property
    def parameter(self) -> str:
        """The name of the parameter."""
        return self.name

    @property
    def statuses(self) -> tuple[str, ...]:
        """Every way such a path may end."""
        return (f"{self.name}_max", *ENDED)

    @property
    def breakpoints(self) -> FloatArray:
        """Where the solutions are; between two the variables are affine in the logarithm."""
        return self.values

    @property
    def n_events(self) -> int:
        """Number of solutions."""
        return len(self.values)

    @property
    def n_free(self) -> NDArray[np.int64]:
        """Number of free variables of each solution."""
        coef = np.array([solution.coef for solution in self.at_breakpoints])
        inside = (coef > self.problem.lower) & (coef < self.problem.upper)
        return np.asarray(inside.sum(axis=1))

    def _mean(self, value: float) -> tuple[int, int, float]:
        """The solutions on both sides of a value, and the share of the right one."""
        at, last = self.values, len(self.values) - 1
        given, value = value, real(self.name, value)
        if not at[0] * (1 - 1e-12) <= value <= at[-1] * (1 + 1e-12):
            raise ValueError(
                f"{self.name} must lie in [{at[0]:.6g}, {at[-1]:.6g}], got {plain(given)}"
            )
        k = int(np.clip(np.searchsorted(at, value, "right") - 1, 0, last))
        if k == last:
            return k, k, 0.0
        width = np.log(at[k + 1] / at[k])
        return k, k + 1, float(np.clip(np.log(value / at[k]) / width, 0.0, 1.0))

    def variables(self, value: float) -> FloatArray:
        """The coefficients at a value."""
        k, after, share = self._mean(value)
        left, right = self.at_breakpoints[k], self.at_breakpoints[after]
        return between(self.problem, left.coef, right.coef, share)

    def bias(self, value: float) -> float:
        """The bias at a value."""
        k, after, share = self._mean(value)
        left, right = (self.at_breakpoints[i].multiplier[0] for i in (k, after))
        return float(left + share * (right - left))

    def free(self, value: float) -> NDArray[np.intp]:
        """The rows strictly between their bounds at a value."""
        coef = self.variables(value)
        is_free = (coef > self.problem.lower) & (coef < self.problem.upper)
        return np.unique(self.problem.index[is_free])

    def problem_at(self, value: float) -> Problem:
        """The problem."""
        return self.problem


def between(problem: Problem, left: FloatArray, right: FloatArray, share: float) -> FloatArray:
    """A point of the chord; coefficients that do not move stay the same to the last digit."""
    return np.clip(left + share * (right - left), problem.lower, problem.upper)
