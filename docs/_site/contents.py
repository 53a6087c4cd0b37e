"""The order of the pages on the site, and what the site adds to them."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

__all__ = ["as_on_the_site", "parts"]

# Heading of each part of the site and its pages, from docs/; others follow in their folder's part.
_PARTS = {
    "Start": (
        "../README start how_do_i choose when_to_use from_scikit_learn from_libsvm "
        "from_shark_liquidsvm"
    ),
    "Guide": (
        "guide command_line report model_selection predictions paths plots least_squares "
        "multiclass online hull scale exchange differences policies features"
    ),
    "Examples": "gallery/index",
    "Reference": "api/index public_names words",
    "Theory": (
        "theory/problem theory/smo theory/chunked theory/active_set theory/paths theory/hulls "
        "theory/least_squares theory/multiclass theory/model_selection theory/predictions "
        "theory/online theory/rounding theory/bounds theory/kernels theory/datasets references "
        "sources studies"
    ),
    "Performance": "performance model_selection_measured ../benchmarks/README",
    "Contributing": "../CONTRIBUTING design checking_the_core releases ../CHANGELOG",
}
# Where the heading of a page says too little beside the others.
_TITLES = {"../README": "What it is <../README>", "guide": "The guide <guide>"}
# Links to folders, which a browser of the repository can show and a site cannot.
_FOLDERS = {"](../examples)": "](gallery/index.rst)", "](examples)": "](docs/gallery/index.rst)"}
# A place that a paragraph of a page has by name, in the HTML that plain viewers know.
_PLACE = re.compile(r'^<a id="([^"]+)"></a>', re.MULTILINE)
_TO_FOLDER = re.compile(r"\[([^\]]+)\]\(([\w./-]+)\)")
_LINK = re.compile(r"\]\(([^)\s#]*)#([^)\s]+)\)")


def as_on_the_site(app: Any, page: str, source: list[str]) -> None:
    """Change the text of a page as it is read: Markdown files themselves have no directives."""
    if app.env.doc2path(page).suffix != ".md":
        return
    places = _places(Path(app.srcdir))
    text = _PLACE.sub(r"(\1)=\n", source[0])
    text = _LINK.sub(lambda link: f"](#{link[2]})" if link[2] in places else link[0], text)
    for folder, target in _FOLDERS.items():
        text = text.replace(folder, target)
    here = Path(app.srcdir, page).parent
    text = _TO_FOLDER.sub(lambda link: link[1] if (here / link[2]).is_dir() else link[0], text)
    if page == "docs/index":
        listed = parts(Path(app.srcdir) / "docs")
        text += "".join(_toctree(title, pages) for title, pages in listed.items())
    source[0] = text


def parts(docs: Path) -> dict[str, list[str]]:
    """Pages of each part: those named above in their order, then all that are named nowhere."""
    listed = {title: pages.split() for title, pages in _PARTS.items()}
    named = {page for pages in listed.values() for page in pages} | {"index"}
    for title, folder in (("Guide", ""), ("Theory", "theory/")):
        found = sorted(f"{folder}{page.stem}" for page in (docs / folder).glob("*.md"))
        listed[title] += [page for page in found if page not in named]
    found = sorted(f"../{page.stem}" for page in docs.parent.glob("*.md"))
    listed["Contributing"] += [page for page in found if page not in named]
    return listed


@cache
def _places(root: Path) -> frozenset[str]:
    """Names of all places of all pages; no two are the same."""
    pages = root.glob("docs/**/*.md")
    return frozenset(name for page in pages for name in _PLACE.findall(page.read_text("utf-8")))


def _toctree(title: str, pages: list[str]) -> str:
    lines = "\n".join(_TITLES.get(page, page) for page in pages)
    return f"\n```{{toctree}}\n:hidden:\n:caption: {title}\n\n{lines}\n```\n"
