"""A path in numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mercer.paths.results.segments import FREE

if TYPE_CHECKING:
    from mercer.paths.results.path import Path

__all__ = ["PathSummary", "event_table", "summarize"]

EVENT = np.dtype([("C", np.float64), ("row", np.int64), ("side", np.int8), ("n_free", np.int64)])


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


def event_table(path: Path) -> NDArray[Any]:
    """Who changed sides where."""
    s = path.segments
    out = np.empty(len(s.changed), EVENT)
    of = np.searchsorted(s.changes_end, np.arange(len(s.changed)), side="right")
    out["C"], out["n_free"] = path.C[of], s.n_free[of]
    out["row"] = path.problem.index[s.changed]
    bound = np.where(s.side > 0, s.upper[s.changed], s.lower[s.changed])
    out["side"] = np.where(s.side == FREE, 0, np.where(bound == 0, -1, 1))
    return out
