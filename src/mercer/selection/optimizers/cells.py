"""Cells of C and one width that searches by cross-validation have evaluated."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mercer.selection.deviation import standard_error
from mercer.selection.history import Watched, nearest_to_middle
from mercer.selection.objectives.validation import Validation

__all__ = ["Cells"]

FloatArray = NDArray[np.float64]


class Cells:
    """Cells that have been evaluated: (log C, shift of the kernel's theta)."""

    def __init__(self, watched: Watched, theta: FloatArray, *, may_move: bool) -> None:
        objective = watched.objective
        if not isinstance(objective, Validation):
            raise ValueError(f"this optimizer needs cross-validation, got {objective.name!r}")
        self.watched, self.objective, self.theta = watched, objective, theta
        self.known: dict[tuple[float, float], float] = {}  # by rounded places
        self._exact: dict[tuple[float, float], tuple[float, float]] = {}
        self.noise = 0.0
        self.direction = objective.space.width_direction
        self.has_width = may_move and bool(self.direction.any())

    @staticmethod
    def suit(watched: Watched) -> bool:
        """Whether several C of a width can be evaluated together, and there is a width."""
        objective = watched.objective
        is_given = isinstance(objective, Validation) and not objective.is_stochastic
        return is_given and bool(objective.space.width_direction.any())

    def at(self, log_C: float, shift: float) -> FloatArray:
        """Theta of a cell, within its range."""
        moved = np.concatenate([[log_C], self.theta[1:] + shift * self.direction])
        return np.clip(moved, *self.watched.bounds.T)

    def _within(self, shift: float) -> float:
        """A shift of one width that does not leave its range."""
        if not self.has_width or len(self.direction) > 1:
            return shift
        ends = (self.watched.bounds[1] - self.theta[1]) / self.direction[0]
        return float(np.clip(shift, ends.min(), ends.max()))

    def shift_of(self, theta: FloatArray) -> float:
        """How far the width of a point lies from that of the start."""
        if not self.has_width:
            return 0.0
        return float(
            (theta[1:] - self.theta[1:]) @ self.direction / (self.direction @ self.direction)
        )

    def column(self, shift: float, log_Cs: FloatArray) -> FloatArray:
        """Values of several C at one width, to be small; beyond a range those at its end."""
        log_Cs = np.clip(log_Cs, *self.watched.bounds[0])
        shift = self._within(shift)
        keys = [(round(float(log_C), 9), round(shift, 9)) for log_C in log_Cs]
        new = [k for k, key in enumerate(keys) if key not in self.known]
        new = [k for k in new if keys.index(keys[k]) == k]
        if new:
            thetas = [self.at(float(log_Cs[k]), shift) for k in new]
            for k, theta, by_split in zip(new, thetas, self.watched.series(thetas), strict=True):
                key = keys[k]
                self._exact[key] = float(log_Cs[k]), shift
                value = self.watched.known(theta, float(by_split.mean()), by_split)
                self.known[key] = value
                if value == self.lowest and len(by_split) > 1:
                    self.noise = standard_error(by_split)
        return np.array([self.known[key] for key in keys])

    def lowest_at(self, shift: float) -> float:
        """The best value that is known of a width; infinite if none is."""
        near = [value for (_, own), value in self.known.items() if abs(own - shift) < 1e-6]
        return min(near, default=np.inf)

    @property
    def lowest(self) -> float:
        """The best value."""
        return min(self.known.values())

    @property
    def is_perfect(self) -> bool:
        """Whether no cell can be better than the best so far."""
        return bool(self.known) and self.objective.is_perfect(self.lowest)

    @property
    def best(self) -> tuple[float, float]:
        """The best cell; of equal ones the one nearest to their middle."""
        return self._exact[self._best]

    @property
    def _best(self) -> tuple[float, float]:
        equal = sorted(key for key, value in self.known.items() if value == self.lowest)
        return equal[nearest_to_middle(equal)]

    @property
    def status(self) -> str:
        """Whether the best cell is a minimum among others."""
        if len(set(self.known.values())) == 1:
            return "flat"
        if self.is_perfect:
            return "converged"
        log_Cs, shifts = zip(*self.known, strict=True)
        log_C, shift = self._best
        is_edge = log_C in (min(log_Cs), max(log_Cs))
        if self.has_width:
            is_edge = is_edge or shift in (min(shifts), max(shifts))
        return "boundary" if is_edge else "converged"
