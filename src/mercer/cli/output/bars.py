"""Bars beside names and values, as long as there is room for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len, set_cell_size
from rich.console import Console, ConsoleOptions, RenderResult
from rich.measure import Measurement
from rich.text import Text

__all__ = ["Bars"]

LONGEST_BAR = 20  # characters
LEAST_BAR = 8  # for which names are cut short
LEAST_NAME = 12
WIDEST = 40  # characters of a name


@dataclass(frozen=True)
class Bars:
    """A line for each name: its value in words, and a bar of its size.

    Names give way to bars, and both to the width that there is.
    """

    names: Sequence[str]
    told: Sequence[str]
    sizes: Sequence[float]
    styles: Sequence[str]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        told = max(map(cell_len, self.told), default=0)
        room = options.max_width - told - 2  # for name and bar
        name = min(self._widest, max(room - LEAST_BAR, LEAST_NAME))
        bar = min(max(room - name, 1), LONGEST_BAR)
        most = max(map(abs, self.sizes), default=0.0) or 1.0
        for own, words, size, style in zip(
            self.names, self.told, self.sizes, self.styles, strict=True
        ):
            head = f"{_fitted(own, name)} {words:>{told}} "
            length = round(bar * abs(size) / most) or int(size != 0.0)
            yield Text.assemble(head, ("█" * length, style), no_wrap=True, overflow="crop")

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        told = max(map(cell_len, self.told), default=0)
        most = self._widest + told + 2 + LONGEST_BAR
        return Measurement(min(LEAST_NAME + told + 3, options.max_width), most)

    @property
    def _widest(self) -> int:
        return min(max(map(cell_len, self.names), default=0), WIDEST)


def _fitted(name: str, width: int) -> str:
    """The name in so many columns of the terminal."""
    return set_cell_size(name, width) if cell_len(name) <= width else f"{name[: width - 1]}…"
