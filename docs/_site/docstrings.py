"""Docstrings as reStructuredText: formulas as they are written, references that lead somewhere."""

from __future__ import annotations

import re
import sys
from typing import Any

import api_pages
from docutils import nodes

__all__ = ["resolve", "with_plain_formulas"]

_CODE = re.compile(r"(``.*?``|`[^`]*`_?)")
# numpydoc makes a reference of each attribute that is a property; it is described in place.
_ATTRIBUTE = re.compile(r":obj:`(\w+) <[\w.]*>`")
# |x| would be a substitution and f_ (of f_(-i)) a link.
_MARKUP = re.compile(r"(?<!\\)\||(?<=\w)_(?!\w)")
_PYTHON = "https://docs.python.org/3/library/{}.html"
_SKLEARN = "https://scikit-learn.org/stable/modules/generated/{}.html"


def with_plain_formulas(
    app: Any, what: str, name: str, value: Any, options: Any, lines: list[str]
) -> None:
    """Escape what looks like markup in the text of a docstring, but not in its code."""
    in_code = False
    for i, line in enumerate(lines):
        in_code = bool(line.strip()) and (in_code or line.lstrip().startswith((">>>", "..")))
        if not in_code:
            lines[i] = "".join(
                _plain(part) for part in _CODE.split(_ATTRIBUTE.sub(r"**\1**", line))
            )


def _plain(part: str) -> str:
    return part if part.startswith("`") else _MARKUP.sub(r"\\\g<0>", part)


def resolve(app: Any, env: Any, node: Any, contnode: Any) -> nodes.reference | None:
    """Lead a reference by any name of a public object to its page."""
    target = node.get("reftarget", "")
    if node.get("refdomain") != "py":
        return None
    if target.startswith("sklearn."):
        return nodes.reference("", "", contnode, refuri=_SKLEARN.format(target), internal=False)
    module = target.partition(".")[0]
    if module in sys.stdlib_module_names:
        return nodes.reference("", "", contnode, refuri=_PYTHON.format(module), internal=False)
    page = _page_of(target)
    if page is None:
        return None
    uri = app.builder.get_relative_uri(node["refdoc"], f"docs/api/{page[0]}") + page[1]
    return nodes.reference("", "", contnode, refuri=uri, internal=True)


def _page_of(target: str) -> tuple[str, str] | None:
    """Page and place of a room, of an object by its last name, or of a method or field of one."""
    for name in (target, target.rpartition(".")[0]):
        last = name.rpartition(".")[2]
        found = [page for page in _all_pages() if page.rpartition(".")[2] == last]
        if found and last:
            return min(found, key=len), ""
    # A room, or a module of one: where the names of the room are listed.
    for title, _, rooms in api_pages.GROUPS:
        if target.startswith("mercer.") and target.split(".")[1] in rooms.split():
            return "index", "#" + title.lower().replace(" ", "-")
    return None


def _all_pages() -> list[str]:
    return [name for _, _, rooms in api_pages.GROUPS for name in api_pages.public_objects(rooms)]
