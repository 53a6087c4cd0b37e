"""The nu-SVC at every nu: the path over C, read by nu.

nu = sum |coef| / (C W) never grows with C, and is affine in 1/C on every segment.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from mercer.paths.results.c_solutions import CSolutions
from mercer.paths.results.segments import Segments
from mercer.paths.results.solutions import Solutions
from mercer.problem import Problem
from mercer.training.numbers import interval, plain, real

__all__ = ["NuSVCSolutions"]

FloatArray = NDArray[np.float64]
_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class NuSVCSolutions(Solutions):
    """Variables and bias, scaled to margin 1, at every nu from ``begin`` down to ``end``.

    Attributes
    ----------
    over_C : CSolutions
        The same machines over C.
    """

    parameter: ClassVar[str] = "nu"
    statuses: ClassVar[tuple[str, ...]] = CSolutions.statuses

    over_C: CSolutions

    @property
    def problem(self) -> Problem:  # type: ignore[override]
        """The problem of the SVC at C = 1."""
        return self.over_C.problem

    @property
    def segments(self) -> Segments:
        """The path in t = 1/C, the margin."""
        return self.over_C.segments

    @property
    def status(self) -> str:  # type: ignore[override]
        """How the path ended."""
        return self.over_C.status

    @property
    def C(self) -> FloatArray:
        """C at the breakpoints."""
        return self.over_C.breakpoints

    @cached_property
    def _sums(self) -> FloatArray:
        """Nu at the beginning and at the end of each segment, of shape (n_segments, 2)."""
        total = float(np.abs(self.segments.upper - self.segments.lower).sum())
        return self.segments.absolute_sums() / total

    @cached_property
    def breakpoints(self) -> FloatArray:
        """Nu at the breakpoints of the path over C, falling."""
        if self.over_C.end == 0.0:
            return np.zeros(1)
        # rounding must not make it rise
        return np.asarray(np.minimum.accumulate(self._sums[:, 0]))

    @property
    def nu(self) -> FloatArray:
        """The breakpoints."""
        return self.breakpoints

    @property
    def n_events(self) -> int:
        """How often a variable changed sides."""
        return self.over_C.n_events

    @property
    def n_free(self) -> NDArray[np.int64]:
        """Number of free variables behind each breakpoint."""
        return self.over_C.n_free

    @property
    def begin(self) -> float:
        """Twice the share of the lighter class: no larger nu has a solution."""
        return float(self.breakpoints[0])

    @property
    def end(self) -> float:
        """The smallest nu the path is known for; 0 if it is complete."""
        if self.over_C.end == 0.0 or self.status == "complete":
            return 0.0
        return float(min(self.breakpoints[-1], self._sums[-1, 1]))

    @cached_property
    def _knots(self) -> FloatArray:
        """Nu at the beginning and at the end of each segment, one after the other."""
        knots = np.minimum.accumulate(self._sums.ravel())
        knots[-1] = self.end
        return np.asarray(knots)

    def C_interval(self, nu: float) -> tuple[float, float]:
        """Every C whose machine has this nu: an interval where a class has no free row.

        That of the largest nu begins at the first event, below which the coefficients stay in
        proportion to C.
        """
        self.over_C.check_known()
        value = real("nu", nu)
        if self.status == "trivial":
            raise ValueError("no nu has a machine: one constant is the best for every C")
        low, high = self.end * (1 - _ROUNDING), self.begin * (1 + _ROUNDING)
        if not low <= value <= high or value <= 0:
            raise ValueError(
                f"nu must be positive and lie in {interval(self.end, self.begin)}, where "
                f"the path is known, got {plain(nu)}"
            )
        segments = self.segments
        t = np.repeat(np.append(segments.parameter, segments.end_parameter), 2)[1:-1]
        t, at = (x[2 * segments.n_early :] for x in (t, self._knots))
        # where nu has just come down to the value, and where it is about to leave it
        slack = 1e-12 * self.begin
        first = np.interp(-value - slack, -at, t)
        last = np.interp(-value + slack, -at, t)
        with np.errstate(divide="ignore"):
            low, high = 1.0 / np.maximum([first, last], 0.0)
        return float(min(low, high)), float(max(low, high))

    def C_at(self, nu: float) -> float:
        """C of the SVC that is the same machine.

        Where there are several its margin 1/C is in the middle, as in :class:`NuSVC`.
        """
        low, high = self.C_interval(nu)
        return 2.0 / (1.0 / low + 1.0 / high)

    def variables(self, value: float) -> FloatArray:
        """The coefficients at a nu, scaled to margin 1 as in :class:`NuSVC`."""
        return self.over_C.variables(self.C_at(value))

    def bias(self, value: float) -> float:
        """The bias at a nu, scaled likewise."""
        return self.over_C.bias(self.C_at(value))

    def free(self, value: float) -> NDArray[np.intp]:
        """The rows in the factor at a nu; some may lie on a bound."""
        return self.over_C.free(self.C_at(value))

    def problem_at(self, value: float) -> Problem:
        """The problem of the SVC that is the same machine."""
        return self.over_C.problem_at(self.C_at(value))
