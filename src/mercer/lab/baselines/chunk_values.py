"""The two tiers of kernel values a chunk keeps: among its rows, and with rows outside."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["ChunkRectangle", "ChunkSquare"]

FloatArray = NDArray[np.float64]
Positions = NDArray[np.intp]


class ChunkSquare:
    """Kernel values among the rows of a chunk, each computed when first needed, and once.

    A row has a slot while it is in the chunk. Values survive the exchange of other rows; what
    is known of a pair serves both orders (Rifkin 2002, section 2.4.1).

    Parameters
    ----------
    kernel : native Gram
        Asked for blocks.
    diagonal : ndarray of shape (n_rows,)
        Kernel values of the rows with themselves.
    """

    def __init__(self, kernel: Any, diagonal: FloatArray) -> None:
        self.kernel, self.diagonal = kernel, diagonal
        self.slot = np.full(len(diagonal), -1, dtype=np.intp)  # of a row
        self.rows = np.empty(0, dtype=np.intp)  # of a slot, -1 if it is empty
        self.values = np.empty((0, 0))
        self.known = np.empty((0, 0), dtype=bool)
        self.is_complete = np.empty(0, dtype=bool)
        self.n_computed = 0

    def hold(self, rows: Positions) -> Positions:
        """Let these be the rows of the chunk; the slots that changed hands."""
        gone = np.flatnonzero((self.rows >= 0) & ~np.isin(self.rows, rows))
        self.slot[self.rows[gone]] = -1
        self.rows[gone] = -1
        new = rows[self.slot[rows] < 0]
        self._grow_by(len(new) - int(np.count_nonzero(self.rows < 0)))
        places = np.flatnonzero(self.rows < 0)[: len(new)]
        self.rows[places], self.slot[new] = new, places
        self.known[places] = False
        self.known[:, places] = False
        self.known[places, places] = True
        self.values[places, places] = self.diagonal[new]
        self.is_complete[:] = self.is_complete & (len(places) == 0)
        return places

    def _grow_by(self, more: int) -> None:
        if more <= 0:
            return
        size = len(self.rows) + more
        self.rows = np.append(self.rows, np.full(more, -1, dtype=np.intp))
        self.values = _grown(self.values, (size, size))
        self.known = _grown(self.known, (size, size))
        self.is_complete = _grown(self.is_complete, (size,))

    def learn(self, left: Positions, right: Positions, values: FloatArray) -> None:
        """Take over values between slots that were computed elsewhere."""
        for rows, columns, block in ((left, right, values), (right, left, values.T)):
            self.values[np.ix_(rows, columns)] = block
            self.known[np.ix_(rows, columns)] = True

    def row(self, slot: int) -> FloatArray:
        """Values of a row of the chunk with all others; those of empty slots mean nothing."""
        if not self.is_complete[slot]:
            missing = np.flatnonzero(~self.known[slot] & (self.rows >= 0))
            if len(missing):
                one = np.array([slot], dtype=np.intp)
                self.learn(one, missing, self.kernel.block(self.rows[one], self.rows[missing]))
                self.n_computed += len(missing)
            self.is_complete[slot] = True
        values: FloatArray = self.values[slot]
        return values


class ChunkRectangle:
    """Kernel values of a chunk with the rows outside that are looked at most often.

    Parameters
    ----------
    square : ChunkSquare
        Knows the slots of the chunk.
    width : int
        Rows outside whose values are kept (Rifkin 2002, section 2.4.2).
    """

    def __init__(self, square: ChunkSquare, width: int) -> None:
        n_rows = len(square.slot)
        self.square, width = square, min(width, n_rows)
        self.looks = np.zeros(n_rows, dtype=np.int64)
        self.column = np.full(n_rows, -1, dtype=np.intp)  # of a row
        self.rows = np.full(width, -1, dtype=np.intp)  # of a column, -1 if it is empty
        self.values = np.empty((0, width))
        self.known = np.empty((0, width), dtype=bool)

    def forget(self, slots: Positions) -> None:
        """These slots hold other rows now."""
        if len(self.known) < len(self.square.rows):
            shape = len(self.square.rows), len(self.rows)
            self.values, self.known = _grown(self.values, shape), _grown(self.known, shape)
        self.known[slots] = False

    def block(self, slots: Positions, rows: Positions) -> FloatArray:
        """Values between slots of the chunk and rows with variables outside it.

        requires: the rows of the slots are complete, for rows that are in the chunk as well
        """
        distinct, which = np.unique(rows, return_inverse=True)
        self.looks[distinct] += 1
        self._admit(distinct)
        kept = self.column[distinct] >= 0
        out = np.empty((len(slots), len(distinct)))
        known = np.zeros(out.shape, dtype=bool)
        at = np.ix_(slots, self.column[distinct[kept]])
        out[:, kept], known[:, kept] = self.values[at], self.known[at]
        within = self.square.slot[distinct] >= 0
        out[:, within] = self.square.values[np.ix_(slots, self.square.slot[distinct[within]])]
        known[:, within] = True
        self._compute(slots, distinct, out, known)
        self.values[at], self.known[at] = out[:, kept], True
        return out[:, which]

    def _admit(self, rows: Positions) -> None:
        """Give columns to rows looked at at least as often as those who have them."""
        new = rows[self.column[rows] < 0]
        new = new[np.argsort(-self.looks[new], kind="stable")][: len(self.rows)]
        looks = np.where(self.rows < 0, -1, self.looks[self.rows])
        places = np.argsort(looks, kind="stable")[: len(new)]
        taken = looks[places] <= self.looks[new]
        new, places = new[taken], places[taken]
        self.column[self.rows[places][self.rows[places] >= 0]] = -1
        self.column[new], self.rows[places] = places, new
        self.known[:, places] = False

    def _compute(
        self, slots: Positions, rows: Positions, out: FloatArray, known: NDArray[np.bool_]
    ) -> None:
        """The values not known, slots that lack the same ones together."""
        lacks, which = np.unique(~known, axis=0, return_inverse=True)
        for k, lack in enumerate(lacks):
            columns, some = np.flatnonzero(lack), np.flatnonzero(which.ravel() == k)
            if len(columns):
                block = self.square.kernel.block(self.square.rows[slots[some]], rows[columns])
                out[np.ix_(some, columns)] = block


def _grown(array: NDArray[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    """In the corner of a larger array of zeros, whose memory is taken when it is written to."""
    out = np.zeros(shape, dtype=array.dtype)
    out[tuple(map(slice, array.shape))] = array
    return out
