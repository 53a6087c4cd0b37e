"""The decisions for each column of a table, in lines."""

from __future__ import annotations

from collections.abc import Mapping

from rich.text import Text

from mercer.cli.data.columns import Columns
from mercer.cli.errors import plural
from mercer.cli.output.bars import Bars

__all__ = ["bar_lines", "column_lines"]

MOST_LINES = 24
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


def bar_lines(shares: Mapping[str, float]) -> list[str | Bars]:
    """Return a bar for each name, the largest first."""
    ordered = sorted(shares.items(), key=lambda item: -item[1])
    names, values = zip(*ordered[:MOST_LINES], strict=True)
    told = [f"{value:.3g}" for value in values]
    lines: list[str | Bars] = [Bars(names, told, values, ["cyan"] * len(names))]
    if len(ordered) > MOST_LINES:
        lines.append(f"and {len(ordered) - MOST_LINES:,} more, each less")
    return lines


def _short(name: str) -> str:
    return name if len(name) <= WIDEST else name[: WIDEST - 1] + "…"
