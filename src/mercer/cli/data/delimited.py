"""Reading CSV and its relatives."""

from __future__ import annotations

import contextlib
import csv
import io
import re
import warnings
from typing import Any

import pandas as pd

from mercer.cli.data.dialect import THOUSANDS, Dialect, encoding_of, find_dialect
from mercer.cli.data.notation import CURRENCY
from mercer.cli.data.opened import Content
from mercer.cli.errors import InputError, plural

__all__ = ["read_delimited", "text_sample"]

SAMPLE_CHARACTERS = 65536
LEAST_LINES = 3
MOST_LINES = 5
COMMA_AND_UNIT = re.compile(
    rf"\s*[-+]?(?:(?:{CURRENCY})\s?\d[\d.]*(?:,\d+)?|\d[\d.]*(?:,\d+)?\s?(?:%|{CURRENCY}))\s*$"
)
LEADING_ZERO = re.compile(r"0\d+$")
TOO_LONG = re.compile(r"Expected (\d+) fields in line (\d+), saw (\d+)")


def text_sample(content: Content) -> str:
    """The first lines, whole ones: a header may be longer than any number of characters."""
    encoding = encoding_of(content.data, content.name)
    with io.TextIOWrapper(io.BytesIO(content.data), encoding=encoding, newline="") as file:
        lines = file.readlines(SAMPLE_CHARACTERS)
        while len(lines) < LEAST_LINES and (line := file.readline()):
            lines.append(line)
    sample = "".join(lines).lstrip("\ufeff")
    if "\0" in sample:
        raise InputError(f"{content.name} is not {content.suffix} text: it holds binary data")
    if not sample.strip():
        raise InputError(f"{content.name} is empty")
    return sample


def read_delimited(content: Content, sample: str, notes: list[str]) -> tuple[Any, list[str]]:
    """Return a data frame and the names of its columns; `notes` get how it was read."""
    lines = sample.lstrip("\r\n").splitlines(keepends=True)
    dialect = find_dialect(lines)
    encoding = encoding_of(content.data, content.name)
    names = _header(content.name, lines, dialect, notes)
    options: dict[str, Any] = {"encoding": encoding, "index_col": False, "low_memory": False}
    options |= {"sep": dialect.delimiter, "decimal": dialect.decimal, "skipinitialspace": True}
    options |= {"quotechar": dialect.quote}
    try:
        with warnings.catch_warnings():
            # Rows longer than the header would lose their last values.
            warnings.simplefilter("error", pd.errors.ParserWarning)
            frame = pd.read_csv(io.BytesIO(content.data), **options)
    except (ValueError, pd.errors.ParserWarning) as error:
        raise InputError(f"{content.name} {_not_readable(str(error).strip(), dialect)}") from None
    if dialect.has_thousands:
        frame = frame.apply(_without_thousands)
    if dialect.decimal == ",":
        frame = frame.apply(_with_points)
    notes += _leading_zeros(lines, dialect, names)
    if words := dialect.words(encoding):
        notes.append(f"read with {words}")
    if len(frame) and frame.iloc[:, -1].isna().any():
        _tell_short_lines(content, dialect, encoding, len(names), notes)
    return frame, names


def _not_readable(error: str, dialect: Dialect) -> str:
    """What is wrong with a text table, of lines that are too long in words of our own."""
    if error.startswith("Length of header"):
        return (
            "has more fields in its lines than in the first one, which must name the columns: "
            "remove what stands above the names, such as a comment"
        )
    found = TOO_LONG.search(error)
    if found is None:
        return f"is not readable CSV: {error}"
    expected, line, seen = found.groups()
    return (
        f"has {seen} fields in line {line}, the header has {expected}: put fields that hold the "
        f"separator {dialect.delimiter!r} into quotes, or correct the line"
    )


def _header(name: str, lines: list[str], dialect: Dialect, notes: list[str]) -> list[str]:
    reader = csv.reader(
        lines, delimiter=dialect.delimiter, quotechar=dialect.quote, skipinitialspace=True
    )
    try:
        names = [own.strip() for own in next(reader)]
    except csv.Error as error:
        raise InputError(f"{name} is not readable CSV: {error}") from None
    if all(_is_number(own) for own in names):
        raise InputError(
            f"{name} has no header: its first line holds the numbers {', '.join(names[:5])}; "
            "the first line must name the columns"
        )
    bare = [position for position, own in enumerate(names) if not own]
    if bare:
        # as pandas calls them, so that a model is the same in Python
        names = [own or f"Unnamed: {position}" for position, own in enumerate(names)]
        listed = ", ".join(str(position + 1) for position in bare[:MOST_LINES])
        notes.append(f"columns without a name are called 'Unnamed: ...': column {listed}")
    return names


def _without_thousands(column: pd.Series[Any]) -> pd.Series[Any]:
    """Numbers where all texts of a column are, some of them with points: 1.234,5 is 1234.5."""
    texts = column.dropna()
    if texts.map(type).nunique() != 1 or not isinstance(texts.iloc[0], str):
        return column
    plain = texts.str.replace(".", "").str.replace(",", ".")
    numbers = pd.to_numeric(plain, errors="coerce")
    is_written = texts.str.match(THOUSANDS) | ~texts.str.contains(".", regex=False)
    if numbers.isna().any() or not is_written.all():
        return column
    return numbers.reindex(column.index)


def _with_points(column: pd.Series[Any]) -> pd.Series[Any]:
    """12,5 % as 12.5 %, where all texts of a column are numbers with a unit."""
    texts = column.dropna()
    if (
        not len(texts)
        or not isinstance(texts.iloc[0], str)
        or not COMMA_AND_UNIT.match(texts.iloc[0])
    ):
        return column
    if not texts.map(lambda own: isinstance(own, str) and bool(COMMA_AND_UNIT.match(own))).all():
        return column
    plain = texts.str.replace(".", "", regex=False).str.replace(",", ".", regex=False)
    return plain.reindex(column.index)


def _leading_zeros(lines: list[str], dialect: Dialect, names: list[str]) -> list[str]:
    """Note on numbers that are most likely codes: 01234 is read as 1234."""
    reader = csv.reader(
        lines[1:], delimiter=dialect.delimiter, quotechar=dialect.quote, skipinitialspace=True
    )
    found: dict[str, str] = {}
    with contextlib.suppress(csv.Error):
        for row in reader:
            for name, own in zip(names, row, strict=False):
                if LEADING_ZERO.match(own):
                    found.setdefault(name, own)
    return [
        f"column {name!r} has leading zeros, e.g. {own}: if these are codes, not numbers, say "
        f"--category {name} (classes of a target are named without them)"
        for name, own in found.items()
    ]


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _tell_short_lines(
    content: Content, dialect: Dialect, encoding: str, width: int, notes: list[str]
) -> None:
    """Note the lines that end before the last column, whose values are missing then."""
    text = io.StringIO(content.data.decode(encoding), newline="")
    reader = csv.reader(text, delimiter=dialect.delimiter, quotechar=dialect.quote)
    try:
        short = [reader.line_num for row in reader if row and len(row) < width]
    except csv.Error:
        return
    if short:
        listed = ", ".join(str(line) for line in short[:MOST_LINES])
        more = ", ..." if len(short) > MOST_LINES else ""
        notes.append(
            f"{plural(len(short), 'line')} with fewer fields than the header, the others are "
            f"missing: line {listed}{more}"
        )
