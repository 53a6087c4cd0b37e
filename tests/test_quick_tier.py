"""The quick tier has something of every folder."""

from __future__ import annotations

from quick import QUICK, TESTS


def test_every_folder_has_a_file_in_the_quick_tier() -> None:
    folders = {path.parent.relative_to(TESTS).as_posix() for path in TESTS.rglob("test_*.py")}
    assert {file.rpartition("/")[0] or "." for file in QUICK} == folders


def test_the_files_of_the_quick_tier_exist() -> None:
    assert {file for file in QUICK if not (TESTS / file).is_file()} == set()
