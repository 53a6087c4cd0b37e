"""The columns of a table as arrays of Python objects."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["cells_of", "is_missing", "names_of"]


def cells_of(X: Any) -> list[NDArray[Any]]:
    """Return the columns of a data frame, or of rows of cells, each as an array."""
    if hasattr(X, "columns"):
        places = range(len(X.columns))
        return [_array(X.iloc[:, k] if hasattr(X, "iloc") else X[X.columns[k]]) for k in places]
    table = np.asarray(X) if hasattr(X, "dtype") else np.asarray(X, dtype=object)
    if table.ndim != 2:
        raise ValueError(f"X must be a table of two dimensions, got {table.ndim}")
    return list(table.T)


def _array(column: Any) -> NDArray[Any]:
    if str(column.dtype).lower().startswith("datetime"):
        if getattr(column.dtype, "tz", None) is not None:
            column = column.dt.tz_convert(None)  # to UTC
        return np.asarray(column.to_numpy(), dtype="datetime64[us]")
    return np.asarray(column, dtype=object)


def names_of(X: Any) -> NDArray[Any] | None:
    """Return the names of the columns if all of them are strings."""
    names = list(getattr(X, "columns", []))
    is_named = bool(names) and all(isinstance(name, str) for name in names)
    return np.array(names, dtype=object) if is_named else None


def is_missing(cell: Any) -> bool:
    """Whether there is nothing in a cell: None, NaN, NaT or pandas' NA."""
    if cell is None or type(cell).__name__ == "NAType":
        return True
    return bool(cell != cell)
