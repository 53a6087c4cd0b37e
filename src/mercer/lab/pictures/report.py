"""A page that shows algorithms for nearest points step by step: one file, no network."""

from __future__ import annotations

import html
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer.hull import nearest_points, reduced_polygon
from mercer.lab.pictures.hull_trace import HullTrace, hull_trace, on_one_scale
from mercer.lab.pictures.page import PAGE
from mercer.solvers import Solver

__all__ = ["hull_report"]

_DIGITS = 12


def hull_report(
    A: ArrayLike,
    B: ArrayLike,
    *,
    mu: float | None = None,
    solvers: str | Sequence[str | Solver] = ("mdm", "gsk", "gilbert"),
    max_steps: int = 60,
    file: str | Path | None = None,
) -> str:
    """A page of HTML with the hulls, their nearest points, and a slider for the steps of solvers.

    Parameters
    ----------
    A, B : array-like of shape (n_points, 2)
        The points; some dozens, for every step is found by a run of its own.
    mu : float, default=None
        Largest coefficient of a point; None for convex hulls.
    solvers : sequence of str or Solver, or str, default=("mdm", "gsk", "gilbert")
        The algorithms to show.
    max_steps : int, default=60
        Steps to follow of each at most.
    file : str or path, default=None
        Where to write the page, too.

    Returns
    -------
    str
        The page. It needs nothing but a browser.

    Examples
    --------
    >>> from mercer.lab import hull_report
    >>> page = hull_report([[0, 0], [0, 2]], [[3, 1], [4, 0]], solvers="mdm", max_steps=3)
    >>> "<svg" in page
    True
    """
    named = [solvers] if isinstance(solvers, str) else solvers
    if not len(named):
        raise ValueError("solvers must name at least one solver, got none")
    traces = [hull_trace(A, B, mu=mu, solver=s, max_steps=max_steps) for s in named]
    first = traces[0]
    if first.A.shape[1] != 2:
        raise ValueError(f"A and B must have 2 features, got {first.A.shape[1]}")
    found = nearest_points(first.A, first.B, mu=mu)
    # places of the picture have a scale of their own, lengths in the text that of the points
    sides, _ = on_one_scale(first.A, first.B)
    data = {
        "points": [_rounded(side) for side in sides],
        "hulls": [_rounded(reduced_polygon(side)) for side in sides],
        "reduced": [_rounded(reduced_polygon(side, first.mu)) for side in sides],
        "nearest": [_rounded(found.coef_a @ sides[0]), _rounded(found.coef_b @ sides[1])],
        "distance": found.distance,
        "traces": [_as_data(trace, sides) for trace in traces],
    }
    title = "Nearest points of two hulls"
    if first.mu is not None and first.mu < 1.0:
        title = f"Nearest points of two reduced hulls, mu = {first.mu:.4g}"
    # a closing tag inside a string would end the script
    text = json.dumps(data).replace("</", "<\\/")
    page = PAGE.replace("{title}", html.escape(title)).replace("{data}", text)
    if file is not None:
        Path(file).write_text(page, encoding="utf-8")
    return page


def _rounded(values: NDArray[Any] | None) -> Any:
    """Numbers for a picture, short enough to be read."""
    return np.round(np.asarray(values, dtype=np.float64), _DIGITS).tolist()


def _as_data(trace: HullTrace, sides: tuple[NDArray[Any], NDArray[Any]]) -> dict[str, Any]:
    return {
        "solver": trace.solver,
        "converged": trace.converged,
        "a": _rounded(trace.coef_a @ sides[0]),
        "b": _rounded(trace.coef_b @ sides[1]),
        "coef": [_rounded(trace.coef_a), _rounded(trace.coef_b)],
        "distance": [float(f"{distance:.12g}") for distance in trace.distance],
        "gap": [float(f"{gap:.6g}") for gap in trace.gap],
    }
