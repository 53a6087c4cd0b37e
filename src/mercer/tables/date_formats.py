"""How the dates of a column are written, and the moments they name."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

__all__ = ["FORMATS", "find_formats", "parse_date"]

ISO = "ISO 8601"
# In the order of trial: where day and month may be exchanged, dots and dashes stand behind days
# and slashes behind months.
FORMATS = (
    ISO,
    "%Y-%m-%d",
    "%Y/%m/%d",
    "%Y.%m.%d",
    "%d.%m.%Y",
    "%d.%m.%y",
    "%d-%m-%Y",
    "%m-%d-%Y",
    "%m/%d/%Y",
    "%d/%m/%Y",
    "%m/%d/%y",
    "%d/%m/%y",
    "%Y-%m",
    "%d %b %Y",
    "%d-%b-%Y",
    "%d-%b-%y",
    "%d %B %Y",
    "%d. %B %Y",
    "%b %d, %Y",
    "%B %d, %Y",
)
SAMPLE = 500
_LIKELY = re.compile(r"\d+[-./]\d+|\d+\.?[- ]\w+[- ]\d+|\w+ \d+, \d+")
_TIME = re.compile(
    r"(?P<date>.+?)[ T]+(?P<hour>\d{1,2}):(?P<minute>\d\d)(:(?P<second>\d\d(\.\d*)?))?"
    r"\s*(?P<half>[AaPp][Mm])?$"
)


def find_formats(texts: Iterable[str]) -> tuple[list[str], list[str]]:
    """Return the formats that read the texts, those that read most first, and texts left over.

    One format for all is looked for first; several are taken only if there is none.
    """
    left = list(dict.fromkeys(texts))
    found: list[str] = []
    while left:
        sample = left[:SAMPLE]
        counts = [sum(parse_date(text, [own]) is not None for text in sample) for own in FORMATS]
        best = max(range(len(FORMATS)), key=lambda k: (counts[k], -k))
        if not counts[best]:
            break
        equal = [own for own, count in zip(FORMATS, counts, strict=True) if count == counts[best]]
        rests = [[text for text in left if parse_date(text, [own]) is None] for own in equal]
        shortest = min(range(len(equal)), key=lambda k: len(rests[k]))
        found.append(equal[shortest])
        left = rests[shortest]
    return found, left


def parse_date(text: str, formats: Iterable[str]) -> datetime | None:
    """Return the moment, in UTC where an offset is given; None if no format reads it."""
    text = text.strip()
    if not _LIKELY.match(text):
        return None
    for own in formats:
        moment = _iso(text) if own == ISO else _by_format(text, own)
        if moment is not None:
            return moment
    return None


def _iso(text: str) -> datetime | None:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment if moment.tzinfo is None else moment.astimezone(UTC).replace(tzinfo=None)


def _by_format(text: str, own: str) -> datetime | None:
    """The date by the format, and a time of day behind it."""
    clock = _TIME.match(text)
    try:
        day = datetime.strptime(text if clock is None else clock["date"].rstrip(","), own)
    except ValueError:
        return None
    return day if clock is None else day + _time_of_day(clock)


def _time_of_day(clock: re.Match[str]) -> timedelta:
    hour = int(clock["hour"])
    if clock["half"]:
        hour = hour % 12 + (12 if clock["half"].lower() == "pm" else 0)
    return timedelta(hours=hour, minutes=int(clock["minute"]), seconds=float(clock["second"] or 0))
