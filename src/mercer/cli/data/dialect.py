"""How a text table is written: encoding, separator, quotes, decimal sign; found, and said."""

from __future__ import annotations

import codecs
import csv
import re
from dataclasses import dataclass

from mercer.cli.errors import InputError

__all__ = ["THOUSANDS", "Dialect", "encoding_of", "find_dialect"]

DELIMITERS = ",;\t|"
SAMPLE_LINES = 50
COMMA = re.compile(r"\s*[-+]?(\d+|\d{1,3}(\.\d{3})+),\d+\s*$")
POINT = re.compile(r"\s*[-+]?\d*\.\d+\s*$")
THOUSANDS = re.compile(r"\s*[-+]?\d{1,3}(\.\d{3})+,\d+\s*$")
SINGLE = re.compile(r"(^|[,;\t|])\s*'", re.MULTILINE)
_NAMES = {"\t": "tab", " ": "space", ";": "';'", "|": "'|'", ",": "','"}


@dataclass(frozen=True)
class Dialect:
    """The way of writing, and its description where it is not the usual one."""

    delimiter: str = ","
    quote: str = '"'
    decimal: str = "."
    has_thousands: bool = False

    def words(self, encoding: str) -> str:
        """Unusual properties, in words; empty if there are none."""
        told = []
        if self.delimiter != ",":
            told.append(f"separator {_NAMES[self.delimiter]}")
        if self.decimal == ",":
            told.append("decimal comma")
        if self.has_thousands:
            told.append("points between thousands")
        if self.quote == "'":
            told.append("single quotes")
        if encoding not in ("utf-8", "utf-8-sig"):
            told.append(f"encoding {encoding}")
        return ", ".join(told)


def encoding_of(data: bytes, name: str) -> str:
    """The encoding of a text: UTF-8, UTF-16 by its mark, or else that of Western Windows."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        if b"\0" in data[:65536]:
            raise InputError(f"{name} is not text: it holds binary data") from None
        try:
            data.decode("cp1252")
        except UnicodeDecodeError:
            return "latin-1"
        return "cp1252"
    return "utf-8-sig"


def find_dialect(lines: list[str]) -> Dialect:
    """Return how the first lines of a table are written."""
    quotes = "\"'" if SINGLE.search("".join(lines[:SAMPLE_LINES])) else '"'
    pairs = [(delimiter, quote) for quote in quotes for delimiter in DELIMITERS]
    delimiter, quote = max(pairs, key=lambda pair: _merit(lines, *pair))
    if not _merit(lines, delimiter, quote)[0] and _merit(lines, " ", quote)[0]:
        delimiter = " "
    if delimiter == ",":
        return Dialect(delimiter, quote)
    rows = csv.reader(lines[:SAMPLE_LINES], delimiter=delimiter, quotechar=quote)
    cells = [cell for row in rows for cell in row]
    commas, points = (sum(bool(p.match(cell)) for cell in cells) for p in (COMMA, POINT))
    if commas <= points:
        return Dialect(delimiter, quote)
    return Dialect(delimiter, quote, ",", any(THOUSANDS.match(cell) for cell in cells))


def _merit(lines: list[str], delimiter: str, quote: str) -> tuple[bool, int]:
    """Whether header and rows are cut into equal numbers of fields, and how many."""
    try:
        reader = csv.reader(
            lines[:SAMPLE_LINES], delimiter=delimiter, quotechar=quote, skipinitialspace=True
        )
        rows = [row for row in reader if row]
    except csv.Error:
        # A field that is too long: the wrong delimiter for a long line.
        return False, 0
    width = len(rows[0]) if rows else 0
    return width > 1 and all(len(row) == width for row in rows), width
