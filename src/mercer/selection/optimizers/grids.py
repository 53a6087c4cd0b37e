"""Searches by values alone: grids, grids that zoom in, and one coordinate at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from mercer.selection.history import Watched
from mercer.selection.optimizers.cells import Cells

__all__ = ["CoordinateSearch", "FocusedGrid", "GridSearch"]

FloatArray = NDArray[np.float64]


def _axis(low: float, high: float, count: int, name: int) -> FloatArray:
    if not np.isfinite([low, high]).all():
        raise ValueError(f"a grid needs a range of every parameter, parameter {name} has none")
    return np.linspace(low, high, count)


def _product(axes: Sequence[FloatArray]) -> Iterator[tuple[float, ...]]:
    """Their product, the first axis slowest; no more of it is made than is asked for."""
    return product(*(axis.tolist() for axis in axes))


@dataclass(frozen=True)
class GridSearch:
    """All points of a grid, equidistant in theta; more points with the number of parameters.

    Cross-validation over C and one width goes width by width: all C share their kernel values.

    Attributes
    ----------
    n_points : int
        Values of each parameter.
    width : float
        Half the range of each parameter around the start, in units of theta: a factor of 1,000.
    bounds : array-like of shape (n_dims, 2), default=None
        Range of every parameter in place of that.
    """

    n_points: int = 10
    width: float = float(np.log(1e3))
    bounds: object = None

    def minimize(self, watched: Watched, theta: FloatArray) -> str:
        """Evaluate the grid; returns the status."""
        around = np.column_stack([theta - self.width, theta + self.width])
        ranges = np.clip(around, *(side[:, None] for side in watched.bounds.T))
        if self.bounds is not None:
            ranges = np.asarray(self.bounds, np.float64)
        axes = [_axis(low, high, self.n_points, k) for k, (low, high) in enumerate(ranges.tolist())]
        if len(axes) == 2 and Cells.suit(watched):
            cells = Cells(watched, theta, may_move=True)
            for width in axes[1]:
                cells.column(cells.shift_of(np.array([0.0, width])), axes[0])
            return cells.status
        # one by one: of many parameters there are more cells than memory holds
        values = {watched.value(np.array(point)) for point in _product(axes)}
        return "flat" if len(values) == 1 else "converged"


@dataclass(frozen=True)
class FocusedGrid:
    """A coarse grid, then finer ones around the best point.

    Attributes
    ----------
    n_points : int
        Values of each parameter in a grid.
    n_rounds : int
        Grids; each has half the width of the one before.
    width : float
        Half the width of the first grid around the start, in units of theta.
    """

    n_points: int = 5
    n_rounds: int = 4
    width: float = 6.0

    def minimize(self, watched: Watched, theta: FloatArray) -> str:
        """Search around ``theta``; returns the status."""
        low, high = watched.bounds.T
        centre, width = np.clip(theta, low, high), self.width
        known: dict[bytes, float] = {}
        for _ in range(self.n_rounds):
            offsets = np.linspace(-width, width, self.n_points)
            best: tuple[float, tuple[float, ...]] | None = None
            for offset in _product([offsets] * len(centre)):
                point = np.clip(centre + np.array(offset), low, high)
                key = np.round(point, 9).tobytes()
                if key not in known:
                    known[key] = watched.value(point)
                # of equal values the smallest C, then the smallest width
                cell = known[key], tuple(point.tolist())
                best = cell if best is None else min(best, cell)
            assert best is not None
            centre = np.array(best[1])
            width /= 2.0
        return "flat" if len(set(known.values())) == 1 else "converged"


@dataclass(frozen=True)
class CoordinateSearch:
    """One parameter after the other, by factors of two.

    Attributes
    ----------
    step : float
        First step of theta; the factor 2 is log 2.
    smallest : float
        Step at which the search has converged.
    """

    step: float = 2.0 * float(np.log(2.0))
    smallest: float = float(np.log(2.0)) / 2.0

    def minimize(self, watched: Watched, theta: FloatArray) -> str:
        """Search from ``theta``; returns the status."""
        low, high = watched.bounds.T
        best, value = np.clip(theta, low, high), np.inf
        value = watched.value(best)
        first, step = value, self.step
        while step >= self.smallest:
            moved = False
            for k in range(len(best)):
                for direction in (1.0, -1.0):
                    while True:
                        point = best.copy()
                        point[k] = np.clip(best[k] + direction * step, low[k], high[k])
                        if point[k] == best[k]:
                            break
                        new = watched.value(point)
                        if new >= value:
                            break
                        best, value, moved = point, new, True
            step = step if moved else step / 2.0
        return "flat" if value == first and np.ptp(watched.history.values) == 0.0 else "converged"
