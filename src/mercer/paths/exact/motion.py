"""What moves along a path: the box, a group sum, or a part of the linear term."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mercer.paths.exact.start import scaled_problem
from mercer.problem import Problem

__all__ = ["Motion"]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Motion:
    """How the problem of a path changes with its parameter t, which falls.

    By default t = 1/C: the box at t is 1/t times as large, and so are the coefficients. With a
    rate of the sum or an offset the box stays.

    Attributes
    ----------
    sum_rate : float, default=0.0
        How much of t is added to the group sum.
    offset : ndarray of shape (n_variables,) or None, default=None
        What is added to t times the linear term.
    """

    sum_rate: float = 0.0
    offset: FloatArray | None = None

    @property
    def scales(self) -> bool:
        """Whether the box grows with 1/t."""
        return not self.sum_rate and self.offset is None

    @cached_property
    def offset_size(self) -> float:
        """The largest entry of the offset."""
        return 0.0 if self.offset is None else float(np.abs(self.offset).max(initial=0.0))

    def scale(self, t: float) -> float:
        """Coefficients at ``t`` over those in the box at t = 1."""
        return 1.0 / t if self.scales else 1.0

    def problem_at(self, problem: Problem, t: float) -> Problem:
        """The problem at ``t``, ``problem`` being that of the path."""
        if self.scales:
            return scaled_problem(problem, 1.0 / t)
        linear = problem.linear if self.offset is None else self.offset + t * problem.linear
        return replace(problem, linear=linear, group_sum=problem.group_sum + self.sum_rate * t)
