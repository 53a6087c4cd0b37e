"""Widths from that of the start to narrower ones."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mercer.selection.history import Watched

__all__ = ["Narrowing"]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class Narrowing:
    """All widths of a kernel together, from those of the start by equal factors to narrower ones.

    Attributes
    ----------
    n_widths : int
        Widths that are looked at.
    width : float
        Factor of gamma between them.
    """

    n_widths: int = 7
    width: float = 2.0

    def minimize(self, watched: Watched, theta: FloatArray) -> str:
        """Evaluate all of them; returns the status."""
        space = watched.objective.space
        if not space.width_direction.any():
            raise ValueError(f"the kernel {space.kernel!r} has no width to search")
        usual = np.log(self.width) * np.arange(self.n_widths)
        values = []
        for shift in space.shifts_within(theta, usual):
            moved = np.concatenate([theta[:1], theta[1:] + shift * space.width_direction])
            values.append(watched.value(np.clip(moved, *watched.bounds.T)))
        return "flat" if np.ptp(values) == 0.0 else "converged"
