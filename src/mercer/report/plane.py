"""Decision values over two columns of numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.gram.native import count_rows
from mercer.report.judged import Judged, label_of

__all__ = ["plane"]

N_GRID = 31  # lines either way
MARGIN = 0.05  # of the range of the rows, around them
MOST_DOTS = 200
FloatArray = NDArray[np.float64]


def plane(judged: Judged, decide: Callable[[Any], FloatArray]) -> dict[str, Any] | None:
    """A grid over the rows and the values there, for each C; None if rows are no two numbers.

    Parameters
    ----------
    judged : Judged
        Rows of two classes.
    decide : callable
        From rows like the judged ones to values, a column for each C.
    """
    drawn = _two_columns(judged.X)
    if drawn is None or judged.truth is None or judged.classes is None:
        return None
    x, y = (_lines(column) for column in drawn.T)
    nodes = np.column_stack([own.ravel() for own in np.meshgrid(x, y)])
    values = decide(_like(judged.X, nodes))
    shown = np.linspace(0, len(drawn) - 1, min(len(drawn), MOST_DOTS)).round().astype(np.intp)
    return {
        "names": [str(name) for name in getattr(judged.X, "columns", ("feature 0", "feature 1"))],
        "x": x.tolist(),
        "y": y.tolist(),
        "values": [[_short(value) for value in column] for column in values.T],
        "rows": shown.tolist(),
        "labels": [label_of(judged.X, int(row)) for row in shown],
        "points": drawn[shown].tolist(),
        "is_second": (judged.truth[shown] == judged.classes[1]).tolist(),
    }


def _lines(column: FloatArray) -> FloatArray:
    low, high = float(column.min()), float(column.max())
    room = MARGIN * (high - low)
    return np.array([_short(own) for own in np.linspace(low - room, high + room, N_GRID)])


def _short(value: float) -> float:
    """Four digits are more than can be drawn."""
    return float(f"{value:.4g}")


def _two_columns(X: Any) -> FloatArray | None:
    if getattr(X, "ndim", 0) != 2 or X.shape[1] != 2 or count_rows(X) < 2:
        return None
    try:
        values = np.asarray(X, dtype=np.float64)
    except (TypeError, ValueError):
        return None
    if values.shape != tuple(X.shape) or not np.isfinite(values).all():
        return None
    # lines that four digits cannot tell apart are no picture
    ends = (values.min(axis=0), values.max(axis=0))
    is_flat = np.ptp(values, axis=0) <= 0.1 * np.abs(ends).max(axis=0)
    return None if is_flat.any() else values


def _like(X: Any, nodes: FloatArray) -> Any:
    """The nodes as a table with the columns of the rows, if these are one."""
    return type(X)(dict(zip(X.columns, nodes.T, strict=True))) if hasattr(X, "columns") else nodes
