"""The kind of each column of a training table."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from pandas.api import types

from mercer.cli.data.notation import notation_of
from mercer.cli.data.values import (
    check_small,
    is_plain,
    marked_missing,
    numbers_in,
    rows_text,
)
from mercer.cli.errors import InputError, plural, shown
from mercer.tables.date_formats import ISO, find_formats

__all__ = ["KINDS", "Decision", "decide"]

KINDS = ("number", "category", "date", "text", "drop")
ALLOWED = "columns must hold numbers, texts, booleans, categories or dates"
MOST_CATEGORIES = 100
LEAST_IDS = 20  # rows from which on values that all differ may be names of rows
ID_NAME = re.compile(r"(^|[^a-z])(id|ids|uuid|guid|key|index|idx|row|rowid|nr|number)$")
MOST_LOOKED_AT = 1000
MOST_MISTAKES = 0.1  # of numbers: the share that may be texts by mistake


@dataclass(frozen=True)
class Decision:
    """The kind of a column, why, in words, and whether its numbers have decimal commas.

    Kinds are "number", "category", ... or "left out".
    """

    kind: str
    why: str = ""
    has_comma: bool = False


def decide(column: pd.Series[Any], name: str, asked: str | None = None) -> Decision:
    """Return what a column is taken for; InputError if it cannot be used.

    `asked` is one of ``KINDS``, "keep" (whatever it is, but not left out), or None.
    """
    if asked == "drop":
        return Decision("left out", "as asked")
    if asked == "text":
        return Decision("text", "weights of its words (TF-IDF)")
    present = marked_missing(column).dropna()
    if not len(present):
        return _left_out("empty", asked, name)
    kind = asked if asked in KINDS else _kind(present, name)
    if asked is None and len(present) == len(column) and present.nunique() == 1:
        return Decision("left out", f"constant, {shown(present.iloc[0])}{_keep(name)}")
    found = _DECIDED[kind](present, name, asked)
    return found if found.kind == "left out" else _with_missing(found, column)


def _kind(present: pd.Series[Any], name: str) -> str:
    """The kind that the values of a column, none of them missing, suggest."""
    kind = present.dtype
    if types.is_bool_dtype(kind) or isinstance(kind, pd.CategoricalDtype):
        return "category"
    if types.is_datetime64_any_dtype(kind):
        return "date"
    if types.is_numeric_dtype(kind) and not types.is_complex_dtype(kind):
        return "number"
    if not (types.is_string_dtype(kind) or types.is_object_dtype(kind)):
        raise InputError(f"column {name!r} holds {kind}; {ALLOWED}")
    if not is_plain(present):
        found = sorted({type(value).__name__ for value in present})
        if set(found) <= {"date", "datetime", "Timestamp", "str"}:
            return "date"
        if found == ["int"]:  # too large for 64 bits
            return "number"
        verb = "mixes" if len(found) > 1 else "holds values of type"
        raise InputError(
            f"column {name!r} {verb} {', '.join(found)}; {ALLOWED}; --ignore {name} leaves it out"
        )
    return _kind_of_texts(present.map(str))


def _kind_of_texts(texts: pd.Series[Any]) -> str:
    is_number = numbers_in(texts).notna()
    if is_number.mean() > 0.5:
        # 00af and 0012 among hexadecimal names of rows are no faulty numbers
        return "category" if _are_names(texts, is_number) else "number"
    some = texts.head(MOST_LOOKED_AT)
    formats, left = find_formats(some)
    return "date" if formats and some.isin(left).mean() < 0.1 else "category"


def _are_names(texts: pd.Series[Any], is_number: pd.Series[bool]) -> bool:
    """Whether values that all differ are too rarely numbers for the others to be mistakes."""
    is_unique = texts.nunique() == len(texts) >= LEAST_IDS
    return bool(is_unique and is_number.mean() < 1.0 - MOST_MISTAKES)


def _number(present: pd.Series[Any], name: str, asked: str | None) -> Decision:
    numbers = numbers_in(present)
    bad = present[~np.isfinite(numbers)]
    if any(isinstance(value, str) for value in bad):
        raise InputError(
            f"column {name!r} mixes numbers and texts: {len(bad)} of its {len(present)} values "
            f"are not numbers, e.g. {shown(bad.iloc[0])}, {rows_text(bad)}; correct them, empty "
            f"these cells, or make the column a category with --columns {name}=category"
        )
    if len(bad):
        raise InputError(
            f"column {name!r} must hold finite numbers, {len(bad)} of its values are not, "
            f"e.g. {shown(bad.iloc[0])}, {rows_text(bad)}; empty these cells, or leave it out with "
            f"--ignore {name}"
        )
    check_small(numbers, name)
    if asked is None and _is_row_number(numbers, name):
        return Decision("left out", f"unique{_keep(name)}")
    notation = notation_of(present)
    if notation is None:
        return Decision("number")
    return Decision("number", notation.words, notation.decimal == ",")


def _is_row_number(numbers: Any, name: str) -> bool:
    """Whether whole numbers that all differ are counted in steps of one, or are called an id."""
    values = numbers.to_numpy()
    if len(values) < LEAST_IDS or not (values == np.floor(values)).all():
        return False
    if len(np.unique(values)) < len(values):
        return False
    is_counted = np.array_equal(np.abs(np.diff(values)), np.ones(len(values) - 1))
    return is_counted or bool(ID_NAME.search(_words(name)))


def _words(name: str) -> str:
    """A name in small letters, CamelCase taken apart."""
    return re.sub(r"([a-z])([A-Z])", r"\1 \2", name).lower()


def _category(present: pd.Series[Any], name: str, asked: str | None) -> Decision:
    distinct = present.nunique()
    is_unique = distinct == len(present) >= LEAST_IDS
    is_many = distinct > MOST_CATEGORIES and distinct > len(present) / 2
    if asked is None and (is_unique or is_many):
        which = "unique" if distinct == len(present) else f"{distinct:,} different values"
        if present.map(str).str.count(r"\s").mean() >= 2:
            return Decision("left out", f"{which}; --text {name} takes its words")
        return Decision("left out", f"{which}{_keep(name)}")
    return Decision("category", plural(distinct, "value"))


def _date(present: pd.Series[Any], name: str, asked: str | None) -> Decision:
    texts = present[present.map(lambda value: isinstance(value, str))]
    formats, left = find_formats(texts)
    if left:
        bad = texts[texts.isin(left)]
        raise InputError(
            f"column {name!r} holds dates, but {len(bad)} of its {len(present)} values are none, "
            f"e.g. {shown(bad.iloc[0])}, {rows_text(bad)}; correct them, empty these cells, or "
            f"leave it out with --ignore {name}"
        )
    read_as = f" (read as {' and '.join(formats)})" if formats not in ([], [ISO]) else ""
    return Decision("date", f"days, month{read_as}")


def _with_missing(found: Decision, column: pd.Series[Any]) -> Decision:
    count = int(marked_missing(column).isna().sum())
    if not count:
        return found
    filled = "a category of their own" if found.kind == "category" else "median and an indicator"
    before = f"{found.why}; " if found.why else ""
    return replace(found, why=f"{before}{count:,} missing: {filled}")


def _left_out(why: str, asked: str | None, name: str) -> Decision:
    if asked is not None:
        raise InputError(f"column {name!r} is {why}, there is nothing to keep")
    return Decision("left out", why)


def _keep(name: str) -> str:
    return f" (--keep {name})"


_DECIDED = {"number": _number, "category": _category, "date": _date}
