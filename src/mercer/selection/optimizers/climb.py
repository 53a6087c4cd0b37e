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
_Steps = tuple[tuple[int, tuple[int, ...]], ...]
_AROUND: _Steps = ((0, (-1, 0, 1)), (-1, (0, 1)), (1, (-1, 0)))
# Half a step narrower may need more C: where kernels come near the identity the line ends.
_HALF: _Steps = (*_AROUND[:2], (1, (-1, 0, 1, 2)))


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
        Other points to begin at: the best of them and the start is climbed from, and those of
        widths that are two steps away as long as they are within a standard error of the best.
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
        status = self._from_best(cells)
        if status == "max-evals" or not cells.has_width:
            return status
        for rival in self.rivals:
            self._from_rival(cells, (float(rival[0]), cells.shift_of(rival)))
        self._refine(cells)
        return cells.status

    def _from_best(self, cells: Cells) -> str:
        """To the best cell, of all that are known, that has no better neighbour."""
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

    def _from_rival(self, cells: Cells, place: tuple[float, float]) -> None:
        """To a local optimum of other widths, as long as it may be the best."""
        if abs(place[1] - cells.best[1]) < 2.0 * np.log(self.width):
            return
        value = float(cells.column(place[1], np.array(place[:1]))[0])
        for _ in range(self.n_moves):
            if value > cells.lowest + cells.noise:
                return
            place, before = self._best_around(cells, place, _AROUND, 1.0), value
            value = float(cells.column(place[1], np.array(place[:1]))[0])
            if value >= before:
                return

    def _refine(self, cells: Cells) -> None:
        """Half a step to other widths, where a whole one loses more than a standard error."""
        place, step = cells.best, float(np.log(self.width))
        beside = [cells.lowest_at(place[1] + side * step) for side in (-1, 1)]
        if max(beside) <= cells.lowest + cells.noise:
            return
        moved = self._best_around(cells, place, _HALF, 0.5)
        if moved != place:
            self._best_around(cells, moved, _HALF, 0.5)

    def _best_around(
        self, cells: Cells, place: tuple[float, float], around: _Steps, factor: float
    ) -> tuple[float, float]:
        """The best of a cell and those around it, at steps that are multiplied by ``factor``."""
        log_C, shift = place
        found = {place: float(cells.column(shift, np.array([log_C]))[0])}
        for side, steps in around:
            log_Cs = log_C + factor * np.log(self.C) * np.array(steps, dtype=np.float64)
            moved = shift + factor * side * float(np.log(self.width))
            values = cells.column(moved, log_Cs)
            found |= {(float(own), moved): float(v) for own, v in zip(log_Cs, values, strict=True)}
        return min(found, key=found.__getitem__)
