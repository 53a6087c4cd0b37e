"""The course of several solvers in one picture."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["convergence_figure"]

_ACROSS = {"iteration": "iterations", "seconds": "seconds"}
_QUANTITIES = {"violation": "KKT violation", "gap": "duality gap"}
_CAPTION = "heavy: best so far; faint: as recorded; dot: end"
_STYLES = ("-", "--", ":", "-.")


def convergence_figure(traces: Mapping[str, NDArray[Any] | None]) -> Any:
    """Violation and duality gap over iterations and over time, on logarithmic axes.

    Both rise and fall on their way: the heavy line is the best so far, the faint one what was
    recorded, the dot the end. Solvers without a record are named in the legend alone.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 7.5), layout="constrained")
    axes = figure.subplots(2, 2, sharex="col", sharey="row")
    for (row, column), axis in np.ndenumerate(axes):
        quantity, across = list(_QUANTITIES)[row], list(_ACROSS)[column]
        for k, (name, points) in enumerate(traces.items()):
            look = {"color": f"C{k % 10}", "linestyle": _STYLES[k // 10 % len(_STYLES)]}
            label = name if points is not None else f"{name} (no record)"
            _draw(axis, points, across, quantity, label, look)
        axis.set(xscale="log", yscale="log")
        axis.grid(True, which="major", linewidth=0.5, alpha=0.4)
        axis.spines[["top", "right"]].set_visible(False)
    for column, label in enumerate(_ACROSS.values()):
        axes[1, column].set_xlabel(label)
    for row, label in enumerate(_QUANTITIES.values()):
        axes[row, 0].set_ylabel(label)
    axes[0, 1].set_title(_CAPTION, loc="right", fontsize=8, color="0.4")
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=4, frameon=False)
    return figure


def _draw(
    axis: Any,
    points: NDArray[Any] | None,
    across: str,
    quantity: str,
    label: str,
    look: dict[str, str],
) -> None:
    if points is None:
        axis.plot([], [], label=label, **look)
        return
    x, y = points[across].astype(float), points[quantity]
    if across == "iteration":
        x = np.maximum(x, 1.0)  # the start has a place on the axis, too
    shown = np.isfinite(y) & (y > 0) & (x > 0)
    x, y = x[shown], y[shown]
    best = np.minimum.accumulate(y)
    axis.plot(x, y, linewidth=0.6, alpha=0.25, color=look["color"])
    axis.plot(x, best, linewidth=1.6, label=label, drawstyle="steps-post", **look)
    axis.plot(x[-1:], best[-1:], marker="o", markersize=4, color=look["color"])
