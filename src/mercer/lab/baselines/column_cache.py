"""Kernel columns of the rows that are still looked at."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["ColumnCache"]

FloatArray = NDArray[np.float64]
Positions = NDArray[np.intp]


class ColumnCache:
    """Columns of the kernel matrix at the active rows, the least recently used dropped first.

    As long as all rows are active the cache of the Gram serves. When rows are left out the
    columns become shorter, and so many more of them fit into the same memory (Joachims 1999,
    section 11.4).

    Parameters
    ----------
    kernel : native Gram
        Asked for rows and blocks.
    n_rows : int
        Rows of the matrix.
    budget : int
        Kernel values kept.
    """

    def __init__(self, kernel: Any, n_rows: int, budget: int) -> None:
        self.kernel, self.n_rows, self.budget = kernel, n_rows, budget
        self.n_computed = 0
        self.activate()

    def activate(self) -> None:
        """Let all rows be active."""
        self.rows: Positions = np.arange(self.n_rows)
        self._columns: OrderedDict[int, FloatArray] = OrderedDict()

    @property
    def capacity(self) -> int:
        """Columns that fit, two at least."""
        return max(2, self.budget // max(len(self.rows), 1))

    def restrict(self, rows: Positions) -> None:
        """Let only these of the active rows be active, and cut what is known to them."""
        kept = np.searchsorted(self.rows, rows)
        for i, column in self._columns.items():
            self._columns[i] = column[kept]
        self.rows = rows

    def column(self, i: int) -> FloatArray:
        """Kernel values of row ``i`` at the active rows."""
        if len(self.rows) == self.n_rows:
            return self.kernel.row(i)
        if i not in self._columns:
            self.n_computed += 1
            self._columns[i] = self.kernel.block(np.array([i], dtype=np.intp), self.rows)[0]
            while len(self._columns) > self.capacity:
                self._columns.popitem(last=False)
        self._columns.move_to_end(i)
        return self._columns[i]
