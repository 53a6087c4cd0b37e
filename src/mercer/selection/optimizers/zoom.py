"""Cross-validation where it can still win: a coarse grid of C and one width, then finer ones.

For each width all C share the kernel values, and each machine starts from the one with the C
before. A larger C costs more: those beyond the middle are trained only where the best of the
smaller ones is not clearly better than the last. The search then looks between the best cell and
its neighbours.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mercer.selection.history import Watched
from mercer.selection.objectives.validation import Validation

__all__ = ["Zoom"]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class Zoom:
    """Grids of log C and of the logarithm of all widths, each finer than the one before.

    Attributes
    ----------
    prices : tuple of float
        Smallest and largest C of the first grid.
    n_prices, n_widths : int
        Size of the first grid; one width leaves the kernel as it is.
    width : float
        Factor between the widths of the first grid.
    n_rounds : int
        Grids of 3 x 3 cells afterwards, each with half the distances.
    """

    prices: tuple[float, float] = (1e-2, 1e4)
    n_prices: int = 9
    n_widths: int = 7
    width: float = 4.0
    n_rounds: int = 2

    @classmethod
    def around(cls, theta: FloatArray) -> Zoom:
        """A grid of 3 x 3 cells around a point, then one finer one."""
        price = float(np.exp(theta[0]))
        return cls((price / 4.0, price * 4.0), n_prices=3, n_widths=3, width=3.0, n_rounds=1)

    def minimize(self, watched: Watched, theta: FloatArray) -> str:
        """Search around the width of ``theta``; returns the status."""
        cells = _Cells(watched, theta, may_move=self.n_widths > 1)
        lowest, highest = np.log(self.prices)
        rows = np.linspace(lowest, highest, self.n_prices)
        reach = np.log(self.width) * (self.n_widths // 2)
        shifts = np.linspace(-reach, reach, self.n_widths) if cells.has_width else np.zeros(1)
        for shift in sorted(shifts, key=abs):
            self._column(cells, float(shift), rows)
        apart = np.array([rows[1] - rows[0], np.log(self.width)])
        for _ in range(self.n_rounds):
            apart /= 2.0
            price, shift = cells.best
            around = [shift - apart[1], shift, shift + apart[1]] if cells.has_width else [shift]
            for other in around:
                cells.column(float(other), price + apart[0] * np.array([-1.0, 0.0, 1.0]))
        return cells.status

    def _column(self, cells: _Cells, shift: float, rows: FloatArray) -> None:
        """All C of a width, the larger half only if it may win."""
        half = len(rows) // 2 + 1 if len(rows) > 3 else len(rows)
        found = cells.column(shift, rows[:half])
        if half < len(rows) and found[-1] <= found.min() + cells.noise:
            cells.column(shift, rows[half:])


class _Cells:
    """Cells that have been evaluated: (log C, shift of the kernel's theta)."""

    def __init__(self, watched: Watched, theta: FloatArray, *, may_move: bool) -> None:
        objective = watched.objective
        if not isinstance(objective, Validation):
            raise ValueError(f"the optimizer 'zoom' needs cross-validation, got {objective.name!r}")
        self.watched, self.objective, self.theta = watched, objective, theta
        self.known: dict[tuple[float, float], float] = {}
        self.noise = 0.0
        self.direction = objective.space.width_direction
        self.has_width = may_move and bool(self.direction.any())

    def at(self, price: float, shift: float) -> FloatArray:
        """Theta of a cell, within its range."""
        moved = np.concatenate([[price], self.theta[1:] + shift * self.direction])
        return np.clip(moved, *self.watched.bounds.T)

    def column(self, shift: float, prices: FloatArray) -> FloatArray:
        """Values of several C at one width, to be small."""
        keys = [(round(float(price), 9), round(shift, 9)) for price in prices]
        new = [key for key in keys if key not in self.known]
        if new:
            thetas = [self.at(*key) for key in new]
            for key, theta, by_split in zip(
                new, thetas, self.objective.series(thetas), strict=True
            ):
                value = self.watched.known(theta, float(by_split.mean()), by_split)
                self.known[key] = value
                if value == min(self.known.values()) and len(by_split) > 1:
                    self.noise = float(np.std(by_split, ddof=1) / np.sqrt(len(by_split)))
        return np.array([self.known[key] for key in keys])

    @property
    def best(self) -> tuple[float, float]:
        """The best cell; of equal ones the one nearest to their middle."""
        lowest = min(self.known.values())
        equal = np.array(sorted(key for key, value in self.known.items() if value == lowest))
        nearest = np.square(equal - equal.mean(axis=0)).sum(axis=1).argmin()
        return float(equal[nearest, 0]), float(equal[nearest, 1])

    @property
    def status(self) -> str:
        """Whether the best cell is a minimum among others."""
        if len(set(self.known.values())) == 1:
            return "flat"
        prices, shifts = zip(*self.known, strict=True)
        price, shift = self.best
        is_edge = price in (min(prices), max(prices))
        if self.has_width:
            is_edge = is_edge or shift in (min(shifts), max(shifts))
        return "boundary" if is_edge else "converged"
