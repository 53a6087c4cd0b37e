"""What comments and pages cite can be found: places of pages, papers by author and year."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from pages import ROOT, anchors, name_of

REFERENCES = ROOT / "docs" / "references.md"
FOLDERS = ("src", "native", "tests", "docs", "benchmarks", "studies", "examples")
FILES = sorted(
    path
    for folder in FOLDERS
    for path in (ROOT / folder).rglob("*")
    if path.suffix in (".py", ".pyi", ".hpp", ".cpp", ".md")
)
FILES += sorted(ROOT.glob("*.md"))

PLACE = re.compile(r"\bdocs/((?:theory/)?\w+\.md)(?:#([\w-]+))?")
ENTRY = re.compile(r"^- <a id=\"([\w-]+)\"></a>\*\*(.+?)\.\*\*", re.MULTILINE)
# An author, two or several, and a year; of a name of two words the second one.
CITATION = re.compile(
    r"\b((?:[A-Z][\w'-]+ & )?[A-Z][\w'-]+(?: et al\.)?),? ((?:19|20)\d\d[a-z]?)\b"
)
# Where a comment or a paragraph goes on in the next line.
BREAK = re.compile(r"\s*\n\s*(?://|#)?\s*")


def text_of(path: Path) -> str:
    return BREAK.sub(" ", path.read_text(encoding="utf-8"))


def entries() -> dict[str, str]:
    """Author and year of each reference, by its anchor."""
    return dict(ENTRY.findall(REFERENCES.read_text(encoding="utf-8")))


def unresolved_places(path: Path) -> Iterator[str]:
    for page, place in PLACE.findall(text_of(path)):
        target = ROOT / "docs" / page
        if not target.exists() or (place and place not in anchors(target)):
            yield f"{name_of(path)}: docs/{page}#{place}"


def unresolved_citations(path: Path, labels: list[str]) -> Iterator[str]:
    for name, year in CITATION.findall(text_of(path)):
        if not any(label.endswith(f"{name} {year}") for label in labels):
            yield f"{name_of(path)}: {name} {year}"


def test_places_of_pages_exist() -> None:
    assert not [place for path in FILES for place in unresolved_places(path)]


def test_what_is_cited_is_among_the_references() -> None:
    labels, citing = list(entries().values()), [path for path in FILES if path != REFERENCES]
    assert not [citation for path in citing for citation in unresolved_citations(path, labels)]


def test_references_are_found_by_author_and_year() -> None:
    found = entries()
    assert max(Counter(found.values()).values()) == 1
    assert all(CITATION.search(label) for label in found.values())
    assert all(name.endswith(label.rsplit(" ", 1)[1]) for name, label in found.items())


def test_places_of_a_page_have_different_names() -> None:
    for page in (ROOT / "docs").rglob("*.md"):
        repeated = [name for name, count in Counter(anchors(page)).items() if count > 1]
        assert not repeated, name_of(page)


def test_there_is_something_to_check() -> None:
    places = sum(len(PLACE.findall(text_of(path))) for path in FILES)
    citations = sum(len(CITATION.findall(text_of(path))) for path in FILES)
    assert places > 10
    assert citations > 100


def test_nothing_is_cited_by_a_number_of_our_own() -> None:
    """Documents have authors and years; the numbers of notes are not in the project."""
    numbered = re.compile(r"\bspec 0" r"\d\d\b", re.IGNORECASE)
    assert not [name_of(path) for path in FILES if numbered.search(text_of(path))]
