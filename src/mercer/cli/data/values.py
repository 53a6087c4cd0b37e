"""The values of a column: numbers among texts, marks of missing values, rows to name."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd
from pandas.api import types

from mercer.cli.errors import InputError

__all__ = [
    "CURRENCY",
    "MISSING_WORDS",
    "check_small",
    "is_plain",
    "marked_missing",
    "numbers_in",
    "rows_text",
    "unit_of",
]

LARGEST = 1e150
MISSING_MARKS = ("?", "-", "--", ".", "*")  # beside those that pandas knows: NA, null, nan, ...
MISSING_WORDS = "cells that are empty or read NA, nan, None, null or ? are missing values"
MOST_ROWS = 5
CURRENCY = r"[$€£¥]|USD|EUR|GBP|CHF|JPY"
WITH_UNIT = re.compile(
    rf"(?P<sign>[-+]?)(?P<before>{CURRENCY})?\s?"
    rf"(?P<number>(?:\d{{1,3}}(?:,\d{{3}})+|\d+)(?:\.\d+)?)\s?(?P<after>%|{CURRENCY})?$"
)


def is_plain(column: pd.Series[Any]) -> bool:
    """Whether all values are texts or booleans."""
    return all(isinstance(value, str | bool) for value in column)


def marked_missing(column: pd.Series[Any]) -> pd.Series[Any]:
    """The column with "?" and the like taken for missing, where texts are read."""
    if not (types.is_string_dtype(column.dtype) or types.is_object_dtype(column.dtype)):
        return column
    is_mark = column.isin(MISSING_MARKS)
    return column.mask(is_mark, np.nan) if is_mark.any() else column


def numbers_in(column: pd.Series[Any]) -> Any:
    """The values as floats, NaN where one is no number.

    12.5%, $1,234.00 and the like are numbers where all values of the column have that unit.
    """
    if types.is_numeric_dtype(column.dtype) and isinstance(column.dtype, np.dtype):
        return column.astype(np.float64)
    numbers = _floats(column)
    if unit_of(column):
        found = column.astype("str").str.strip().str.extract(WITH_UNIT)
        plain = found["sign"].fillna("") + found["number"].str.replace(",", "")
        numbers = pd.to_numeric(plain, errors="coerce").astype(np.float64)
    return numbers


def _floats(column: pd.Series[Any]) -> Any:
    """Texts and integers of any size as floats, NaN where one is no number."""
    try:
        numbers = pd.to_numeric(column, errors="coerce")
    except OverflowError:  # beyond all floats: the text of it is infinite
        numbers = pd.to_numeric(column.map(str), errors="coerce")
    return numbers.astype(np.float64)


def unit_of(column: pd.Series[Any]) -> str:
    """The percent sign or currency that all values of a column have, or "," between thousands;
    empty if there is none.
    """
    present = column.dropna()
    if not len(present) or not isinstance(present.iloc[0], str):
        return ""
    if not WITH_UNIT.match(present.iloc[0].strip()):  # nearly all columns
        return ""
    found = present.astype("str").str.strip().str.extract(WITH_UNIT)
    units = found["before"].fillna("") + found["after"].fillna("")
    if found["number"].isna().any() or units.nunique() != 1:
        return ""
    return str(units.iloc[0]) or ("," if _has_thousands(found["number"]) else "")


def _has_thousands(numbers: pd.Series[Any]) -> bool:
    """Whether commas stand between thousands: 1,234 alone might have a decimal comma."""
    n_commas = numbers.str.count(",")
    is_sure = (n_commas != 1) | numbers.str.contains(".", regex=False)
    return bool(n_commas.any() and is_sure.any() and not numbers.str.startswith("0,").any())


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
