"""The values of a column: numbers among texts, marks of missing values, rows to name."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from pandas.api import types

from mercer.cli.data.notation import notation_of
from mercer.cli.errors import InputError

__all__ = [
    "MISSING_WORDS",
    "check_small",
    "is_plain",
    "marked_missing",
    "numbers_in",
    "rows_text",
]

LARGEST = 1e150
MISSING_MARKS = ("?", "-", "--", ".", "*")  # beside those that pandas knows: NA, null, nan, ...
MISSING_WORDS = "cells that are empty or read NA, nan, None, null or ? are missing values"
MOST_ROWS = 5


def is_plain(column: pd.Series[Any]) -> bool:
    """Whether all values are texts or booleans."""
    return all(isinstance(value, str | bool) for value in column)


def marked_missing(column: pd.Series[Any]) -> pd.Series[Any]:
    """The column with "?" and the like taken for missing, where texts are read."""
    if not (types.is_string_dtype(column.dtype) or types.is_object_dtype(column.dtype)):
        return column
    is_mark = column.isin(MISSING_MARKS)
    return column.mask(is_mark, np.nan) if is_mark.any() else column


def numbers_in(column: pd.Series[Any], has_comma: bool = False) -> Any:
    """The values as floats, NaN where one is not numeric.

    12.5%, $1,234.00, 7,5 € and the like are numbers where all values of the column are written
    so. `has_comma` says that decimal commas are known to be usual in it.
    """
    if types.is_numeric_dtype(column.dtype) and isinstance(column.dtype, np.dtype):
        return column.astype(np.float64)
    notation = notation_of(column, has_comma)
    return _floats(column) if notation is None else notation.read(column)


def _floats(column: pd.Series[Any]) -> Any:
    """Texts and integers of any size as floats, NaN where one is not numeric."""
    try:
        numbers = pd.to_numeric(column, errors="coerce")
    except OverflowError:  # beyond all floats: the text of it is infinite
        numbers = pd.to_numeric(column.map(str), errors="coerce")
    return numbers.astype(np.float64)


def check_small(numbers: Any, name: str) -> None:
    """Raise InputError unless sums of squares are within the range of numbers."""
    largest = float(np.abs(numbers).max()) if len(numbers) else 0.0
    if largest > LARGEST:
        raise InputError(
            f"column {name!r} holds numbers of up to {largest:.3g}, whose squares overflow; "
            f"scale it to at most {LARGEST:g}, or leave it out with --ignore {name}"
        )


def rows_text(values: pd.Series[Any], counted: bool = True) -> str:
    """Return the rows of some values, the first few of many; the first row of a table is 0."""
    rows = [f"{row:,}" for row in values.index[:MOST_ROWS]]
    more = f" and {len(values) - MOST_ROWS:,} more" if len(values) > MOST_ROWS else ""
    counting = ", counted from 0" if counted else ""
    return f"row{'s' if len(values) > 1 else ''} {', '.join(rows)}{more}{counting}"
