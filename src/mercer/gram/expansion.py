"""Functions over rows: sums of kernel values, evaluated in blocks."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer import _core
from mercer._shown import shown
from mercer._threads import resolve_threads
from mercer.gram.native import (
    Precision,
    RowSet,
    build_kernel,
    count_rows,
    take_rows,
)
from mercer.gram.rounding import carrying_rows, rounding_of_rows
from mercer.gram.shift import moved, shift_of_far_rows, shift_offset
from mercer.kernels import Kernel

__all__ = ["Expansion"]

FloatArray = NDArray[np.float64]
_PREDICTION_ROWS = 8192
_SINGLE = 2.0**29  # rounding of single precision in that of double
_VANISHED = 1e-9  # of the sizes: a sum that rounding has left of zero


class Expansion:
    """Functions ``f_c(x) = sum_j weights[j, c] k(rows[j], x)``, evaluated in blocks.

    The value at a row does not depend on which other rows it is evaluated with, nor on
    the number of threads.

    Parameters
    ----------
    kernel : Kernel
        The kernel.
    rows : array, sparse matrix or sequence of shape (n_rows, ...)
        The rows expanded over. For a precomputed kernel: the integer positions of these
        rows among the columns of what :meth:`evaluate` is given.
    weights : array-like of shape (n_rows, n_functions)
        Coefficients.
    parts : array-like of int, default=None
        Ascending offsets ``0, ..., n_rows`` that cut the sum into parts, given one by one.
    sums_vanish : bool, default=False
        Whether weights that are added up in the end have a sum of zero: rows far from the origin
        may then be measured from another one, and values of a part lack what cancels.
    shift : ndarray of shape (n_features,), default=None
        Point that rows are measured from, for all weights. Values are those of the kernel
        there, as a bias that was found with it needs them.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.gram.expansion import Expansion
    >>> from mercer.kernels import Linear
    >>> expansion = Expansion(Linear(), np.array([[1.0], [2.0]]), np.array([[3.0], [1.0]]))
    >>> expansion.evaluate(np.array([[1.0], [10.0]])).tolist()
    [[[5.0], [50.0]]]
    """

    __repr__ = shown("kernel weights precision n_threads")

    def __init__(
        self,
        kernel: Kernel,
        rows: Any,
        weights: ArrayLike,
        *,
        parts: ArrayLike | None = None,
        precision: Precision = "double",
        n_threads: int | None = None,
        sums_vanish: bool = False,
        shift: FloatArray | None = None,
    ) -> None:
        self.kernel, self.rows = kernel, rows
        self.form = kernel.form()
        self.weights = np.ascontiguousarray(weights, dtype=np.float64)
        self.precision: Precision = precision
        self.n_threads = resolve_threads(n_threads)
        self._is_stored = self.form.reads_stored
        self._columns = np.asarray(rows) if self._is_stored else np.arange(count_rows(rows))
        if self.weights.ndim != 2 or len(self.weights) != len(self._columns):
            raise ValueError(
                f"weights must have shape ({len(self._columns)}, n_functions), "
                f"got {self.weights.shape}"
            )
        cuts = [0, len(self._columns)] if parts is None else np.asarray(parts).tolist()
        self.parts = [slice(*cut) for cut in pairwise(cuts)]
        self._sums_vanish, self._given_shift = sums_vanish, shift

    @cached_property
    def shift(self) -> FloatArray | None:
        """Where rows are measured from, if it is not zero."""
        if self._given_shift is not None:
            return self._given_shift
        size = float(np.abs(self.weights).sum())
        if not self._sums_vanish or abs(float(self.weights.sum())) > _VANISHED * size:
            return None
        return shift_of_far_rows(self.form, self.rows)

    @cached_property
    def left(self) -> RowSet:
        """The rows expanded over, packed in a precision that carries."""
        return carrying_rows(self._near_rows, self.precision, self.form)

    @cached_property
    def _near_rows(self) -> Any:
        return self.rows if self.shift is None else moved(self.rows, self.shift)

    @cached_property
    def _shift_offsets(self) -> FloatArray:
        """What the values of each part lack because rows are shifted, (n_parts, n_functions)."""
        if self.shift is None:
            return np.zeros((len(self.parts), self.weights.shape[1]))
        rows, weights = self._near_rows, self.weights
        return np.stack(
            [shift_offset(self.form, rows[part], self.shift, weights[part]) for part in self.parts]
        )

    @cached_property
    def rounding(self) -> float:
        """Bound of what rounding does to the values at rows no longer than those expanded over.

        Of the largest function; infinite if nothing is known.
        """
        root = np.sqrt(rounding_of_rows(self.form, self.left))
        size = np.abs(self.weights).sum(axis=1) if root.ndim else np.abs(self.weights).sum()
        error = float(root.max(initial=0.0) * (root * size).sum())
        return error * (_SINGLE if self.left.precision == "single" else 1.0)

    def evaluate(self, X: Any) -> FloatArray:
        """Values at the rows of ``X``: shape (n_parts, n_rows, n_functions).

        Rows whose values overflow in single precision are evaluated in double precision.

        Raises
        ------
        ValueError
            If a value is not finite in double precision either.
        """
        n = count_rows(X)
        out = np.empty((len(self.parts), n, self.weights.shape[1]))
        for start in range(0, n, _PREDICTION_ROWS):
            rows = take_rows(X, np.arange(start, min(start + _PREDICTION_ROWS, n)))
            block = slice(start, start + _PREDICTION_ROWS)
            for k, values in enumerate(self.part_values(self._kernel_against(rows))):
                out[k, block] = values.T
        if self.shift is not None and self._given_shift is None:
            out += self._shift_offsets[:, None]
        wrong = np.flatnonzero(~np.isfinite(out).all(axis=(0, 2)))
        if len(wrong):
            if self.precision == "double":
                raise ValueError(
                    f"values at the rows of X must be finite, got those of row {wrong[0]} beyond "
                    "the range of numbers: scale the features"
                )
            out[:, wrong] = self._in_double.evaluate(take_rows(X, wrong))
        return out

    @cached_property
    def _in_double(self) -> Expansion:
        cuts = [0, *(part.stop for part in self.parts)]
        return Expansion(
            self.kernel,
            self.rows,
            self.weights,
            parts=cuts,
            n_threads=self.n_threads,
            sums_vanish=self._sums_vanish,
            shift=self._given_shift,
        )

    def part_values(self, kernel: Any) -> Iterator[FloatArray]:
        """Values of each part, shape (n_functions, n_rows), by the native kernel."""
        for part in self.parts:
            columns, weights = self._columns[part], self.weights[part]
            yield _core.cross_product(kernel, columns, weights, self.n_threads)

    def _kernel_against(self, rows: Any) -> Any:
        if self._is_stored:
            left = RowSet(np.asarray(rows).T, self.left.precision)
            return build_kernel(self.form, left, RowSet(rows, self.left.precision))
        near = rows if self.shift is None else moved(rows, self.shift)
        return build_kernel(self.form, self.left, self.left.like(near))
