"""The solution at every C, from the segments of a path."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from mercer.paths.results.segments import FREE, Segments
from mercer.paths.results.solutions import Solutions
from mercer.paths.results.statuses import ENDED
from mercer.problem import Problem
from mercer.problem.family import Family
from mercer.training.numbers import interval, plain, real

__all__ = ["CSolutions"]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class CSolutions(Solutions):
    """Variables and bias at every C from ``begin`` to ``end``.

    Attributes
    ----------
    segments : Segments
        The path in t = 1/C.
    problem : Problem
        The problem at C = 1.
    status : str
        How the path ended: after "complete" the coefficients stay what they are.
    start_rate : float
        Bias of the smallest C, where the first breakpoint is beyond.
    C_begin : float
        The smallest C the path is known for.
    """

    parameter: ClassVar[str] = "C"
    statuses: ClassVar[tuple[str, ...]] = ("complete", "C_max", "trivial", *ENDED)

    segments: Segments
    problem: Problem
    status: str
    start_rate: float
    C_begin: float

    @cached_property
    def breakpoints(self) -> FloatArray:
        """C where a row changes sides, ascending."""
        with np.errstate(divide="ignore", over="ignore"):
            return np.asarray(1.0 / self.segments.parameter)

    @cached_property
    def _largest_C(self) -> float:
        """Beyond it C times the weights overflows."""
        size = float(np.maximum(self.problem.upper, -self.problem.lower).max())
        return float(np.finfo(np.float64).max) / max(size, 1.0)

    @property
    def C(self) -> FloatArray:
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
    def first_event(self) -> float:
        """Below it the coefficients are proportional to C."""
        return float(self.breakpoints[self.segments.n_early])

    @property
    def begin(self) -> float:
        """The smallest C the path is known for."""
        return self.C_begin

    @property
    def end(self) -> float:
        """The largest C the path is known for."""
        end = self.segments.end_parameter
        return np.inf if end == 0.0 else 1.0 / end

    def check_known(self) -> None:
        """Refuse a path that has no solution."""
        if self.end == 0.0:
            raise ValueError(
                f"no C is known: the path ended before its first solution ({self.status})"
            )

    def variables(self, C: float) -> FloatArray:
        """The variables of the problem at ``C``."""
        k, t = self._locate(C)
        s = self.segments
        # times C, not divided by t: what is at its bound meets it to the last digit
        if t > s.parameter[0]:
            return np.asarray(s.coef(0, s.parameter[0]) * float(C))
        if self._stays(k):
            kept, at = s.coef(k, s.parameter[k]) / s.parameter[k], self.problem_at(C)
            return np.clip(kept, at.lower, at.upper)
        return np.asarray(s.coef(k, t) * float(C))

    def bias(self, C: float) -> float:
        """The bias at ``C``."""
        k, t = self._locate(C)
        s = self.segments
        if t > s.parameter[0]:
            # b = (bias + (t - parameter) rate) / t, for a C whose t is infinite too
            at_breakpoint = float(s.bias[0] - s.parameter[0] * self.start_rate)
            return float(self.start_rate + at_breakpoint * float(C))
        if self._stays(k):
            return float(s.bias[k] / s.parameter[k])
        return float((s.bias[k] + (t - s.parameter[k]) * s.bias_rate[k]) / t)

    def free(self, C: float) -> NDArray[np.intp]:
        """The rows in the factor at ``C``; some may lie on a bound."""
        sides = self.segments.sides(self._locate(C)[0])
        return np.unique(self.problem.index[sides == FREE])

    def problem_at(self, C: float) -> Problem:
        """The problem at ``C``; beyond the last breakpoint of a complete path nothing changes."""
        beyond = 2.0 * float(self.breakpoints[-1]) if self.status == "complete" else np.inf
        return Family(self.problem).at(min(float(C), beyond))

    def _stays(self, k: int) -> bool:
        """Whether nothing is at its bound any more: the coefficients stay what they are."""
        return self.status == "complete" and k == len(self.segments) - 1

    def _locate(self, C: float) -> tuple[int, float]:
        """Segment and parameter of a C, checked."""
        self.check_known()
        value = real("C", C)
        # C_end is 1 / (1 / C): rounding must not shut out the C that was asked for
        if not self.C_begin * (1 - 1e-12) <= value <= self.end * (1 + 1e-12) or value <= 0:
            raise ValueError(
                f"C must be positive and lie in {interval(self.C_begin, self.end)}, where the "
                f"path is known, got {plain(C)}"
            )
        if value == np.inf and self.status != "complete":
            raise ValueError(f"C must be finite: the path is not complete ({self.status})")
        if self.status != "complete" and value > self._largest_C:
            raise ValueError(
                f"C must be at most {self._largest_C:.6g}, where its bounds are numbers, got "
                f"{plain(C)}"
            )
        with np.errstate(over="ignore"):
            parameter = 1.0 / np.float64(min(value, self.end))
        if self.C_begin > 0:
            # rounding must not lead to before the beginning, where nothing is known
            parameter = min(parameter, self.segments.parameter[0])
        return self.segments.locate(float(parameter)), float(parameter)
