"""The width of a kernel alone, everything else as it is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mercer.selection.history import Watched

__all__ = ["WidthSearch"]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class WidthSearch:
    """All widths of a kernel together by equal factors, then finer around the best.

    Attributes
    ----------
    n_widths : int
        Widths of the first round, around that of the start.
    width : float
        Factor between them.
    n_rounds : int
        Rounds afterwards, with a width on either side and half the distance.
    """

    n_widths: int = 13
    width: float = 4.0
    n_rounds: int = 3

    def minimize(self, watched: Watched, theta: FloatArray) -> str:
        """Search around the width of ``theta``; returns the status."""
        direction = watched.objective.space.width_direction
        if not direction.any():
            raise ValueError(
                f"the kernel {watched.objective.space.kernel!r} has no width to search"
            )
        apart = np.log(self.width)
        reach = apart * (self.n_widths // 2)
        known: dict[float, float] = {}
        # from the start outwards: a search that ends early ends at a moderate width
        usual = np.linspace(-reach, reach, self.n_widths)
        for shift in sorted(watched.objective.space.shifts_within(theta, usual), key=abs):
            known[float(shift)] = self._value(watched, theta, direction, float(shift))
        for _ in range(self.n_rounds):
            apart /= 2.0
            best = min(sorted(known), key=known.__getitem__)
            for shift in (best - apart, best + apart):
                known[shift] = self._value(watched, theta, direction, shift)
        if np.ptp(list(known.values())) == 0.0:
            return "flat"
        best = min(sorted(known), key=known.__getitem__)
        return "boundary" if best in (min(known), max(known)) else "converged"

    @staticmethod
    def _value(watched: Watched, theta: FloatArray, direction: FloatArray, shift: float) -> float:
        moved = np.concatenate([theta[:1], theta[1:] + shift * direction])
        return watched.value(np.clip(moved, *watched.bounds.T))
