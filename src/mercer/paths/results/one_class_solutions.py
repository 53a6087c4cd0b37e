"""The one-class machine at every nu, from the segments of a path."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from mercer.paths.results.segments import FREE, Segments
from mercer.paths.results.solutions import Solutions
from mercer.paths.results.statuses import ENDED
from mercer.problem import Problem
from mercer.training.numbers import plain, real

__all__ = ["OneClassSolutions"]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class OneClassSolutions(Solutions):
    """Variables and bias at every nu from 1 down to ``end``.

    Attributes
    ----------
    segments : Segments
        The path in t = nu times the sum of the weights.
    problem : Problem
        The problem without its sum, which is what moves.
    status : str
        "nu_min", or why it ended early.
    """

    parameter: ClassVar[str] = "nu"
    statuses: ClassVar[tuple[str, ...]] = ("nu_min", *ENDED)

    segments: Segments
    problem: Problem
    status: str

    @property
    def _total(self) -> float:
        return float(self.problem.upper.sum())

    @property
    def breakpoints(self) -> FloatArray:
        """Nu where a row changes sides, falling; between them the coefficients are affine."""
        return np.asarray(self.segments.parameter / self._total)

    @property
    def nu(self) -> FloatArray:
        """The breakpoints."""
        return self.breakpoints

    @property
    def n_events(self) -> int:
        """How often a variable changed sides."""
        return len(self.segments.changed)

    @property
    def n_free(self) -> NDArray[np.int64]:
        """Number of free variables behind each breakpoint."""
        return self.segments.n_free

    @property
    def begin(self) -> float:
        """Every row is at its bound."""
        return 1.0

    @property
    def end(self) -> float:
        """The smallest nu the path is known for; infinite if it has no solution."""
        return self.segments.end_parameter / self._total

    def _locate(self, nu: float) -> tuple[int, float]:
        if self.end == np.inf:
            raise ValueError(f"no nu is known: the path ended before it began ({self.status})")
        value = real("nu", nu)
        if not self.end * (1 - 1e-12) <= value <= 1.0:
            raise ValueError(f"nu must lie in [{self.end:.6g}, 1], got {plain(nu)}")
        parameter = float(np.clip(value * self._total, self.segments.end_parameter, self._total))
        return self.segments.locate(parameter), parameter

    def variables(self, value: float) -> FloatArray:
        """The coefficients at a nu."""
        return self.segments.coef(*self._locate(value))

    def bias(self, value: float) -> float:
        """Minus rho."""
        k, t = self._locate(value)
        s = self.segments
        return float(s.bias[k] + (t - s.parameter[k]) * s.bias_rate[k])

    def free(self, value: float) -> NDArray[np.intp]:
        """The rows in the factor at a nu; some may lie on a bound."""
        return np.unique(self.problem.index[self.segments.sides(self._locate(value)[0]) == FREE])

    def problem_at(self, value: float) -> Problem:
        """The problem with the sum of a nu."""
        return replace(self.problem, group_sum=np.array([self._locate(value)[1]]))
