"""A study: tables of the source documents, computed again at the sources' own sizes.

What it finds is kept in ``results``, one JSON file for every table: numbers only, never data.
"""

from __future__ import annotations

import hashlib
import inspect
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
RESULTS = Path(__file__).parent / "results"

Number = float | int | None


@dataclass(frozen=True)
class Column:
    """A column of numbers, and how far ours may be from the printed ones to count as matched.

    ``within`` is "10 %" (of the printed number), "0.5" (in its unit) or "" (not judged).
    """

    name: str
    within: str = ""

    def agrees(self, source: Number, ours: Number) -> bool:
        """Whether one number is as near as the rule asks; what is missing cannot disagree."""
        if not self.within or source is None or ours is None:
            return True
        share = self.within.endswith("%")
        allowed = float(self.within.rstrip("% ")) * (abs(source) / 100.0 if share else 1.0)
        return abs(ours - source) <= allowed * (1 + 1e-9)


@dataclass(frozen=True)
class Row:
    """Numbers of one row: as printed, and ours."""

    name: str
    source: Sequence[Number]
    ours: Sequence[Number]


Results = Mapping[str, Sequence[Row]]


@dataclass(frozen=True)
class Study:
    """One program that computes one or more tables.

    ``data`` are the files it reads; ``seconds`` is what it takes on one core of 2020; ``run``
    takes the folder of the data and returns the rows of each table; ``uses`` are other files of
    this folder that it builds on.
    """

    name: str
    tables: Mapping[str, Sequence[Column]]
    data: Sequence[str]
    seconds: float
    protocol: str
    run: Callable[[Path], Results]
    uses: Sequence[str] = ()

    def fingerprint(self) -> str:
        """Hash of the study's file and of the package: what a result depends on."""
        here = Path(__file__).parent
        files = [Path(inspect.getfile(self.run)), *(here / name for name in self.uses)]
        for folder, pattern in (("src/mercer", "*.py"), ("native", "*.[ch]pp")):
            files += sorted((ROOT / folder).rglob(pattern))
        digest = hashlib.sha256()
        for file in files:
            digest.update(file.read_bytes())
        return digest.hexdigest()[:16]

    def is_done(self) -> bool:
        """Whether all its tables were computed by this very code."""
        mine = self.fingerprint()
        found = [read_result(table) for table in self.tables]
        return all(result is not None and result["fingerprint"] == mine for result in found)

    def save(self, found: Results, seconds: float) -> None:
        """Write one file for every table."""
        RESULTS.mkdir(exist_ok=True)
        for table, columns in self.tables.items():
            result = {
                "table": table,
                "study": self.name,
                "command": f"python -m studies --data DIR {self.name}",
                "protocol": self.protocol,
                "fingerprint": self.fingerprint(),
                "seconds": round(seconds, 1),
                "columns": [vars(column) for column in columns],
                "rows": [plain(row) for row in found[table]],
            }
            result_file(table).write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


def plain(row: Row) -> dict[str, Any]:
    return {
        "name": row.name,
        "source": [short(value) for value in row.source],
        "ours": [short(value) for value in row.ours],
    }


def short(value: Number) -> Number:
    """Seven digits are more than anybody compares."""
    if value is None or float(value).is_integer():
        return None if value is None else int(value)
    return float(f"{float(value):.8g}")


def result_file(table: str) -> Path:
    """``Sentelle 2014, table 5.2`` -> ``sentelle-2014-table-5.2.json``."""
    return RESULTS / (re.sub(r"[^a-z0-9.]+", "-", table.lower()).strip("-") + ".json")


def read_result(table: str) -> dict[str, Any] | None:
    file = result_file(table)
    return json.loads(file.read_text(encoding="utf-8")) if file.exists() else None


def disagreements(result: Mapping[str, Any]) -> tuple[int, int]:
    """How many numbers were compared, and how many of them are farther off than the rule allows."""
    compared = wrong = 0
    columns = [Column(**column) for column in result["columns"]]
    for row in result["rows"]:
        for column, source, ours in zip(columns, row["source"], row["ours"], strict=True):
            if column.within and source is not None and ours is not None:
                compared += 1
                wrong += not column.agrees(source, ours)
    return compared, wrong
