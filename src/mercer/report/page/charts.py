"""Pictures in SVG, drawn for a width of 360 units so that letters can be read on a phone."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from mercer.report.page.html import text
from mercer.report.words import number

__all__ = ["LETTERS", "Frame", "bars", "dots", "picture"]

WIDTH = 360
HEIGHT = 260
LEFT, RIGHT, TOP, BOTTOM = 46, 16, 10, 38
BAR = 22
LABEL = 150
LETTERS = 23  # that fit there
BEHIND = 54  # the number behind the longest bar


def picture(inner: str, alternative: str, height: float = HEIGHT) -> str:
    """An image with its words for those who do not see it."""
    return (
        f'<svg viewBox="0 0 {WIDTH} {height:g}" role="img" aria-label="{escape(alternative)}">'
        f"{inner}</svg>"
    )


@dataclass(frozen=True)
class Frame:
    """Axes: ranges of both coordinates, and where their points lie in the picture."""

    x: tuple[float, float]
    y: tuple[float, float]
    is_log_x: bool = False
    is_log_y: bool = False

    def across(self, value: float) -> float:
        """Position of an x."""
        return LEFT + _share(value, self.x, self.is_log_x) * (WIDTH - LEFT - RIGHT)

    def down(self, value: float) -> float:
        """Position of a y."""
        return HEIGHT - BOTTOM - _share(value, self.y, self.is_log_y) * (HEIGHT - TOP - BOTTOM)

    def at(self, x: float, y: float) -> str:
        """Both, as paths have them."""
        return f"{self.across(x):.1f},{self.down(y):.1f}"

    def axes(self, x_name: str, y_name: str) -> str:
        """Lines, ticks and names."""
        low, base = HEIGHT - BOTTOM, HEIGHT - 6
        parts = []
        for tick in ticks(self.x, self.is_log_x, 5):
            at = f"{self.across(tick):.1f}"
            parts.append(f'<path class="grid" d="M{at} {TOP}V{low}"/>')
            parts.append(
                f'<text class="dim" x="{at}" y="{low + 14}" text-anchor="middle">{_tick(tick)}'
                "</text>"
            )
        for tick in ticks(self.y, self.is_log_y, 6):
            at = f"{self.down(tick):.1f}"
            parts.append(f'<path class="grid" d="M{LEFT} {at}H{WIDTH - RIGHT}"/>')
            parts.append(
                f'<text class="dim" x="{LEFT - 4}" y="{at}" dy="4" text-anchor="end">{_tick(tick)}'
                "</text>"
            )
        middle_x, middle_y = (LEFT + WIDTH - RIGHT) / 2, (TOP + low) / 2
        parts.append(f'<text x="{middle_x}" y="{base}" text-anchor="middle">{text(x_name)}</text>')
        parts.append(
            f'<text transform="translate(10 {middle_y}) rotate(-90)" text-anchor="middle">'
            f"{text(y_name)}</text>"
        )
        return "".join(parts)


def _share(value: float, ends: tuple[float, float], is_log: bool) -> float:
    low, high, value = (math.log(v) if is_log else v for v in (*ends, value))
    return (value - low) / (high - low) if high > low else 0.5


def ticks(ends: tuple[float, float], is_log: bool, most: int) -> list[float]:
    """Round numbers within a range."""
    low, high = ends
    if is_log:
        first, last = math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9)
        if last - first < 2:
            powers = [10.0**k for k in range(first - 1, last + 1)]
            fine = [k * own for own in powers for k in (1, 2, 5) if low <= k * own <= high]
            if len(fine) <= most:
                return fine
        step = max(1, math.ceil((last - first + 1) / most))
        return [10.0**k for k in range(first, last + 1, step)]
    if high <= low:
        return [low]
    rough = (high - low) / most
    unit = 10.0 ** math.floor(math.log10(rough))
    size = next(unit * k for k in (1, 2, 5, 10) if unit * k >= rough * (1 - 1e-9))
    first, last = math.ceil(low / size - 1e-9), math.floor(high / size + 1e-9)
    return [k * size for k in range(first, last + 1)]


def _tick(value: float) -> str:
    return f"{value:.4g}" if value else "0"


def dots(frame: Frame, x: Sequence[float], y: Sequence[float], radius: float = 2.5) -> str:
    """Points."""
    return "".join(
        f'<circle class="dot" cx="{frame.across(a):.1f}" cy="{frame.down(b):.1f}" r="{radius}"/>'
        for a, b in zip(x, y, strict=True)
    )


def bars(names: Sequence[str], values: Sequence[float], alternative: str) -> str:
    """Bars to the right for what is above 0, to the left for what is below."""
    most = max((abs(value) for value in values), default=0.0) or 1.0
    has_both = min(values, default=0.0) < 0.0
    room = WIDTH - LABEL - (2 * BEHIND if has_both else BEHIND)
    zero = LABEL + (BEHIND + room / 2 if has_both else 0)
    scale = (room / 2 if has_both else room) / most
    parts = []
    for k, (name, value) in enumerate(zip(names, values, strict=True)):
        top, size = k * BAR + 4, abs(value) * scale
        left = zero if value >= 0 else zero - size
        kind, anchor = ("up", "start") if value >= 0 else ("down", "end")
        end = left + size + 4 if value >= 0 else left - 4
        parts.append(
            f'<text x="{LABEL - 6}" y="{top + 12}" text-anchor="end">{text(name, LETTERS)}</text>'
            f'<rect class="{kind}" x="{left:.1f}" y="{top}" width="{max(size, 0.5):.1f}" '
            f'height="{BAR - 7}"/>'
            f'<text class="dim" x="{end:.1f}" y="{top + 12}" text-anchor="{anchor}">'
            f"{number(value)}</text>"
        )
    height = len(values) * BAR + 8
    line = f'<path class="grid" d="M{zero} 0V{height}"/>'
    return picture(line + "".join(parts), alternative, height)
