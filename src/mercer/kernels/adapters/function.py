"""A kernel given by a Python function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from mercer import _core
from mercer.kernels import form
from mercer.kernels.base import Kernel
from mercer.kernels.blocks import row_slices
from mercer.kernels.definiteness import Definiteness, as_statement, stated
from mercer.kernels.parameters.identity import written
from mercer.kernels.rows import FloatArray, RowKind, Rows, as_rows, count_rows, is_plain

__all__ = ["FunctionKernel", "checked_values", "diagonal_blocks"]

# A function asked for a block to read its diagonal computes this many values per row.
DIAGONAL_ROWS = 16


def diagonal_blocks(n_rows: int) -> list[slice]:
    """Small slices of rows, for kernels whose diagonal is read off square blocks."""
    return list(row_slices(n_rows, 1, DIAGONAL_ROWS))


class FunctionKernel(Kernel):
    """``k`` as ``function(rows, other_rows)``, called for blocks of rows.

    Parameters
    ----------
    function : callable
        Takes n rows and m rows, returns an (n, m) array. Rows are slices of what the kernel
        was called with: an array, a sparse matrix, or a list of any objects.
    positive_definite : bool or None, default=None
        Whether every matrix of its values is positive semi-definite. A statement is relied on;
        with None a machine looks for a proof to the contrary among the values it has.
    diagonal : callable, default=None
        Takes n rows, returns the n values k(x, x). Without it they are read off small blocks.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import SVC
    >>> from mercer.kernels import FunctionKernel
    >>> words = ["ab", "abc", "xy", "xyz"]
    >>> def shared_letters(left, right):
    ...     return np.array([[len(set(a) & set(b)) for b in right] for a in left], dtype=float)
    >>> kernel = FunctionKernel(shared_letters, positive_definite=True)
    >>> SVC(kernel=kernel).fit(words, [0, 0, 1, 1]).predict(["abcd", "wxyz"]).tolist()
    [0, 1]
    """

    row_kind: RowKind = "object"

    def __init__(
        self,
        function: Callable[[Any, Any], ArrayLike],
        positive_definite: bool | None = None,
        diagonal: Callable[[Any], ArrayLike] | None = None,
    ) -> None:
        self.function = function
        self.positive_definite = positive_definite
        self.diagonal = diagonal
        as_statement(positive_definite)
        if not callable(function):
            raise TypeError(f"function must be callable, got {function!r}")
        if diagonal is not None and not callable(diagonal):
            raise TypeError(f"diagonal must be callable or None, got {diagonal!r}")

    @property
    def is_positive_definite(self) -> bool | None:
        """The definiteness that the caller stated for the function."""
        return as_statement(self.positive_definite)

    @property
    def definiteness(self) -> Definiteness:
        """As the caller said: "stated", "refuted" or "unknown"."""
        return stated(self.is_positive_definite)

    def form(self) -> form.Form:
        """Return an opaque leaf."""
        return form.Opaque(block=self.__call__, diagonal=self.diag, whole=self._whole)

    def _whole(self, X: Rows) -> FloatArray:
        rows, n = as_rows(X, self.row_kind), count_rows(X)
        return checked_result(self.function, self.function(rows, rows), (n, n))

    def _values(self, X: Rows, Z: Rows) -> FloatArray:
        shape = (count_rows(X), count_rows(Z))
        return checked_values(self.function, self.function(X, Z), shape)

    def _diagonal(self, X: Rows) -> FloatArray:
        n = count_rows(X)
        if self.diagonal is not None:
            return checked_values(self.diagonal, self.diagonal(X), (n,))
        blocks = [X[rows] for rows in diagonal_blocks(n)]
        return np.concatenate(
            [np.empty(0), *(np.diagonal(self._values(block, block)) for block in blocks)]
        )

    def _contract(self, X: Rows, Z: Rows, weights: FloatArray) -> FloatArray:
        return np.empty(0)

    def _contract_diagonal(self, X: Rows, weights: FloatArray) -> FloatArray:
        return np.empty(0)


def checked_values(kernel: Any, result: Any, shape: tuple[int, ...]) -> FloatArray:
    """A checked copy of what a kernel function returned."""
    values = checked_result(kernel, result, shape)
    return values.copy() if values is result or values.base is not None else values


def checked_result(kernel: Any, result: Any, shape: tuple[int, ...]) -> FloatArray:
    """The same as doubles; maybe the very array the function returned."""
    name = written(kernel)
    wanted = f"kernel function {name} must return an array of real numbers of shape {shape}"
    try:
        given = np.asarray(result.toarray() if sp.issparse(result) else result)
    except ValueError as error:
        raise ValueError(f"{wanted}, got {type(result).__name__}") from error
    if given.dtype.kind not in "fiub":
        raise ValueError(f"{wanted}, got {type(result).__name__} of {given.dtype}")
    if given.shape != shape:
        raise ValueError(
            f"kernel function {name} must return an array of shape {shape}, got {given.shape}"
        )
    values = np.asarray(given, dtype=np.float64)
    is_finite = _core.is_finite(values) if is_plain(values) else np.all(np.isfinite(values))
    if not is_finite:
        raise ValueError(f"kernel function {name} returned values that are not finite")
    return values
