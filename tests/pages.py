"""The files of the project, and what can be linked to in a page."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

__all__ = ["ROOT", "anchors", "name_of"]

ROOT = Path(__file__).parent.parent

_CODE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
_HEADING = re.compile(r"^#+ +(.+)$", re.MULTILINE)
_NAMED = re.compile(r"<a id=\"([^\"]+)\">")


def name_of(path: Path) -> str:
    """Path of a file within the project."""
    return path.relative_to(ROOT).as_posix()


@cache
def anchors(page: Path) -> tuple[str, ...]:
    """Headings (lower case, words joined by hyphens, no punctuation) and named places."""
    text = _CODE.sub("", page.read_text(encoding="utf-8"))
    words = [re.sub(r"[^\w\- ]", "", heading.lower()) for heading in _HEADING.findall(text)]
    return *(w.strip().replace(" ", "-") for w in words), *_NAMED.findall(text)
