"""From a cell of C and one width to better neighbours, as long as there are any.

A kernel that is narrower needs less C and a wider one more (for wide kernels the machine depends on
C gamma only): of the cells beside those with the same width only two of each neighbouring width
are looked at, the same C and the one along that line.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mercer.selection.history import Watched
from mercer.selection.optimizers.cells import Cells

__all__ = ["Climb"]

FloatArray = NDArray[np.float64]
# steps to the width beside a cell, and steps of C there
_AROUND = ((0, (-1, 0, 1)), (-1, (0, 1)), (1, (-1, 0)))


@dataclass(frozen=True)
class Climb:
    """Steps of a fixed factor in C and in all widths, from the start to where none is better.

    Attributes
    ----------
    C : float
        Factor between neighbouring C.
    width : float
        Factor between neighbouring widths.
    n_moves : int
        Most moves.
    rivals : tuple of ndarray
        Other points to begin at: the best of them and the start is climbed from.
    """

    C: float = 4.0
    width: float = 3.0
    n_moves: int = 8
    rivals: tuple[FloatArray, ...] = ()

    def minimize(self, watched: Watched, theta: FloatArray) -> str:
        """Search from ``theta``; returns the status."""
        cells = Cells(watched, theta, may_move=True)
        for rival in (theta, *self.rivals):
            cells.column(cells.shift_of(rival), rival[:1])
        if watched.is_behind(cells.lowest):
            return "behind"
        log_C, shift = cells.best
        for _ in range(self.n_moves + 1):
            best, lowest = cells.best, cells.lowest
            i = round((best[0] - log_C) / np.log(self.C))
            j = round((best[1] - shift) / np.log(self.width))
            for side, steps in _AROUND if cells.has_width else _AROUND[:1]:
                # only what is missing is evaluated
                log_Cs = log_C + np.log(self.C) * (i + np.array(steps, dtype=np.float64))
                cells.column(shift + (j + side) * float(np.log(self.width)), log_Cs)
            if cells.lowest == lowest:
                return cells.status
        return "max-evals"
