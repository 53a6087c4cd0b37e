"""Categories of a file, as they are or as a model knows them.

Files say little of what a value is: 1 may be read as an integer, as a float or as a text. So a
value of a file is the category of a model that reads the same.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api import types

__all__ = ["as_known", "category_values", "has_gap", "unknown_values"]

_EXACT = 2.0**53  # below which floats are exact integers


def category_values(column: pd.Series[Any]) -> pd.Series[Any]:
    """The values of a column: booleans, numbers, whole ones as integers, or texts.

    They are what a program that reads the same file has, too.
    """
    if isinstance(column.dtype, pd.CategoricalDtype):
        column = column.astype(column.cat.categories.dtype)
    gaps = column.isna()
    if types.is_bool_dtype(column.dtype):
        return column.astype(object).mask(gaps, np.nan) if gaps.any() else column.astype(bool)
    if types.is_numeric_dtype(column.dtype) and gaps.any():
        return column.astype(np.float64)
    if types.is_unsigned_integer_dtype(column.dtype):
        return column.astype(np.uint64)
    if types.is_integer_dtype(column.dtype):
        return column.astype(np.int64)
    if types.is_float_dtype(column.dtype) and np.isfinite(column).all():
        # whole numbers read as floats from one file and as integers from another are the same
        is_whole = (column == column.round()).all() and (abs(column) < _EXACT).all()
        return column.astype(np.int64 if is_whole else np.float64)
    if gaps.any() and all(isinstance(value, bool) for value in column[~gaps]):
        return column.astype(object).mask(gaps, np.nan)
    return column.map(str).astype(object).mask(gaps, np.nan)


def as_known(column: pd.Series[Any], known: NDArray[Any]) -> pd.Series[Any]:
    """The values of a column as the categories that read the same; other ones as texts."""
    by_text = {_text(value): value for value in known if not pd.isna(value)}
    codes, found = pd.factorize(column)
    texts = [_text(value) for value in found]
    gap = next((value for value in known if pd.isna(value)), np.nan)
    values = np.empty(len(found) + 1, dtype=object)
    # the last one is for missing values, whose code is -1
    values[:] = [*(by_text.get(text, text) for text in texts), gap]
    cells = values[codes]
    if known.dtype != object and all(text in by_text for text in texts) and (codes >= 0).all():
        cells = cells.astype(known.dtype)
    return pd.Series(cells, index=column.index, name=column.name, dtype=cells.dtype)


def unknown_values(column: pd.Series[Any], known: NDArray[Any]) -> pd.Series[Any]:
    """Those values that are none of the categories."""
    categories = set(known.tolist())
    codes, found = pd.factorize(column)
    # the last one is for missing values, whose code is -1
    is_unknown = np.array([*(value not in categories for value in found), False])
    return column[is_unknown[codes]]


def has_gap(known: NDArray[Any]) -> bool:
    """Whether a missing value is a category, too."""
    return bool(pd.isna(known).any())


def _text(value: Any) -> str:
    if isinstance(value, float | np.floating) and float(value).is_integer():
        return str(int(value))
    return str(value)
