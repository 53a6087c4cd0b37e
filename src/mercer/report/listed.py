"""Which rows are doubtful, and which labels may be wrong."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.predictions.suspects import class_margins, number_margins
from mercer.report.judged import Judged, label_of, plain

__all__ = ["listed_rows"]

MOST_LISTED = 10


def listed_rows(judged: Judged) -> dict[str, Any]:
    """The most doubtful rows, and those whose label the machine contradicts most.

    Classes: by the distance between the best and the second best value of a row, and by that
    between its own class and the best other one. Numbers: by the largest residuals; rows beyond
    three robust deviations of these are suspects. As in :func:`mercer.suspects`, but by the machine
    itself, which was not trained on these rows.
    """
    if judged.task == "numbers":
        margins = number_margins(judged.predicted, np.asarray(judged.truth))
        worst = np.argsort(margins, kind="stable")[:MOST_LISTED]
        return {
            "doubtful": _listed(judged, margins, worst),
            "suspects": _suspects(judged, margins),
        }
    if judged.values is None:
        return {"doubtful": None, "suspects": None}
    best = np.sort(judged.values, axis=1)[:, -2:]
    doubt = best[:, 1] - best[:, 0]
    doubtful = _listed(judged, doubt, np.argsort(doubt, kind="stable")[:MOST_LISTED])
    if judged.truth is None or judged.classes is None:
        return {"doubtful": doubtful, "suspects": None}
    own = np.searchsorted(judged.classes, judged.truth)
    return {"doubtful": doubtful, "suspects": _suspects(judged, class_margins(judged.values, own))}


def _suspects(judged: Judged, margins: NDArray[np.float64]) -> dict[str, Any]:
    order = np.argsort(margins, kind="stable")
    found = order[margins[order] < 0]
    return {"n_found": len(found), "rows": _listed(judged, margins, found[:MOST_LISTED])}


def _listed(
    judged: Judged, margins: NDArray[np.float64], rows: NDArray[np.intp]
) -> list[dict[str, Any]]:
    return [
        {
            "row": int(row),
            "label": label_of(judged.X, int(row)),
            "true": None if judged.truth is None else plain(judged.truth[row]),
            "said": plain(judged.predicted[row]),
            "margin": float(margins[row]),
            "residual": _residual(judged, int(row)),
        }
        for row in rows
    ]


def _residual(judged: Judged, row: int) -> float | None:
    """True minus predicted, of numbers."""
    if judged.task != "numbers" or judged.truth is None:
        return None
    return float(judged.truth[row] - judged.predicted[row])
