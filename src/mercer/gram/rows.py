"""Rows packed for the native core."""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer import _core
from mercer.gram.core_types import ROWS_TYPES, CoreRows, Precision
from mercer.kernels.rows import is_plain, is_sparse

__all__ = [
    "Precision",
    "RowSet",
    "check_finite",
    "check_products",
    "count_rows",
    "take_rows",
    "without_repeats",
]

_DENSE_TYPES = (np.float32, np.float64, np.uint8)
_BYTE_TYPES = (np.uint8, np.int8)
_TRANSFORMED_ROWS = 512  # rows at a time, so that they stay in the cache


def count_rows(rows: Any) -> int:
    """Number of rows of an array, sparse matrix or sequence of objects."""
    return int(rows.shape[0]) if hasattr(rows, "shape") else len(rows)


def without_repeats(values: NDArray[Any]) -> NDArray[Any]:
    """One of each that numpy.broadcast_to repeats."""
    return values[(..., *(slice(1 if step == 0 else None) for step in values.strides))]


def check_finite(rows: Any) -> None:
    """Refuse rows with NaN or infinity; a sum tells, and is looked into only if it is neither."""
    if is_plain(rows) and _core.is_finite(rows):
        return
    values = rows.tocsr().data if is_sparse(rows) else np.asarray(rows)
    if 0 in values.strides:
        values = without_repeats(values)
    if values.dtype.kind != "f":
        return
    with np.errstate(over="ignore", invalid="ignore"):
        total = values.sum()
    if np.isfinite(total) or np.isfinite(values).all():
        return
    worst = values[~np.isfinite(values)][0]
    raise ValueError(f"X must be finite, got {worst}")


def check_products(rows: Any, gamma: float) -> None:
    """Refuse rows with ``gamma x'x`` out of range, which tanh would turn into a number."""
    values = rows.tocsr().data if is_sparse(rows) else np.asarray(rows)
    largest = float(np.abs(values).max(initial=0.0))
    with np.errstate(over="ignore"):
        product = rows.shape[1] * np.float64(largest) ** 2 * max(gamma, 1.0)
    if not np.isfinite(product):
        raise ValueError(
            f"inner products of X must be finite, got a value of {largest:.3g} in X: scale the "
            "features"
        )


def take_rows(rows: Any, index: NDArray[np.intp]) -> Any:
    """The rows ``index``, whatever they are."""
    if is_sparse(rows):
        return rows.tocsr()[index]
    if hasattr(rows, "shape"):
        return rows[index]
    return [rows[i] for i in index]


