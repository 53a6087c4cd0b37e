"""docs/sources.md: every name and file in it exists, and every option is accepted."""

from __future__ import annotations

import importlib
import re
from typing import Any

import pytest

import mercer
from pages import ROOT

TEXT = (ROOT / "docs" / "sources.md").read_text(encoding="utf-8")
NAMES = sorted(set(re.findall(r"`(mercer\.[^`]+)`", TEXT)))
ROWS = [line for line in TEXT.splitlines() if re.match(r"\| (?!in the source)", line)]


def evaluated(expression: str) -> Any:
    """The object, after the packages on the way to it are loaded."""
    parts = expression.split("(")[0].split(".")
    for end in range(2, len(parts)):
        importlib.import_module(".".join(parts[:end]))
    return eval(expression, {"mercer": mercer})


@pytest.mark.parametrize("name", NAMES)
def test_a_name_of_the_sources_exists(name: str) -> None:
    found = evaluated(name)
    parameters = getattr(found, "_parameter_constraints", None)
    if parameters and "(" in name:
        found._validate_params()


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[2:30])
def test_a_row_names_files_to_open(row: str) -> None:
    files = re.findall(r"`([\w/]+\.(?:py|cpp|hpp))`", row.split("|")[3])
    assert files
    for file in files:
        folder = ROOT if file.startswith("native/") else ROOT / "src" / "mercer"
        assert (folder / file).is_file(), file


def test_every_public_solver_of_the_laboratory_is_named() -> None:
    from mercer.lab import baselines, hull_solvers

    public = {f"mercer.lab.{name}" for room in (baselines, hull_solvers) for name in room.__all__}
    assert public <= {name.split("(")[0] for name in NAMES}


def test_all_five_documents_have_a_section() -> None:
    for source in ("Glasmachers 2008", "Glasmachers & Igel 2006", "Sentelle 2014", "Rifkin 2002",
                   "Lopez Lazaro 2011"):  # fmt: skip
        assert f"\n## {source}\n" in TEXT
