"""Which columns are numbers and which are categories, and whether they can be used."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from pandas.api import types

from mercer.cli.errors import InputError, quoted, shown

__all__ = ["Columns", "check_missing", "describe_columns", "usable_frame"]

ALLOWED = "columns must hold numbers, texts, booleans or categories"
MOST_CATEGORIES = 100
MOST_FAULTS = 20
LARGEST = 1e150
DATE = re.compile(r"\s*(\d{4}-\d{1,2}-\d{1,2}|\d{1,2}[./-]\d{1,2}[./-]\d{2,4})([ T]\d.*)?\s*$")


@dataclass(frozen=True)
class Columns:
    """Names of the columns a model is trained on, by kind, each in the order of the file."""

    numbers: list[str]
    categories: list[str]

    @property
    def names(self) -> list[str]:
        """All names."""
        return [*self.numbers, *self.categories]


def describe_columns(frame: pd.DataFrame, categories: Collection[str] = ()) -> Columns:
    """Return the kind of each column; InputError names those that cannot be used.

    Texts, booleans and categories are categories, and so are the columns in `categories`.
    """
    check_missing(frame, "remove the rows or, with --ignore, the columns")
    kinds = {
        name: "categories" if name in categories else _kind(frame[name], name)
        for name in map(str, frame.columns)
    }
    return Columns(
        numbers=[name for name, kind in kinds.items() if kind == "numbers"],
        categories=[name for name, kind in kinds.items() if kind == "categories"],
    )


def usable_frame(frame: pd.DataFrame, columns: Columns) -> pd.DataFrame:
    """Return the columns of a model as it wants them: floats, and texts for categories."""
    absent = [name for name in columns.names if name not in frame.columns]
    if absent:
        raise InputError(
            f"columns {quoted(absent)} are missing; the model was trained on "
            f"{quoted(columns.names)}, the file has {quoted(list(frame.columns))}"
        )
    check_missing(frame[columns.names])
    usable = {name: _numbers(frame[name], name) for name in columns.numbers}
    usable |= {name: _texts(frame[name]) for name in columns.categories}
    return pd.DataFrame(usable, index=frame.index)


def check_missing(frame: pd.DataFrame, advice: str = "remove the rows") -> None:
    """Raise InputError that counts the missing values of each column that has some."""
    counts = frame.isna().sum()
    faults = [f"{name!r} ({count} of {len(frame)})" for name, count in counts.items() if count > 0]
    if faults:
        listed = ", ".join(faults[:MOST_FAULTS])
        more = f" and {len(faults) - MOST_FAULTS:,} more" if len(faults) > MOST_FAULTS else ""
        raise InputError(f"values are missing in {listed}{more}; fill them in, or {advice}")


def _kind(column: pd.Series[Any], name: str) -> str:
    if types.is_bool_dtype(column.dtype) or isinstance(column.dtype, pd.CategoricalDtype):
        return "categories"
    if types.is_numeric_dtype(column.dtype) and not types.is_complex_dtype(column.dtype):
        _numbers(column, name)
        return "numbers"
    if types.is_string_dtype(column.dtype) or column.dtype == object:
        _check_texts(column, name)
        return "categories"
    raise InputError(f"column {name!r} holds {_dtype_name(column)}; {ALLOWED}")


def _dtype_name(column: pd.Series[Any]) -> str:
    return "dates" if types.is_datetime64_any_dtype(column.dtype) else str(column.dtype)


def _numbers(column: pd.Series[Any], name: str) -> Any:
    """The column as floats; the error shows a value that is none."""
    if column.dtype.kind in "iuf" and isinstance(column.dtype, np.dtype):
        # Tables of thousands of columns are of this kind.
        values = column.to_numpy().astype(np.float64)
        if np.isfinite(values).all():
            return _small_numbers(values, name)
    numbers = pd.to_numeric(column, errors="coerce").astype(np.float64)
    bad = column[~np.isfinite(numbers)]
    if len(bad) or types.is_datetime64_any_dtype(column.dtype):
        example = bad.iloc[0] if len(bad) else column.iloc[0]
        raise InputError(
            f"column {name!r} must hold finite numbers, {len(bad)} of its values are not, "
            f"e.g. {shown(example)}"
        )
    return _small_numbers(numbers, name)


def _small_numbers(numbers: Any, name: str) -> Any:
    """The numbers, if sums of their squares are within the range of numbers."""
    largest = float(np.abs(numbers).max()) if len(numbers) else 0.0
    if largest > LARGEST:
        raise InputError(
            f"column {name!r} holds numbers of up to {largest:.3g}, whose squares overflow; "
            f"scale it to at most {LARGEST:g}, or leave it out with --ignore"
        )
    return numbers


def _texts(column: pd.Series[Any]) -> pd.Series[Any]:
    if types.is_float_dtype(column.dtype) and (column == column.round()).all():
        # Whole numbers read as floats from one file and as integers from another are the same.
        column = column.astype(np.int64)
    return column.map(str).astype(object)


def _check_texts(column: pd.Series[Any], name: str) -> None:
    if not all(isinstance(value, str | bool) for value in column):
        found = sorted({type(value).__name__ for value in column})
        raise InputError(f"column {name!r} mixes {', '.join(found)}; {ALLOWED}")
    texts = _texts(column)
    numeric = pd.to_numeric(texts, errors="coerce").notna()
    if numeric.mean() > 0.5:
        bad = texts[~numeric]
        raise InputError(
            f"column {name!r} mixes numbers and texts: {len(bad)} of its {len(texts)} values "
            f"are not numbers, e.g. {shown((bad if len(bad) else texts).iloc[0])}; correct them, "
            "or make the column a category with --category"
        )
    if texts.head(1000).str.match(DATE).all():
        raise InputError(
            f"column {name!r} holds dates, e.g. {shown(texts.iloc[0])}; {ALLOWED}: replace dates "
            "by numbers (year, month, days since ...) or leave the column out with --ignore"
        )
    distinct = texts.nunique()
    if distinct > MOST_CATEGORIES and distinct > len(texts) / 2:
        raise InputError(
            f"column {name!r} holds {distinct} different texts in {len(texts)} rows, too many "
            "for a category; leave it out with --ignore, or insist with --category"
        )
