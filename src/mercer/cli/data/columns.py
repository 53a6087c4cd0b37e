"""The columns of a table by kind, as a model learns from them and as it reads them later."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api import types

from mercer.cli.data.categories import as_known, category_values
from mercer.cli.data.kinds import Decision, decide
from mercer.cli.data.values import check_small, marked_missing, numbers_in, rows_text
from mercer.cli.errors import InputError, collecting, meant, quoted, raise_all, shown

__all__ = [
    "Column",
    "Columns",
    "check_missing",
    "columns_of",
    "describe_columns",
    "known_frame",
    "usable_frame",
]

MOST_FAULTS = 20


@dataclass(frozen=True, eq=False)
class Column:
    """The role of a column in a model.

    Attributes
    ----------
    kind : str
        "numbers", "categories", "dates", "texts" or "dropped".
    categories : ndarray or None
        Those the model knows.
    is_strict : bool
        Whether the model refuses other ones.
    may_miss : bool
        Whether the model takes missing values.
    has_comma : bool
        Whether texts that are numbers have decimal commas.
    """

    kind: str
    categories: NDArray[Any] | None = None
    is_strict: bool = False
    may_miss: bool = False
    has_comma: bool = False


@dataclass(frozen=True)
class Columns:
    """Names of the columns a model is trained on, by kind, each in the order of the file.

    Attributes
    ----------
    numbers, categories, dates, texts : list of str
        The names.
    decided : dict
        Notes on columns: those left out, and those that are converted.
    missing : list of str
        Those with missing values that are filled in.
    imputes : bool
        Whether missing values are filled in.
    commas : list of str
        Those whose numbers have decimal commas.
    """

    numbers: list[str]
    categories: list[str]
    dates: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    decided: dict[str, list[str]] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)
    imputes: bool = False
    commas: list[str] = field(default_factory=list)

    @property
    def names(self) -> list[str]:
        """All names."""
        return [*self.numbers, *self.categories, *self.dates, *self.texts]

    @property
    def by_kind(self) -> dict[str, list[str]]:
        """The names by the noun of their kind."""
        return {
            "numeric feature": self.numbers,
            "categorical feature": self.categories,
            "date": self.dates,
            "text": self.texts,
        }


def describe_columns(
    frame: pd.DataFrame, asked: Mapping[str, str] | None = None, imputes: bool = False
) -> Columns:
    """Return the kind of each column; one InputError lists all that cannot be used.

    `asked` are kinds that the user has named.
    """
    problems: list[str] = []
    found: dict[str, Decision] = {}
    for name in map(str, frame.columns):
        with collecting(problems):
            found[name] = decide(frame[name], name, (asked or {}).get(name))
    if not imputes:
        kept = [name for name, own in found.items() if own.kind not in ("left out", "text")]
        with collecting(problems):
            check_missing(
                frame[kept].apply(marked_missing) if kept else frame[kept],
                "remove the rows with --missing drop or, with --ignore, the columns; "
                "--missing impute fills them in",
            )
    raise_all(problems)
    return _columns(frame, found, imputes)


def _columns(frame: pd.DataFrame, found: dict[str, Decision], imputes: bool) -> Columns:
    def of(kind: str) -> list[str]:
        return [name for name, own in found.items() if own.kind == kind]

    kept = [name for name, own in found.items() if own.kind != "left out"]
    gaps = [name for name in kept if marked_missing(frame[name]).isna().any()]
    return Columns(
        numbers=of("number"),
        categories=of("category"),
        dates=of("date"),
        texts=of("text"),
        decided={name: [own.kind, own.why] for name, own in found.items()},
        missing=gaps,
        imputes=imputes,
        commas=[name for name, own in found.items() if own.has_comma],
    )


def usable_frame(frame: pd.DataFrame, columns: Columns) -> pd.DataFrame:
    """Return the columns to learn from: floats, the values of categories, dates and texts."""
    usable = {name: _numbers(frame[name], name, columns.imputes) for name in columns.numbers}
    usable |= {name: category_values(marked_missing(frame[name])) for name in columns.categories}
    usable |= {name: marked_missing(frame[name]) for name in columns.dates}
    usable |= {name: frame[name] for name in columns.texts}
    return pd.DataFrame(usable, index=frame.index)


def columns_of(trained: pd.DataFrame, columns: Columns) -> dict[str, Column]:
    """Return what the columns of a training set are to those who read more of them."""
    may_miss = columns.imputes
    wanted = {
        name: Column("numbers", may_miss=may_miss, has_comma=name in columns.commas)
        for name in columns.numbers
    }
    wanted |= {
        name: Column("categories", trained[name].unique(), may_miss=may_miss)
        for name in columns.categories
    }
    wanted |= {name: Column("dates", may_miss=may_miss) for name in columns.dates}
    return wanted | {name: Column("texts", may_miss=True) for name in columns.texts}


def known_frame(frame: pd.DataFrame, columns: dict[str, Column]) -> pd.DataFrame:
    """Return the columns of a model as it needs them; one InputError lists all it cannot use."""
    absent = [name for name in columns if name not in frame.columns]
    used = [name for name in absent if columns[name].kind != "dropped"]
    if used:
        others = [str(name) for name in frame.columns if name not in columns]
        near = [f"{shown(name)}{meant(name, others)}" for name in used]
        guesses = [own for own in near if own.endswith("?)")][:MOST_FAULTS]
        renamed = f"; {', '.join(guesses)}" if guesses else ""
        raise InputError(
            f"{_columns_are(used)} missing{renamed}; the model was trained on "
            f"{quoted(list(columns))}, the file has {quoted(list(frame.columns))}"
        )
    present = {name: column for name, column in columns.items() if name not in absent}
    whole = [name for name, own in present.items() if not (own.may_miss or own.kind == "dropped")]
    problems: list[str] = []
    with collecting(problems):
        check_missing(frame[whole])
    usable = {}
    for name, column in present.items():
        with collecting(problems):
            usable[name] = _as_wanted(frame[name], name, column, name in whole)
    raise_all(problems)
    return pd.DataFrame(usable, index=frame.index)


def _columns_are(names: list[str]) -> str:
    return f"columns {quoted(names)} are" if len(names) > 1 else f"column {shown(names[0])} is"


def _as_wanted(values: pd.Series[Any], name: str, column: Column, is_whole: bool) -> Any:
    if column.kind in ("dropped", "texts"):
        return values
    if column.kind == "dates":
        return marked_missing(values)
    if column.categories is None:
        # missing values of a column that must have none are reported already
        present = values.dropna() if is_whole else values
        return _numbers(present, name, column.may_miss, column.has_comma)
    return as_known(values, column.categories)


def check_missing(frame: pd.DataFrame, advice: str = "remove the rows") -> None:
    """Raise InputError that counts the missing values of each column that has some."""
    gaps = frame.isna()
    faults = [
        f"{name!r} ({count} of {len(frame)}: {rows_text(frame[gaps[name]][name], False)})"
        for name, count in gaps.sum().items()
        if count > 0
    ]
    if faults:
        listed = ", ".join(faults[:MOST_FAULTS])
        more = f" and {len(faults) - MOST_FAULTS:,} more" if len(faults) > MOST_FAULTS else ""
        raise InputError(f"values are missing in {listed}{more}; fill them in, or {advice}")


def _numbers(
    column: pd.Series[Any], name: str, may_miss: bool = False, has_comma: bool = False
) -> Any:
    """The column as floats; the error shows a value that is none."""
    column = marked_missing(column) if may_miss else column
    numbers = numbers_in(column, has_comma)
    if types.is_datetime64_any_dtype(column.dtype):
        numbers = numbers * np.nan
    is_bad = ~np.isfinite(numbers)
    if may_miss:
        is_bad &= column.notna()
    bad = column[is_bad]
    if len(bad):
        raise InputError(
            f"column {name!r} must hold finite numbers, {len(bad)} of its values are not, "
            f"e.g. {shown(bad.iloc[0])}, {rows_text(bad)}"
        )
    check_small(numbers.dropna(), name)
    return numbers
