"""When a point of a multiclass problem is good enough."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from mercer.multiclass.primal import least_gap
from mercer.multiclass.problem import MulticlassProblem
from mercer.problem import Certificate
from mercer.problem.solution import likely_rounding

__all__ = ["Stopping", "Target"]

FloatArray = NDArray[np.float64]
Stopping = Literal["both", "violation", "gap"]
_GAP = 1e-3  # relative, of "both"
_FIRST = 0.1  # violation that is tried first if only the gap counts, in margins


@dataclass(frozen=True)
class Target:
    """The goal of a run: a violation, a relative gap, or both."""

    stopping: Stopping
    tol: float

    def __post_init__(self) -> None:
        if not self.tol >= 0:
            raise ValueError(f"tol must not be negative, got {self.tol!r}")
        if self.stopping not in get_args(Stopping):
            raise ValueError(f"stopping must be one of {get_args(Stopping)}, got {self.stopping!r}")

    @property
    def gap(self) -> float:
        """Largest relative gap accepted."""
        limits = {"both": max(_GAP, self.tol), "violation": np.inf, "gap": self.tol}
        return limits[self.stopping]

    def first_violation(self, problem: MulticlassProblem) -> float:
        """The first violation to aim at; smaller if the gap is then too large."""
        return self.tol if self.stopping != "gap" else max(_FIRST * problem.margin, self.tol)

    def is_gap_small(
        self, problem: MulticlassProblem, alpha: FloatArray, slope: FloatArray
    ) -> bool:
        """Whether a point with these slopes, of a definite kernel, has the gap."""
        if self.gap == np.inf:
            return True
        dual = 0.5 * float(problem.margin * alpha.sum() + (alpha * slope).sum())
        gap = least_gap(problem, alpha, slope)
        return gap <= self.gap * max(abs(dual), abs(dual + gap))

    def accepts(self, found: Certificate) -> bool:
        """Whether a certificate is all that is asked for."""
        if not found.is_feasible:
            return False
        if self.stopping != "gap" or found.gap is None:
            return found.is_within(self.tol) and self._has_gap(found)
        return self._has_gap(found)

    def is_hidden(self, found: Certificate, alpha: FloatArray) -> bool:
        """Whether what is missing is likely rounding."""
        if self.stopping != "gap" and not found.violation <= self.tol:
            return False
        if self.stopping != "gap" and found.is_hidden(self.tol):
            return True
        if found.gap is None or found.rounding == np.inf:
            return False
        size = max(abs(found.objective), abs(found.primal or 0.0))
        return found.gap <= self.gap * size + likely_rounding(found) * float(alpha.sum())

    def _has_gap(self, found: Certificate) -> bool:
        relative = found.relative_gap
        return relative is None or relative <= self.gap
