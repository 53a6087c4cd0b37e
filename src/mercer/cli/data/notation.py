"""Numbers as people write them: with a unit, a decimal comma, marks between thousands."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

__all__ = ["CURRENCY", "Notation", "notation_of"]

CURRENCY = r"[$€£¥₹]|USD|EUR|GBP|CHF|JPY|Fr\."
_UNIT = rf"%|‰|{CURRENCY}|°[CF]?|[^\W\d_]{{1,4}}[²³]?"
_SPACES = "\u00a0\u202f\u2009 "  # those that do not break a line, and the plain one
_NUMBER = re.compile(
    rf"(?P<bracket>\()?(?P<sign>[-+−])?\s?(?P<before>{CURRENCY})?\s?(?P<inner>[-+−])?"
    rf"(?P<number>\d[\d.,'’{_SPACES}]*?)\s?(?P<after>{_UNIT})?(?(bracket)\))$"
)


@dataclass(frozen=True)
class Notation:
    """How all numbers of a column are written.

    Attributes
    ----------
    decimal : str
        The decimal sign.
    thousands : str
        The marks that may stand between thousands.
    unit : str
        What stands before or behind every number; empty for none.
    """

    decimal: str
    thousands: str
    unit: str = ""

    @property
    def words(self) -> str:
        """Notes on omitted or unusual parts."""
        left_out = repr(self.unit) if self.unit else "marks between thousands"
        return f"read without {left_out}" + (", decimal comma" if self.decimal == "," else "")

    @property
    def pattern(self) -> re.Pattern[str]:
        """A number without sign and unit."""
        whole = rf"(?:\d{{1,3}}(?:[{re.escape(self.thousands)}]\d{{3}})+|\d+)"
        return re.compile(rf"{whole}(?:{re.escape(self.decimal)}\d+)?$")

    def read(self, column: pd.Series[Any]) -> Any:
        """The numbers of a column, all of which are written so; missing ones are NaN."""
        parts = _parts(column)
        plain = parts["number"].str.replace(rf"[{re.escape(self.thousands)}]", "", regex=True)
        plain = plain.str.replace(self.decimal, ".", regex=False)
        numbers = pd.to_numeric(plain, errors="coerce").astype(np.float64)
        return numbers.where(~_is_negative(parts), -numbers)


# in the order of trial: 1,234 is a thousand unless other numbers of the column have a comma else
_NOTATIONS = (
    Notation(".", ","),
    Notation(".", "'’"),
    Notation(",", "."),
    Notation(",", _SPACES),
    Notation(".", _SPACES),
)


def notation_of(column: pd.Series[Any], has_comma: bool = False) -> Notation | None:
    """Return how all numbers among texts are written; None if one is not a number or all are plain.

    Without a unit there must be a value that can be read in one way only: 1,2 may be a list, and
    12 345 two numbers. `has_comma` says that decimal commas are known to be usual.
    """
    present = column.dropna()
    if not len(present) or not isinstance(present.iloc[0], str):
        return None
    if not _NUMBER.match(present.iloc[0].strip()):  # nearly all columns
        return None
    parts = _parts(present)
    units = parts["before"].fillna("") + parts["after"].fillna("")
    numbers = parts["number"]
    if numbers.isna().any() or units.nunique() != 1:
        return None
    tried = sorted(_NOTATIONS, key=lambda own: has_comma and own.decimal != ",")
    found = next((own for own in tried if numbers.str.match(own.pattern).all()), None)
    if found is None:
        return None
    unit = str(units.iloc[0])
    if unit:
        return Notation(found.decimal, found.thousands, unit)
    is_sure = has_comma or parts["bracket"].notna().any() or _is_sure(numbers, found)
    return found if is_sure else None


def _is_sure(numbers: pd.Series[Any], found: Notation) -> bool:
    """Whether a number without a unit cannot be read in another way."""
    marks = numbers.str.count(rf"[{re.escape(found.thousands)}]")
    has_decimals = numbers.str.contains(found.decimal, regex=False)
    is_clear = numbers.str.contains(r"['’\u00a0\u202f\u2009]", regex=True)
    is_sure = (marks > 1) | has_decimals & (marks > 0) | is_clear
    return bool(is_sure.any() and not numbers.str.startswith("0,").any())


def _parts(column: pd.Series[Any]) -> pd.DataFrame:
    """Sign, unit and number of each text, NaN where one is not of this form."""
    return column.astype("str").str.strip().str.extract(_NUMBER)


def _is_negative(parts: pd.DataFrame) -> Any:
    signs = parts["sign"].fillna("") + parts["inner"].fillna("")
    return signs.isin(["-", "−"]) | parts["bracket"].notna()
