"""What machines demand of rows, kernel matrices and prices, and how they say so."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from mercer import _core
from mercer.kernels import Constant, Kernel
from mercer.kernels.blocks import row_slices
from mercer.kernels.rows import is_plain

__all__ = [
    "READ_TYPES",
    "are_ready",
    "as_rows",
    "check_finite_price",
    "flat_kernel",
    "is_surely_indefinite",
    "naming",
]

READ_TYPES = (np.float64, np.float32, np.uint8, np.int8)  # of dense rows, without a copy
# What NumPy says of values that are no numbers, without saying whose.
_NO_NUMBERS = re.compile("could not convert|argument must be|setting an array element")
_BLOCK_BYTES = 2**24


@contextmanager
def naming(**arguments: Any) -> Iterator[None]:
    """Let the errors of a conversion to numbers name the argument that has none."""
    try:
        yield
    except (TypeError, ValueError) as error:
        if not _NO_NUMBERS.search(str(error)):
            raise
        guilty = [name for name, value in arguments.items() if not _is_numeric(value)]
        if not guilty:
            raise
        where = _text_columns(arguments[guilty[0]])
        raise type(error)(f"{guilty[0]} must hold numbers{where}: {error}") from error


def _is_numeric(value: Any) -> bool:
    try:
        np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        return sp.issparse(value)
    return True


def _text_columns(table: Any) -> str:
    """Names of the columns of a data frame that hold no numbers."""
    columns = [name for name in getattr(table, "columns", []) if not _is_numeric(table[name])]
    return f" only, got others in columns {columns}" if columns else ""


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


def is_surely_indefinite(K: NDArray[Any]) -> bool:
    """Whether two rows alone prove that ``K`` is not positive semi-definite.

    K_ii >= 0 and K_ij^2 <= K_ii K_jj, up to the rounding of single precision.
    """
    diagonal = np.diagonal(K).astype(np.float64)
    if diagonal.min(initial=0.0) < -1e-5 * np.abs(diagonal).max(initial=0.0):
        return True
    size = np.sqrt(np.maximum(diagonal, 0.0)) * (1 + 1e-5)
    slack = 1e-5 * diagonal.max(initial=0.0)
    return any(
        bool((np.abs(K[rows]) > np.multiply.outer(size[rows], size) + slack).any())
        for rows in row_slices(len(K), 8 * len(K), _BLOCK_BYTES)
    )


def check_finite_price(C: float, loss: str) -> float:
    """``C``, if it is finite: without a price there is no loss, only demands on the margin."""
    if np.inf == C:
        raise ValueError(f"C must be finite with loss={loss!r}, got {C!r}")
    return C


def flat_kernel(name: str, coef0: float, degree: int) -> Kernel:
    """The built-in kernels with gamma = 0 do not look at the rows."""
    value = {"poly": coef0**degree, "sigmoid": np.tanh(coef0)}.get(name, 1.0)
    if not value > 0:
        raise ValueError(f"gamma must be positive for kernel={name!r} with coef0={coef0!r}, got 0")
    return Constant(float(value))
