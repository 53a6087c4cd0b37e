"""The reference of the site has every public object once, and every page has its place."""

from __future__ import annotations

import sys
from importlib import import_module

import pytest

import mercer
from pages import ROOT

sys.path.insert(0, str(ROOT / "docs" / "_site"))
api_pages = import_module("api_pages")
contents = import_module("contents")
sys.path.pop(0)


def test_every_room_has_its_task() -> None:
    rooms = [room for _, _, names in api_pages.GROUPS for room in names.split()]
    assert sorted(rooms) == sorted(mercer._ROOMS)


def test_every_public_object_has_one_page() -> None:
    pytest.importorskip("dask.distributed")
    pages = [name for *_, rooms in api_pages.GROUPS for name in api_pages.public_objects(rooms)]
    assert {f"mercer.{name}" for name in mercer.__all__} <= set(pages)
    # Some file systems take upper and lower case for the same.
    assert len({page.lower() for page in pages}) == len(pages)


def test_every_page_of_the_documents_has_its_place_on_the_site() -> None:
    named = [name for names in contents.parts(ROOT / "docs").values() for name in names]
    listed = set(named)
    assert len(listed) == len(named)
    pages = {
        page.relative_to(ROOT / "docs").with_suffix("").as_posix()
        for page in (ROOT / "docs").glob("**/*.md")
    } - {"index"}
    assert pages <= listed
    missing = {n for n in listed - pages if not (ROOT / "docs" / f"{n}.md").exists()}
    assert missing == {"api/index", "gallery/index"}  # made by the build
