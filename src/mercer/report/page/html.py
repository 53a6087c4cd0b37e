"""Pieces of HTML: text, tables, figures, sections."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

__all__ = ["clipped", "details", "figure", "paragraph", "region", "section", "table", "text"]

LONGEST = 60


def clipped(value: Any, longest: int = LONGEST) -> str:
    """A label or a name, the beginning of a long one."""
    plain = "–" if value is None else str(value)
    return plain if len(plain) <= longest else plain[: longest - 1] + "…"


def text(value: Any, longest: int = LONGEST) -> str:
    """The same, safe inside HTML."""
    return _safe(clipped(value, longest))


def _safe(words: str) -> str:
    """Without markup, and with every percent sign on the line of its number."""
    return escape(words.replace(" %", "\u00a0%"))


def paragraph(words: str, kind: str = "") -> str:
    """A paragraph of plain words."""
    return f"<p{_class(kind)}>{_safe(words)}</p>"


def _class(kind: str) -> str:
    return f' class="{kind}"' if kind else ""


def table(
    caption: str, head: Sequence[str], rows: Iterable[Sequence[Any]], texts: Iterable[int] = ()
) -> str:
    """A table whose first column names the rows; `texts` are columns of words, not numbers."""
    words = set(texts)
    kinds = [_class("text" if k in words or not k else "") for k in range(len(head))]
    top = "".join(f'<th scope="col"{kinds[k]}>{text(name)}</th>' for k, name in enumerate(head))
    body = "".join(f"<tr>{_cells(row, kinds)}</tr>" for row in rows)
    named = f"<thead><tr>{top}</tr></thead>" if any(head) else ""
    inner = f"<table>{named}<tbody>{body}</tbody></table>"
    return region(caption, inner)


def region(caption: str, inner: str) -> str:
    """A table below its words; one that is too wide can be moved, by keys as well."""
    named = f'role="region" tabindex="0" aria-label="{_safe(caption)}"'
    return f'{paragraph(caption, "dim")}<div class="wide" {named}>{inner}</div>'


def _cells(row: Sequence[Any], kinds: list[str]) -> str:
    first = f'<th scope="row">{text(row[0])}</th>'
    rest = zip(row[1:], kinds[1:], strict=True)
    return first + "".join(f"<td{kind}>{text(cell, 240)}</td>" for cell, kind in rest)


def details(summary: str, inner: str) -> str:
    """What is shown on request."""
    return f"<details><summary>{_safe(summary)}</summary>{inner}</details>"


def figure(picture: str, caption: str, data: str = "") -> str:
    """A picture, words below it, and its numbers as a table."""
    below = details("The numbers as a table", data) if data else ""
    return f"<figure>{picture}<figcaption>{_safe(caption)}</figcaption></figure>{below}"


def section(name: str, heading: str, *parts: str) -> str:
    """A part of the page with a heading."""
    inner = "".join(parts)
    head = f'<h2 id="{name}">{_safe(heading)}</h2>'
    return f'<section aria-labelledby="{name}">{head}{inner}</section>'
