"""Checks of the rows and targets that users pass, and their errors."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from mercer import _core
from mercer.kernels.rows import is_plain
from mercer.training.not_finite import missing_labels, not_finite

__all__ = [
    "READ_TYPES",
    "are_ready",
    "as_rows",
    "naming",
    "telling_where",
]

READ_TYPES = (np.float64, np.float32, np.uint8, np.int8)  # of dense rows, without a copy
# What scikit-learn says of values that are NaN or infinite, without saying whose.
_NOT_FINITE = re.compile(r"Input (?:(\w+) )?contains (?:NaN|infinity|missing)")
# What sorting and comparing labels says where some are None or pandas.NA.
_MISSING = re.compile("not supported between instances|NA is ambiguous|contains (NaN|missing)")
_MAKE_NUMBERS = "use OneHotEncoder or mercer.tables.TextFeatures in a ColumnTransformer"
_NO_NUMBERS = re.compile("could not convert|argument must be|setting an array element")


@contextmanager
def naming(**arguments: Any) -> Iterator[None]:
    """Let the errors of a conversion to numbers name the argument that has none, and where."""
    _refuse_dates(arguments.get("X"))
    try:
        with telling_where(**arguments):
            yield
    except (TypeError, ValueError) as error:
        if not _NO_NUMBERS.search(str(error)):
            raise
        guilty = [name for name, value in arguments.items() if not _is_numeric(value)]
        if not guilty:
            raise
        where = _text_columns(arguments[guilty[0]])
        raise type(error)(f"{guilty[0]} must hold numbers{where}: {error}") from error


def _refuse_dates(X: Any) -> None:
    """NumPy would take dates for their nanoseconds, or fail without naming the column."""
    found = [repr(name) for name, dtype in _columns(X) if _is_date(dtype)]
    if found:
        raise TypeError(
            f"X must hold numbers only, got dates in columns [{', '.join(found)}]: turn them into "
            "numbers first, for instance by mercer.tables.DateFeatures in a ColumnTransformer"
        )
    if _is_date(getattr(X, "dtype", None)):
        raise TypeError(f"X must hold numbers, got dates ({X.dtype}): turn them into numbers first")


def _columns(table: Any) -> Iterator[tuple[Any, Any]]:
    """Names and types of the columns of a data frame, of pandas or polars."""
    if hasattr(table, "columns") and hasattr(table, "dtypes"):
        yield from zip(table.columns, table.dtypes, strict=True)


def _is_date(dtype: Any) -> bool:
    """Dates and differences of dates, by a type of NumPy, pandas or polars."""
    is_temporal = getattr(dtype, "is_temporal", None)
    return is_temporal() if is_temporal else getattr(dtype, "kind", "") in {"m", "M"}


@contextmanager
def telling_where(**arguments: Any) -> Iterator[None]:
    """Let errors of values that are not finite, or missing, tell where in these arguments."""
    try:
        yield
    except (TypeError, ValueError) as error:
        told = _where(str(error), arguments)
        if told is None:
            raise
        raise ValueError(told) from None


def _where(message: str, arguments: dict[str, Any]) -> str | None:
    found = _NOT_FINITE.match(message)
    names = list(arguments) if found is None or found[1] is None else [found[1]]
    for name in names if found else ():
        if name in arguments and (told := not_finite(name, arguments[name])) is not None:
            return told
    return missing_labels(arguments.get("y")) if _MISSING.search(message) else None


def _is_numeric(value: Any) -> bool:
    try:
        np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        return sp.issparse(value)
    return True


def _text_columns(table: Any) -> str:
    """Names of the columns of a data frame that hold no numbers."""
    columns = [name for name in getattr(table, "columns", []) if not _is_numeric(table[name])]
    return f" only, got others in columns {columns} ({_MAKE_NUMBERS})" if columns else ""


def as_rows(X: Any) -> Any:
    """Lists of numbers as an array, sparse matrices as CSR; other objects as they are."""
    if sp.issparse(X):
        return X.tocsr()
    if not hasattr(X, "shape") and not (hasattr(X, "__len__") and hasattr(X, "__getitem__")):
        raise TypeError(f"X must be an array, a sparse matrix or a sequence of rows, got {X!r}")
    if hasattr(X, "shape") or not len(X) or not isinstance(X[0], (list, tuple)):
        return X
    try:
        rows = np.asarray(X)
    except ValueError:
        return X
    return rows if rows.dtype.kind in "fiub" and rows.ndim == 2 else X


def are_ready(X: Any, y: Any = None, *, needs_y: bool = False) -> bool:
    """Whether rows and targets, if any, are what a validation would return: it can be spared.

    Plain arrays of the types that the core reads, not empty, of equal lengths and finite: a
    small fit takes hardly longer than finding that out the long way.
    """
    if type(X) is not np.ndarray or X.dtype not in READ_TYPES or X.ndim != 2 or not X.size:
        return False
    if not X.flags.c_contiguous or not _is_finite(X):
        return False
    if y is None:
        return not needs_y
    is_vector = type(y) is np.ndarray and y.dtype.kind in "biuf" and y.shape == X.shape[:1]
    return is_vector and _is_finite(y)


def _is_finite(array: NDArray[Any]) -> bool:
    return array.dtype.kind != "f" or (is_plain(array) and _core.is_finite(array))
