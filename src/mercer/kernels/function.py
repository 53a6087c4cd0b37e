"""A kernel given by a Python function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from mercer.kernels import form
from mercer.kernels.base import Kernel
from mercer.kernels.blocks import row_slices
from mercer.kernels.identity import written
from mercer.kernels.rows import FloatArray, RowKind, Rows, count_rows

__all__ = ["FunctionKernel", "diagonal_blocks"]

# A function asked for a block to read its diagonal computes this many values per row.
DIAGONAL_ROWS = 16


def diagonal_blocks(n_rows: int) -> list[slice]:
    """Small slices of rows, for kernels whose diagonal is read off square blocks."""
    return list(row_slices(n_rows, 1, DIAGONAL_ROWS))


class FunctionKernel(Kernel):
    """``k`` as ``function(rows, other_rows)``, asked for blocks.

    Parameters
    ----------
    function : callable
        Takes n rows and m rows, returns an (n, m) array. Rows are slices of what the kernel
        was called with: an array, a sparse matrix, or a list of any objects.
    positive_definite : bool, default=True
        Whether every matrix of its values is positive semi-definite.
    diagonal : callable, default=None
        Takes n rows, returns the n values k(x, x). Without it they are read off small blocks.
    """

    def __init__(
        self,
        function: Callable[[Any, Any], ArrayLike],
        positive_definite: bool = True,
        diagonal: Callable[[Any], ArrayLike] | None = None,
    ) -> None:
        self.function = function
        self.positive_definite = positive_definite
        self.diagonal = diagonal
        if not callable(function):
            raise TypeError(f"function must be callable, got {function!r}")
        if diagonal is not None and not callable(diagonal):
            raise TypeError(f"diagonal must be callable or None, got {diagonal!r}")

    @property
    def is_positive_definite(self) -> bool:
        """What the caller said of the function."""
        return bool(self.positive_definite)

    @property
    def _row_kind(self) -> RowKind:
        return "object"

    def form(self) -> form.Form:
        """Return an opaque leaf."""
        return form.Opaque(block=self.__call__, diagonal=self.diag)

    def _values(self, X: Rows, Z: Rows) -> FloatArray:
        shape = (count_rows(X), count_rows(Z))
        return _checked_result(self.function, self.function(X, Z), shape)

    def _diagonal(self, X: Rows) -> FloatArray:
        n = count_rows(X)
        if self.diagonal is not None:
            return _checked_result(self.diagonal, self.diagonal(X), (n,))
        blocks = [X[rows] for rows in diagonal_blocks(n)]
        return np.concatenate(
            [np.empty(0), *(np.diagonal(self._values(block, block)) for block in blocks)]
        )

    def _contract(self, X: Rows, Z: Rows, weights: FloatArray) -> FloatArray:
        return np.empty(0)

    def _contract_diagonal(self, X: Rows, weights: FloatArray) -> FloatArray:
        return np.empty(0)


def _checked_result(function: Any, result: Any, shape: tuple[int, ...]) -> FloatArray:
    name = written(function)
    try:
        values = np.array(result.toarray() if sp.issparse(result) else result, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"kernel function {name} must return an array of real numbers of shape {shape}, "
            f"got {type(result).__name__}"
        ) from error
    if values.shape != shape:
        raise ValueError(
            f"kernel function {name} must return an array of shape {shape}, got {values.shape}"
        )
    if not np.all(np.isfinite(values)):
        raise ValueError(f"kernel function {name} returned values that are not finite")
    return values
