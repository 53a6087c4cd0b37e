"""What a change of the coefficients of some rows does to the values of all rows."""

from __future__ import annotations

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from mercer.gram import Gram
from mercer.gram.native import Precision

__all__ = ["spread"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]
_SPARSE = 0.05  # share of coefficients that change up to which only these are multiplied
_BLOCK = 2**22  # kernel values at a time


def spread(
    gram: Gram, rows: IntArray, change: FloatArray, values: FloatArray, precision: Precision
) -> None:
    """Add ``change`` K[rows] to ``values``; both have a row for each class.

    Of many classes a row moves a few only: then the product is one of a sparse matrix.
    """
    moved = change.any(axis=0)
    rows, change = rows[moved], change[:, moved]
    if not len(rows):
        return
    if np.count_nonzero(change) > _SPARSE * change.size:
        values += gram.product(rows, change.T, precision=precision).T
        return
    sparse, size = scipy.sparse.csr_array(change), max(_BLOCK // len(rows), 1)
    for first in range(0, gram.n_rows, size):
        part = np.arange(first, min(first + size, gram.n_rows))
        kernel = gram.block(rows, part, precision=precision).astype(np.float64, copy=False)
        values[:, part[0] : part[-1] + 1] += sparse @ kernel
