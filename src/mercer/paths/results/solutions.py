"""The solution of a path at every value of its parameter."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mercer.paths.results.statuses import ENDED
from mercer.problem import Problem

__all__ = ["Solutions"]

FloatArray = NDArray[np.float64]


class Solutions:
    """Variables and bias at every value of one parameter; a class for each way it moves.

    Attributes
    ----------
    parameter : str
        The name of the parameter: "C", "nu" or one of the kernel, as "gamma".
    statuses : tuple of str
        Every way such a path may end.
    problem : Problem
        The problem whose box, sum or kernel moves.
    status : str
        How the path ended.
    breakpoints : ndarray of shape (n_breakpoints,)
        Values of the parameter between which the variables follow one formula.
    begin, end : float
        The first and the last value the path is known for.
    """

    problem: Problem
    status: str

    @property
    def parameter(self) -> str:
        """The name of the parameter."""
        raise NotImplementedError

    @property
    def statuses(self) -> tuple[str, ...]:
        """Every way such a path may end."""
        return ENDED

    @property
    def breakpoints(self) -> FloatArray:
        """Where the formula of the solution changes."""
        raise NotImplementedError

    @property
    def n_events(self) -> int:
        """How often a variable changed sides."""
        raise NotImplementedError

    @property
    def n_free(self) -> NDArray[np.int64]:
        """Number of free variables behind each breakpoint."""
        raise NotImplementedError

    @property
    def first_event(self) -> float:
        """The breakpoint of the first event."""
        return float(self.breakpoints[0])

    @property
    def begin(self) -> float:
        """The first value of the parameter the path is known for."""
        return float(self.breakpoints[0])

    @property
    def end(self) -> float:
        """The last value of the parameter the path is known for."""
        return float(self.breakpoints[-1])

    def variables(self, value: float) -> FloatArray:
        """The variables of the problem at a value of the parameter."""
        raise NotImplementedError

    def bias(self, value: float) -> float:
        """The bias there."""
        raise NotImplementedError

    def free(self, value: float) -> NDArray[np.intp]:
        """The rows in the factor there; some may lie on a bound."""
        raise NotImplementedError

    def problem_at(self, value: float) -> Problem:
        """The problem that the variables solve there."""
        raise NotImplementedError

    def certified_point(self, value: float) -> tuple[Problem, FloatArray, float | FloatArray]:
        """The problem, the point and the multipliers that a certificate is about."""
        return self.problem_at(value), self.variables(value), self.bias(value)