class RowSet:
    """Rows in the packed forms the leaves of a kernel ask for, each made once.

    Parameters
    ----------
    rows : array, sparse matrix or sequence of objects
        The rows as the user has them; dense float32, float64, uint8 and int8 arrays that
        are C-contiguous are read in place.
    precision : {"single", "double"}
        Precision of the packed copy.
    shift : ndarray of shape (n_features,), default=None
        Subtracted from dense rows where that does not change the kernel: small
        distances between rows far from it would drown in rounding.
    store_sparse : bool, default=False
        Whether dense rows are packed without their zeros; sparse ones always are.
    """

    def __init__(
        self,
        rows: Any,
        precision: Precision,
        shift: NDArray[np.float64] | None = None,
        store_sparse: bool = False,
    ) -> None:
        self.rows = rows
        self.precision = precision
        self.shift = shift
        self.store_sparse = store_sparse or is_sparse(rows)
        dtype = None if self.store_sparse else getattr(rows, "dtype", None)
        is_exact = dtype in _BYTE_TYPES and rows.ndim == 2
        is_exact = is_exact and rows.shape[1] <= _core.most_byte_features
        # The type of rows that may stay bytes: their inner products are exact in integers.
        self.byte_type: np.dtype[Any] | None = dtype if is_exact else None
        self.spreads: dict[Any, float] = {}
        # What was chosen for kernels of distances: shifted or not, by differences or not.
        self.packings: dict[Any, tuple[bool, bool]] = {}
        self.splits: dict[Any, Any] = {}  # by heavy features, see there
        self._packed: dict[Any, Any] = {}
        self._transforms: list[Any] = []  # kept, so that no other gets the id of one

    def __len__(self) -> int:
        return count_rows(self.rows)

    def like(self, rows: Any) -> RowSet:
        """Other rows, packed as these are."""
        if is_sparse(rows) and not self.store_sparse:
            rows = rows.toarray()
        return RowSet(rows, self.precision, self.shift, self.store_sparse)

    def packed_bytes(self) -> Any:
        """The rows packed as the bytes they are."""
        if "bytes" not in self._packed:
            self._packed["bytes"] = _core.byte_rows(np.ascontiguousarray(self.rows))
        return self._packed["bytes"]

    def packed(self, transform: NDArray[np.float64] | None, centred: bool) -> Any:
        """The rows after ``transform``, packed."""
        key = (id(transform), centred and self.shift is not None)
        if key not in self._packed:
            rows = self.rows if hasattr(self.rows, "shape") else np.asarray(self.rows)
            if transform is not None and rows.shape[1:] != transform.shape[:1]:
                raise ValueError(
                    f"the kernel is for {len(transform)} features, "
                    f"but the rows have shape {rows.shape}"
                )
            scale, store_sparse = transform, self.store_sparse
            shift = self.shift if centred else None
            if transform is not None and transform.ndim == 2:
                rows = _transformed(rows, transform, shift)
                shift, scale, store_sparse = None, None, False
            self._packed[key] = self._pack(rows, shift, scale, store_sparse)
            self._transforms.append(transform)
        return self._packed[key]

    def unpack(self, transform: NDArray[np.float64] | None, centred: bool) -> None:
        """Forget packed rows that serve no kernel."""
        self._packed.pop((id(transform), centred and self.shift is not None), None)

    def lengths(self) -> NDArray[np.float64] | None:
        """Length of each row as it is packed, the longest of several; None if none is packed."""
        squares = [rows.squared_norms() for key, rows in self._packed.items() if key != "bytes"]
        return np.sqrt(reduce(np.maximum, squares)) if squares else None

    def _pack(
        self,
        rows: Any,
        shift: NDArray[np.float64] | None,
        scale: NDArray[np.float64] | None,
        store_sparse: bool,
    ) -> CoreRows:
        if is_sparse(rows):
            csr = _canonical(rows)
            pack = ROWS_TYPES[self.precision].sparse
            return pack(csr.indptr, csr.indices, csr.data, csr.shape[1], scale)
        dense = np.asarray(rows)
        if dense.ndim != 2:
            raise ValueError(f"X must be two-dimensional (rows, features), got {dense.shape}")
        if dense.dtype not in _DENSE_TYPES:
            dense = dense.astype(np.float64)
        contiguous: Any = np.ascontiguousarray(dense)
        return ROWS_TYPES[self.precision].dense(contiguous, shift, scale, store_sparse)


def _transformed(
    rows: Any, transform: NDArray[np.float64], shift: NDArray[np.float64] | None
) -> NDArray[np.float64]:
    """``(rows - shift) @ transform``, each row summed in the same order whatever rows it is with.

    BLAS does not promise that, and a prediction must not depend on the batch.
    """
    if is_sparse(rows):
        return np.asarray(rows @ transform)
    out = np.zeros((len(rows), transform.shape[1]))
    for start in range(0, len(rows), _TRANSFORMED_ROWS):
        part = slice(start, start + _TRANSFORMED_ROWS)
        some = np.asarray(rows[part], dtype=np.float64)
        some = some if shift is None else some - shift
        for column, weights in zip(some.T, transform, strict=True):
            out[part] += np.multiply.outer(column, weights)
    return out


def _canonical(rows: Any) -> Any:
    """CSR with ascending distinct columns, float values and indices of one width."""
    csr = rows.tocsr()
    if not csr.has_canonical_format:
        csr = csr.copy()
        csr.sum_duplicates()
    if csr.data.dtype not in (np.float32, np.float64):
        csr = csr.astype(np.float64)
    if csr.indptr.dtype != csr.indices.dtype:
        csr = csr.copy()
        csr.indptr = csr.indptr.astype(np.int64)
        csr.indices = csr.indices.astype(np.int64)
    return csr
