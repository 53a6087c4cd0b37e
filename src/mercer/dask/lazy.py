"""Predictions block by block, when they are asked for."""

from __future__ import annotations

from typing import Any

import numpy as np
from dask import delayed
from dask.delayed import Delayed

from mercer.dask.inputs import is_array, is_frame

__all__ = ["lazily"]


def lazily(machine: Any, method: str, X: Any) -> Any:
    """What a method of a fitted local estimator says of rows, as lazy as the rows are.

    Shapes and types are stated, not guessed: no row is computed before the result is asked for.
    """
    if is_array(X):
        return _of_array(machine, method, X)
    if is_frame(X):
        return _of_frame(machine, method, X)
    if isinstance(X, Delayed):
        return delayed(_values)(machine, method, X)
    if isinstance(X, list | tuple) and X and all(isinstance(part, Delayed) for part in X):
        shared = delayed(machine, traverse=False)
        return [delayed(_values)(shared, method, part) for part in X]
    return getattr(machine, method)(X)


def _values(machine: Any, method: str, X: Any) -> Any:
    """Values of a block, which may have no row; those of a frame keep its index."""
    if hasattr(X, "to_scipy_sparse"):  # of the package sparse
        X = X.to_scipy_sparse()
    found = getattr(machine, method)(X) if X.shape[0] else _empty(machine, method)
    return _framed(machine, found, X.index) if hasattr(X, "iloc") else found


def _empty(machine: Any, method: str) -> np.ndarray[Any, Any]:
    """What no rows would give: the type of the values and their number in a row."""
    if hasattr(machine, "classes_") and method == "predict":
        return np.empty(0, dtype=machine.classes_.dtype)
    width = _width(machine, method)
    return np.empty(0 if width is None else (0, width))


def _width(machine: Any, method: str) -> int | None:
    """Columns of the values; None if they are a vector."""
    if hasattr(machine, "classes_"):
        n_classes = len(machine.classes_)
        return None if method == "decision_function" and n_classes == 2 else n_classes
    return None if getattr(machine, "_is_flat", True) else len(machine.intercept_)


def _framed(machine: Any, values: np.ndarray[Any, Any], index: Any) -> Any:
    import pandas as pd

    if values.ndim == 1:
        return pd.Series(values, index=index)
    columns = getattr(machine, "classes_", range(values.shape[1]))
    return pd.DataFrame(values, index=index, columns=list(columns))


def _of_array(machine: Any, method: str, X: Any) -> Any:
    whole = X.rechunk({1: -1})
    meta = _empty(machine, method)
    shape: dict[str, Any] = {"drop_axis": 1}
    if meta.ndim == 2:
        shape = {"chunks": (whole.chunks[0], (meta.shape[1],))}
    return whole.map_blocks(
        _of_block,
        machine=delayed(machine, traverse=False),
        method=method,
        dtype=meta.dtype,
        meta=meta,
        **shape,
    )


def _of_block(X: Any, machine: Any, method: str) -> Any:
    return _values(machine, method, X)


def _of_frame(machine: Any, method: str, X: Any) -> Any:
    meta = _framed(machine, _empty(machine, method), X._meta.index[:0])
    shared = delayed(machine, traverse=False)
    return X.map_partitions(_of_block, machine=shared, method=method, meta=meta)
