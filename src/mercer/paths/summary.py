"""A path in numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from mercer.paths.path import Path

__all__ = ["PathSummary", "summarize"]


@dataclass(frozen=True)
class PathSummary:
    """What happened along a path; prints as a table.

    Attributes
    ----------
    n_rows, n_events : int
        Rows, and how often one changed sides.
    n_repeats : int
        Events at the same C as the one before.
    C_start, C_end : float
        First breakpoint, and how far the path is known.
    largest_free, mean_free : int and float
        Rows in the factor.
    start, status : str
        How it began and ended.
    is_trivial : bool
        Whether the classifier is the same constant for every C.
    violation : float
        Largest KKT violation met when solutions were recomputed.
    seconds : float
        What it took.
    """

    n_rows: int
    n_events: int
    n_repeats: int
    C_start: float
    C_end: float
    largest_free: int
    mean_free: float
    start: str
    status: str
    is_trivial: bool
    violation: float
    seconds: float

    def __str__(self) -> str:
        width = max(map(len, self.__dataclass_fields__))
        lines = []
        for name in self.__dataclass_fields__:
            value = getattr(self, name)
            lines.append(
                f"{name:<{width}}  {f'{value:.6g}' if isinstance(value, float) else value}"
            )
        return "\n".join(lines)


def summarize(path: Path) -> PathSummary:
    """The summary of a path."""
    segments = path.segments
    fall = -np.diff(segments.parameter)
    return PathSummary(
        n_rows=segments.n_variables,
        n_events=len(segments.changed),
        n_repeats=int((fall <= 1e-9 * segments.parameter[:-1]).sum()),
        C_start=path.C_start,
        C_end=path.C_end,
        largest_free=int(segments.n_free.max()),
        mean_free=float(segments.n_free.mean()),
        start=path.start,
        status=path.status,
        is_trivial=path.status == "trivial",
        violation=path.violation,
        seconds=path.seconds,
    )
