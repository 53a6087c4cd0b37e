"""Reading ARFF, the format of Weka and OpenML."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd

from mercer.cli.errors import InputError

__all__ = ["read_arff"]

NUMERIC = ("numeric", "real", "integer")
_ATTRIBUTE = re.compile(r"@attribute\s+('[^']*'|\"[^\"]*\"|\S+)\s+(.*)$", re.IGNORECASE)
# a value in single or double quotes, or what stands between two commas
_VALUE = re.compile(r"""\s*('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^,]*?)\s*(,|$)""")


def read_arff(text: str, name: str) -> pd.DataFrame:
    """Return the table; InputError names the line that cannot be read."""
    kinds: dict[str, str] = {}
    rows: list[list[str | None]] = []
    is_data = False
    for number, line in enumerate(text.splitlines(), start=1):
        line = line.strip()
        if not line or line.startswith("%"):
            continue
        if is_data:
            rows.append(_row(line, len(kinds), f"{name}, line {number}"))
        elif line.lower().startswith("@data"):
            is_data = True
        elif attribute := _ATTRIBUTE.match(line):
            kinds[_plain(attribute[1]) or ""] = attribute[2].strip()
    if not kinds or not is_data:
        raise InputError(f"{name} is not readable ARFF: it has no @attribute or no @data")
    table = np.array(rows, dtype=object).reshape(len(rows), len(kinds))
    columns = {own: _column(table[:, k], own, kinds[own], name) for k, own in enumerate(kinds)}
    return pd.DataFrame(columns)


def _row(line: str, width: int, where: str) -> list[str | None]:
    if line.startswith("{"):
        return _sparse_row(line.strip("{} "), width, where)
    cells: list[str | None] = []
    place = 0
    while place <= len(line):
        found = _VALUE.match(line, place)
        assert found is not None  # what no quotes surround matches in any case
        cells.append(_plain(found[1]))
        if not found[2]:
            break
        place = found.end()
    if len(cells) != width:
        raise InputError(f"{where}: {len(cells)} values, {width} attributes")
    return cells


def _sparse_row(line: str, width: int, where: str) -> list[str | None]:
    """Pairs of an index and a value; what is not named is 0."""
    cells: list[str | None] = ["0"] * width
    for pair in filter(None, re.split(r"\s*,\s*", line)):
        index, _, value = pair.partition(" ")
        if not index.isdigit() or int(index) >= width:
            raise InputError(f"{where}: {index!r} is none of the {width} attributes")
        cells[int(index)] = _plain(value.strip())
    return cells


def _plain(value: str) -> str | None:
    if value == "?" or not value:
        return None
    if value[0] in "'\"" and value[-1] == value[0] and len(value) > 1:
        return re.sub(r"\\(.)", r"\1", value[1:-1])
    return value


def _column(cells: Any, own: str, kind: str, name: str) -> Any:
    if kind.split(maxsplit=1)[0].lower() not in NUMERIC:
        return pd.Series(cells, dtype=object).where(pd.notna(cells), np.nan)
    try:
        return pd.to_numeric(pd.Series(cells, dtype=object))
    except ValueError as error:
        raise InputError(f"{name}: attribute {own!r} must hold numbers: {error}") from None
