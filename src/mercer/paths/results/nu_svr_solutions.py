"""The nu-SVR at every nu, from the segments of a path over the half-width of its tube."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from mercer.paths.results.segments import FREE, Segments
from mercer.paths.results.solutions import Solutions
from mercer.paths.results.statuses import ENDED
from mercer.paths.results.tube_knots import TubeKnots
from mercer.problem import Problem
from mercer.training.numbers import plain, real

__all__ = ["NuSVRSolutions"]

FloatArray = NDArray[np.float64]
_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class NuSVRSolutions(Solutions):
    """Variables and bias at every nu from 0 up to ``end``.

    Attributes
    ----------
    segments : Segments
        The path over epsilon, falling.
    problem : Problem
        That of epsilon = 0, two variables for each row.
    C : float
        C of all of these machines.
    middle : float
        The middle of the targets, which ``segments.bias`` is relative to.
    status : str
        "complete", "epsilon_min", "trivial" (all targets are equal), or why it ended early.
    """

    parameter: ClassVar[str] = "nu"
    statuses: ClassVar[tuple[str, ...]] = ("complete", "epsilon_min", "trivial", *ENDED)

    segments: Segments
    problem: Problem
    C: float
    middle: float
    status: str

    @property
    def epsilon(self) -> FloatArray:
        """Half-width of the tube at the breakpoints, falling."""
        return self.segments.parameter

    @cached_property
    def knots(self) -> TubeKnots:
        """Nu, epsilon and bias where segments begin and end."""
        return TubeKnots.of(self.segments, self._largest_sum)

    @property
    def _largest_sum(self) -> float:
        return 0.5 * float((self.problem.upper - self.problem.lower).sum())

    @property
    def _is_known(self) -> bool:
        return self.segments.end_parameter < np.inf

    @property
    def breakpoints(self) -> FloatArray:
        """Nu where a row changes sides, rising; between them the variables are affine in it."""
        return np.minimum(self.knots.nu[::2], 1.0) if self._is_known else np.zeros(1)

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
        """The tube around all targets."""
        return 0.0

    @property
    def end(self) -> float:
        """The largest nu the path is known for: 1 if epsilon came down to 0."""
        if not self._is_known:
            return 0.0
        reached = min(float(self.knots.nu[-1]), 1.0)
        return 1.0 if self.segments.end_parameter == 0.0 else reached

    def _check(self, nu: float) -> float:
        if not self._is_known:
            raise ValueError(f"no nu is known: the path ended before it began ({self.status})")
        value = real("nu", nu)
        if not 0 < value <= self.end * (1 + _ROUNDING):
            raise ValueError(
                f"nu must be positive and at most {self.end:.6g}, as far as the path is known, "
                f"got {plain(nu)}"
            )
        return min(value, self.end)

    def epsilon_interval(self, nu: float) -> tuple[float, float]:
        """Half-width of every tube that is optimal at ``nu``: often one, else an interval."""
        low, high, _, _ = self.knots.at(self._check(nu))
        return low, high

    def epsilon_at(self, nu: float) -> float:
        """Half-width of the tube at ``nu``; the middle where there are several."""
        low, high = self.epsilon_interval(nu)
        return 0.5 * (low + high)

    def variables(self, value: float) -> FloatArray:
        """The variables of the problem at a nu."""
        return self.knots.coef(self._check(value))

    def bias(self, value: float) -> float:
        """The bias at a nu."""
        # with the same coefficients the tubes that are optimal are a convex set
        _, _, low, high = self.knots.at(self._check(value))
        return self.middle + 0.5 * (low + high)

    def free(self, value: float) -> NDArray[np.intp]:
        """The rows in the factor at a nu; some may lie on a bound."""
        sides = self.segments.sides(self.segments.locate(self.epsilon_at(value)))
        return np.unique(self.problem.index[sides == FREE])

    def problem_at(self, value: float) -> Problem:
        """The epsilon-SVR with the tube of a nu."""
        n, epsilon = self.problem.n_variables // 2, self.epsilon_at(value)
        return replace(self.problem, linear=self.problem.linear + np.repeat([-epsilon, epsilon], n))

    def certified_point(self, value: float) -> tuple[Problem, FloatArray, float | FloatArray]:
        """The problem of the nu-SVR, with its two sums, and its solution.

        Where nu is larger than that of epsilon = 0 both variables of a row may grow together,
        which changes nothing but the sums.
        """
        nu, n = self._check(value), self.problem.n_variables // 2
        coef, total = self.variables(nu), nu * self._largest_sum
        room = np.minimum(self.problem.upper[:n] - coef[:n], coef[n:] - self.problem.lower[n:])
        missing = 0.5 * (total - float(np.abs(coef).sum()))
        if missing > _ROUNDING * total and room.sum() > 0:
            both = room * min(missing / float(room.sum()), 1.0)
            coef = coef + np.concatenate([both, -both])
        group = np.repeat(np.arange(2, dtype=np.int8), n)
        sums = np.array([0.5 * total, -0.5 * total])
        bias, epsilon = self.bias(nu), self.epsilon_at(nu)
        problem = replace(self.problem, group=group, group_sum=sums)
        return problem, coef, np.array([bias + epsilon, bias - epsilon])
