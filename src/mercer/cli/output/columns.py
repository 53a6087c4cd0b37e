"""What was decided for each column of a table, in lines."""

from __future__ import annotations

from collections.abc import Mapping

from rich.text import Text

from mercer.cli.data.columns import Columns
from mercer.cli.errors import plural

__all__ = ["bar_lines", "column_lines"]

MOST_LINES = 24
LONGEST_BAR = 20  # characters
WIDEST = 24  # characters of a name


def column_lines(columns: Columns) -> list[str | Text]:
    """Return a line for each column with something to tell, and one for the others."""
    told = {name: own for name, own in columns.decided.items() if own[1]}
    width = min(max((len(name) for name in told), default=0), WIDEST)
    lines: list[str | Text] = [
        Text.assemble(
            (f"{_short(name):{width}}  ", "bold"), (f"{kind:8}  ", "dim"), why, overflow="fold"
        )
        for name, (kind, why) in list(told.items())[:MOST_LINES]
    ]
    if len(told) > MOST_LINES:
        lines.append(f"and {plural(len(told) - MOST_LINES, 'column')} more")
    plain = len(columns.decided) - len(told)
    if lines and plain:
        lines.append(f"{plural(plain, 'number')} as {'it is' if plain == 1 else 'they are'}")
    return lines


def bar_lines(shares: Mapping[str, float]) -> list[str | Text]:
    """Return a bar for each name, the largest first."""
    ordered = sorted(shares.items(), key=lambda item: -item[1])
    most = max((value for _, value in ordered), default=0.0) or 1.0
    width = min(max((len(name) for name, _ in ordered), default=0), WIDEST)
    lines: list[str | Text] = []
    for name, value in ordered[:MOST_LINES]:
        bar = "█" * round(LONGEST_BAR * value / most)
        told = f"{_short(name):{width}} {value:>8.3g} "
        lines.append(Text.assemble(told, (bar, "cyan"), no_wrap=True, overflow="crop"))
    if len(ordered) > MOST_LINES:
        lines.append(f"and {len(ordered) - MOST_LINES:,} more, each less")
    return lines


def _short(name: str) -> str:
    return name if len(name) <= WIDEST else name[: WIDEST - 1] + "…"
