"""Cross-validation where it can still win: a coarse grid of C and one width, then finer ones.

For each width all C share the kernel values, and each machine starts from the one with the C
before. A larger C costs more: those beyond the middle are trained only where the best of the
smaller ones is not clearly better than the last; and no width is looked at beyond one that is
clearly worse than the best. The search then looks between the best cell and its neighbours.
Grids that zoom in: Lopez Lazaro 2011, appendix A; what is left out: our own rule
(docs/theory/model_selection.md#searches).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mercer.selection.history import Watched
from mercer.selection.optimizers.cells import Cells

__all__ = ["Zoom"]

FloatArray = NDArray[np.float64]
_HOPELESS = 2.0  # standard errors: no width beyond one that is worse by more wins


@dataclass(frozen=True)
class Zoom:
    """Grids of log C and of the logarithm of all widths, each finer than the one before.

    Attributes
    ----------
    C_range : tuple of float
        Smallest and largest C of the first grid.
    n_C, n_widths : int
        Size of the first grid; one width leaves the kernel as it is.
    width : float
        Factor between the widths of the first grid.
    n_rounds : int
        Grids of 3 x 3 cells afterwards, each with half the distances.
    """

    C_range: tuple[float, float] = (1e-2, 1e4)
    n_C: int = 9
    n_widths: int = 7
    width: float = 4.0
    n_rounds: int = 2

    def minimize(self, watched: Watched, theta: FloatArray) -> str:
        """Search around the width of ``theta``; returns the status."""
        cells = Cells(watched, theta, may_move=self.n_widths > 1)
        if watched.budget.is_limited:
            # what ends at once ends at a moderate machine, not in a corner of the grid
            cells.column(0.0, theta[:1])
        space = watched.objective.space
        low, high = np.log(self.C_range)
        rows = space.Cs_within(np.linspace(low, high, self.n_C))
        reach = np.log(self.width) * (self.n_widths // 2)
        shifts = np.linspace(-reach, reach, self.n_widths) if cells.has_width else np.zeros(1)
        shifts = space.shifts_within(theta, shifts)
        to_beat = watched.to_beat[0]
        is_open = {-1.0: True, 0.0: True, 1.0: True}  # towards wider and narrower kernels
        for shift in sorted(shifts, key=abs):
            side = float(np.sign(shift))
            if is_open[side] and not cells.is_perfect:
                lowest = self._column(cells, float(shift), rows)
                is_open[side] = lowest <= min(cells.lowest, to_beat) + _HOPELESS * cells.noise
        if watched.is_behind(cells.lowest):
            return "behind"
        apart = np.array([rows[1] - rows[0], np.diff(shifts[:2]).sum()])
        for _ in range(0 if cells.is_perfect else self.n_rounds):
            apart /= 2.0
            log_C, shift = cells.best
            around = [shift - apart[1], shift, shift + apart[1]] if cells.has_width else [shift]
            for other in around:
                cells.column(float(other), log_C + apart[0] * np.array([-1.0, 0.0, 1.0]))
        return cells.status

    def _column(self, cells: Cells, shift: float, rows: FloatArray) -> float:
        """The best of all C of a width, of the larger half only if it may win."""
        half = len(rows) // 2 + 1 if len(rows) > 3 else len(rows)
        found = cells.column(shift, rows[:half])
        is_falling = found[-1] == found.min()
        best = min(cells.lowest, cells.watched.to_beat[0])
        may_win = found.min() <= best + _HOPELESS * cells.noise
        is_open = is_falling or (may_win and found[-1] <= found.min() + cells.noise)
        if half < len(rows) and is_open:
            found = np.append(found, cells.column(shift, rows[half:]))
        return float(found.min())
