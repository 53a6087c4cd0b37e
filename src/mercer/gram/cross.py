"""Kernel values of any rows against a fixed set of rows, block by block."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer import _core
from mercer._threads import resolve_threads
from mercer.gram.native import (
    Precision,
    RowSet,
    build_kernel,
    count_rows,
)
from mercer.gram.rounding import carrying_rows
from mercer.gram.shift import moved
from mercer.kernels import Kernel

__all__ = ["CrossGram", "cross_block"]

FloatArray = NDArray[np.float64]


class CrossGram:
    """Kernel values against fixed rows, which are packed once.

    Parameters
    ----------
    kernel : Kernel
        The kernel, with all its parameters numbers.
    rows : array, sparse matrix or sequence of shape (n_rows, ...)
        The fixed rows. For a precomputed kernel: their integer positions among the columns
        of what :meth:`block` is given.
    precision : {"single", "double"}, default="double"
        Precision in which values are computed, double where single does not carry them; they
        are returned in float64.
    n_threads : int, default=None
        Number of threads; None means ``OMP_NUM_THREADS`` or all CPUs.
    shift : ndarray of shape (n_features,), default=None
        Point that all rows are measured from; None means zero.
    """

    def __init__(
        self,
        kernel: Kernel,
        rows: Any,
        *,
        precision: Precision = "double",
        n_threads: int | None = None,
        shift: FloatArray | None = None,
    ) -> None:
        self.kernel = kernel
        self.form = kernel.form()
        self.n_threads = resolve_threads(n_threads)
        self._is_stored = self.form.reads_stored
        self._columns = np.asarray(rows) if self._is_stored else np.arange(count_rows(rows))
        self._rows, self.shift = rows, shift
        self._left = carrying_rows(self._near(rows), precision, self.form)

    def __getstate__(self) -> dict[str, Any]:
        return {
            "kernel": self.kernel,
            "rows": self._rows,
            "precision": self._left.precision,
            "n_threads": self.n_threads,
            "shift": self.shift,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(**state)  # type: ignore[misc]

    def _near(self, rows: Any) -> Any:
        return rows if self.shift is None else moved(rows, self.shift)

    def block(self, X: Any) -> FloatArray:
        """Values ``k(X[i], rows[j])``: a new array of shape (n, n_rows) in Fortran order.

        The block is as large as ``X`` says: callers hand over as many rows as they have
        room for.
        """
        precision = self._left.precision
        if self._is_stored:
            left, right = RowSet(np.asarray(X).T, precision), RowSet(X, precision)
        else:
            left, right = self._left, self._left.like(self._near(X))
        kernel = build_kernel(self.form, left, right)
        values = _core.cross_values(kernel, self._columns, self.n_threads)
        return np.asarray(values, dtype=np.float64).T


def cross_block(
    kernel: Kernel,
    X: Any,
    Z: Any,
    *,
    precision: Precision = "double",
    n_threads: int | None = None,
) -> FloatArray:
    """Values ``k(X[i], Z[j])``, shape (n_X, n_Z), computed by the native core."""
    return CrossGram(kernel, Z, precision=precision, n_threads=n_threads).block(X)
