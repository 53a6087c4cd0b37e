"""The page of the sources' tables says what the stored results say."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from studies.page import PAGE, STATES, catalogue, key, page, state
from studies.rerun import STUDIES
from studies.run import missing_data
from studies.study import RESULTS, Column, Row, Study, disagreements, read_result, result_file

from pages import ROOT

ENTRIES = catalogue()


def test_the_page_is_made_from_the_results() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run python -m studies --page"


def test_no_table_is_named_twice() -> None:
    names = [key(entry) for entry in ENTRIES]
    assert len(set(names)) == len(names)
    text = PAGE.read_text(encoding="utf-8")
    for entry in ENTRIES:
        section = text.split(f"\n## {entry['source']}\n")[1].split("\n## ")[0]
        assert section.count(f"\n| {entry['name']} | ") == 1


@pytest.mark.parametrize("entry", ENTRIES, ids=key)
def test_what_is_not_matched_says_why(entry: dict[str, str]) -> None:
    assert state(entry) in STATES
    assert state(entry) in ("matched", "not run") or entry["why"]


def test_every_result_belongs_to_a_table_and_a_study() -> None:
    files = {result_file(key(entry)) for entry in ENTRIES}
    assert set(RESULTS.glob("*.json")) <= files
    for file in RESULTS.glob("*.json"):
        result = json.loads(file.read_text(encoding="utf-8"))
        study = STUDIES[result["study"]]
        assert result["columns"] == [vars(column) for column in study.tables[result["table"]]]
        assert disagreements(result)[0] > 0


def test_every_table_is_computed_by_one_study() -> None:
    tables = [table for study in STUDIES.values() for table in study.tables]
    assert len(set(tables)) == len(tables)
    assert set(tables) <= {key(entry) for entry in ENTRIES}


@pytest.mark.parametrize(
    ("within", "ours", "agrees"),
    [("10 %", 110, True), ("10 %", 111, False), ("2", 98, True), ("2", 97, False), ("", 0, True)],
)
def test_a_rule_is_a_share_or_a_distance(within: str, ours: float, agrees: bool) -> None:
    assert Column("x", within).agrees(100, ours) is agrees
    assert Column("x", within).agrees(None, ours)


def test_a_finished_study_is_done_until_its_code_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("studies.study.RESULTS", tmp_path)

    def run(data: Path) -> dict[str, list[Row]]:
        return {"A 1, table 1": [Row("one", [1.0], [2.5])]}

    study = Study("one", {"A 1, table 1": (Column("x", "10 %"),)}, ("nowhere",), 1, "So.", run)
    assert missing_data(study, tmp_path) == ["nowhere"]
    assert not study.is_done()
    study.save(run(tmp_path), 0.1)
    assert study.is_done()
    result = read_result("A 1, table 1")
    assert result is not None
    assert disagreements(result) == (1, 1)
    monkeypatch.setattr(Study, "fingerprint", lambda self: "another")
    assert not study.is_done()


def test_the_command_lists_studies_and_refuses_names_it_does_not_know() -> None:
    command = [sys.executable, "-m", "studies"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert all(name in listed.stdout for name in STUDIES)
    refused = subprocess.run([*command, "nothing"], cwd=ROOT, capture_output=True, text=True)
    assert refused.returncode == 2
    assert "no study nothing" in refused.stderr
