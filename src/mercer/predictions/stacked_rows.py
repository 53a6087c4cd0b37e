"""Rows of any kind: some of them, or sets of them one below the other."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from mercer._sklearn import safe_indexing

__all__ = ["indexable", "some_rows", "stacked"]


def indexable(X: Any) -> Any:
    """Rows that can be taken one by one: lists of numbers as an array, of objects as they are."""
    if sp.issparse(X):
        return X.tocsr()
    if hasattr(X, "shape") or hasattr(X, "iloc"):
        return X
    if hasattr(X, "__array__"):
        return np.asarray(X)
    rows = list(X)
    is_nested = bool(rows) and isinstance(rows[0], list | tuple | np.ndarray)
    return np.asarray(rows) if is_nested else rows


def some_rows(X: Any, rows: NDArray[np.intp], columns: NDArray[np.intp] | None = None) -> Any:
    """The rows at these positions; of a kernel matrix some columns, too."""
    part = safe_indexing(X, rows)
    return part if columns is None else part[:, columns]


def stacked(above: Any, below: Any) -> Any:
    """Two sets of rows, one below the other; the first says of what kind they are."""
    if hasattr(above, "iloc"):
        import pandas as pd

        return pd.concat([above, _framed(below, above)], ignore_index=True)
    if sp.issparse(above):
        return sp.vstack([above, below], format="csr")
    if hasattr(above, "shape"):
        return np.concatenate([above, below.toarray() if sp.issparse(below) else below])
    return [*above, *below]


def _framed(rows: Any, like: Any) -> Any:
    """Rows as a frame with the columns of another."""
    return rows if hasattr(rows, "iloc") else type(like)(rows, columns=like.columns)
