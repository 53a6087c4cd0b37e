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


@dataclass(frozen=True)
class PathSummary:
    """The summary of a path; prints as a table.

    Attributes
    ----------
    parameter : str
        What moves along the path.
    n_rows, n_events : int
        Rows, and how often one changed sides; where the kernel moves the number of solutions.
    n_repeats : int
        Events at the same value of the parameter as the one before.
    first_event, end : float
        Where the first event is, and how far the path is known.
    largest_free, mean_free : int and float
        Rows in the factor.
    start, status : str
        How it began and ended.
    is_trivial : bool
        Whether the machine is the same constant for every value.
    violation : float
        Largest KKT violation met when solutions were recomputed.
    seconds : float
        What it took; NaN of a path from a file.
    """

    parameter: str
    n_rows: int
    n_events: int
    n_repeats: int
    first_event: float
    end: float
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
            if name == "seconds" and np.isnan(value):
                # a file does not tell
                continue
            lines.append(
                f"{name:<{width}}  {f'{value:.6g}' if isinstance(value, float) else value}"
            )
        return "\n".join(lines)


def summarize(path: Path) -> PathSummary:
    """The summary of a path."""
    at = path.solutions
    points = at.breakpoints if path.moves_kernel else path.segments.parameter
    moved = np.abs(np.diff(points))
    return PathSummary(
        parameter=path.parameter,
        n_rows=len(np.unique(path.problem.index)),
        n_events=at.n_events,
        n_repeats=int((moved <= 1e-9 * points[:-1]).sum()),
        first_event=at.first_event,
        end=at.end,
        largest_free=int(at.n_free.max()),
        mean_free=float(at.n_free.mean()),
        start=path.start,
        status=path.status,
        is_trivial=path.status == "trivial",
        violation=path.violation,
        seconds=path.seconds,
    )


def event_table(path: Path) -> NDArray[Any]:
    """Which row changed sides where."""
    s, name = path.segments, path.parameter
    out = np.empty(
        len(s.changed),
        [(name, np.float64), ("row", np.int64), ("side", np.int8), ("n_free", np.int64)],
    )
    of = np.searchsorted(s.changes_end, np.arange(len(s.changed)), side="right")
    out[name], out["n_free"] = path.breakpoints[of], s.n_free[of]
    out["row"] = path.problem.index[s.changed]
    bound = np.where(s.side > 0, s.upper[s.changed], s.lower[s.changed])
    out["side"] = np.where(s.side == FREE, 0, np.where(bound == 0, -1, 1))
    return out
