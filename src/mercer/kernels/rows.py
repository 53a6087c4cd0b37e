"""What rows may be: numbers (dense or sparse), any objects, or stored kernel values."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

__all__ = [
    "FloatArray",
    "RowKind",
    "Rows",
    "as_rows",
    "common_kind",
    "count_rows",
    "is_plain",
    "is_sparse",
    "numeric_rows",
    "rows_in_place",
]

FloatArray = NDArray[np.float64]

# Dense rows are 2-d float64 arrays, sparse rows float64 ``csr_array`` without duplicate
# entries, object rows anything that a slice cuts.
Rows = Any

RowKind = Literal["any", "numeric", "object", "stored"]


def is_sparse(X: Any) -> bool:
    """Whether `X` is a sparse matrix; SciPy asks an abstract class, which takes longer."""
    return type(X) is not np.ndarray and bool(sparse.issparse(X))


def count_rows(X: Rows) -> int:
    """Return the number of rows of an array, a sparse matrix or a sequence."""
    return int(X.shape[0]) if hasattr(X, "shape") else len(X)


def as_rows(X: Rows, kind: RowKind, name: str = "X") -> Rows:
    """Return `X` in the one shape kernels of this kind compute with; cheap when it has it."""
    if kind == "numeric":
        return numeric_rows(X, name)
    if kind == "stored":
        return _stored_rows(X, name)
    return _object_rows(X)


def common_kind(kinds: list[RowKind]) -> RowKind:
    """Return the kind of rows that all parts of a composite kernel can be computed from."""
    needed = set(kinds) - {"any"}
    if "stored" in needed and len(needed) > 1:
        raise ValueError(
            "a precomputed kernel cannot be combined with a kernel of rows: its rows are "
            "kernel values; combine it with Precomputed or Constant kernels only"
        )
    if not needed:
        return "any"
    return needed.pop() if len(needed) == 1 else "object"


def numeric_rows(X: Rows, name: str = "X") -> Rows:
    """Return `X` as a 2-d float64 array or a canonical float64 ``csr_array``."""
    if is_sparse(X):
        return _sparse_rows(X, name)
    try:
        dense = np.asarray(X)
        if np.iscomplexobj(dense):
            raise ValueError("complex numbers")
        dense = np.asarray(dense, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must be rows of real numbers, got {error}") from error
    if dense.ndim != 2:
        raise ValueError(
            f"{name} must be two-dimensional (rows, features), got shape {dense.shape}"
        )
    return dense


def rows_in_place(X: Rows) -> Rows:
    """Return rows of real numbers in the type they are stored in: nothing is copied.

    Parts of them become float64 by :func:`numeric_rows`.
    """
    if isinstance(X, np.ndarray) and X.ndim == 2 and X.dtype.kind in "fiub":
        return X
    return numeric_rows(X)


def is_plain(X: Any) -> bool:
    """Whether the core reads this array of floats where it lies."""
    if type(X) is not np.ndarray or X.dtype not in (np.float64, np.float32):
        return False
    return bool(X.flags.c_contiguous and X.size)


def _sparse_rows(X: Rows, name: str) -> Rows:
    if X.ndim != 2:
        raise ValueError(f"{name} must be two-dimensional (rows, features), got shape {X.shape}")
    if np.issubdtype(X.dtype, np.complexfloating):
        raise ValueError(f"{name} must be rows of real numbers, got dtype {X.dtype}")
    if isinstance(X, sparse.csr_array) and X.dtype == np.float64 and X.has_canonical_format:
        return X
    rows = sparse.csr_array(X, dtype=np.float64)
    if not rows.has_canonical_format:
        # Squares of entries need each entry once; the caller's matrix is left as it is.
        rows = rows.copy()
        rows.sum_duplicates()
    return rows


def _stored_rows(X: Rows, name: str) -> FloatArray:
    if is_sparse(X):
        raise TypeError(f"{name} must be a dense array of kernel values, got a sparse matrix")
    stored: FloatArray = numeric_rows(X, name)
    return stored


def _object_rows(X: Rows) -> Rows:
    if is_sparse(X):
        return X if isinstance(X, sparse.csr_array) else sparse.csr_array(X)
    return X if isinstance(X, np.ndarray | list | tuple) else np.asarray(X)
