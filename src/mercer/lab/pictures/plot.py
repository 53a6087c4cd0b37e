"""Hulls, reduced hulls and the segment between them, drawn with Matplotlib."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer.hull import nearest_points, reduced_polygon
from mercer.hull.rows import Cloud, check_mu, check_rows
from mercer.lab.pictures.hull_trace import HullTrace

__all__ = ["COLOURS", "plot_hulls"]

COLOURS = ("#0b6e99", "#c05621")  # of A and of B: told apart also without colours, by lightness
_INK = "#222222"


def plot_hulls(
    A: ArrayLike,
    B: ArrayLike,
    *,
    mu: float | None = None,
    trace: HullTrace | None = None,
    ax: Any = None,
) -> Any:
    """Draw the hulls of two sets of points in the plane, and their nearest points.

    Needs Matplotlib (``pip install "mercer[plot]"``).

    Parameters
    ----------
    A, B : array-like of shape (n_points, 2)
        The points.
    mu : float, default=None
        Largest coefficient of a point: the reduced hulls are drawn, too.
    trace : HullTrace, default=None
        The course of an algorithm, drawn as two polylines (see :func:`hull_trace`).
    ax : matplotlib.axes.Axes, default=None
        Where to draw; None for new axes.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> from mercer.lab import plot_hulls
    >>> axes = plot_hulls([[0, 0], [0, 2]], [[3, 1], [4, 0]])
    >>> len(axes.lines) + len(axes.patches) > 0
    True
    """
    import matplotlib.pyplot as plt

    clouds = check_rows("A", A, None), check_rows("B", B, None)
    for cloud in clouds:
        if cloud.rows.shape[1] != 2:
            raise ValueError(f"{cloud.name} must have 2 features, got {cloud.rows.shape[1]}")
    mu = check_mu(mu, clouds)
    if trace is not None:
        _check_trace(trace, clouds)
    if ax is None:
        _, ax = plt.subplots(figsize=(6.4, 5.2), layout="constrained")
    found = nearest_points(clouds[0].rows, clouds[1].rows, mu=mu)
    sides = (found.coef_a, found.coef_b)
    for cloud, coef, colour in zip(clouds, sides, COLOURS, strict=True):
        _draw_hull(ax, cloud.rows, mu, cloud.name, colour)
        _draw_points(ax, cloud.rows, coef, colour)
    if trace is not None:
        _draw_trace(ax, trace)
    assert found.point_a is not None
    assert found.point_b is not None
    if found.status != "overlap":
        _draw_bisector(ax, found.point_a, found.point_b)
    ends = np.array([found.point_a, found.point_b])
    label = f"nearest points, distance {found.distance:.4g}"
    ax.plot(*ends.T, color=_INK, lw=2.0, marker="D", ms=6, zorder=6, label=label)
    ax.set_aspect("equal", adjustable="datalim")
    ax.set_xlabel("feature 0")
    ax.set_ylabel("feature 1")
    ax.legend(loc="best", fontsize="small", framealpha=0.9)
    return ax


def _check_trace(trace: HullTrace, clouds: tuple[Cloud, Cloud]) -> None:
    if not isinstance(trace, HullTrace):
        raise TypeError(f"trace must be a HullTrace, got {type(trace).__name__}")
    for cloud, points in zip(clouds, (trace.A, trace.B), strict=True):
        if not np.array_equal(cloud.rows, points):
            raise ValueError(f"trace must be of the points of A and B, got others for {cloud.name}")


def _draw_hull(ax: Any, points: NDArray[Any], mu: float | None, name: str, colour: str) -> None:
    whole = reduced_polygon(points)
    ax.fill(*whole.T, facecolor=colour, alpha=0.08, edgecolor="none", zorder=1)
    ax.plot(*np.vstack([whole, whole[:1]]).T, color=colour, lw=1.0, ls=":", label=f"hull of {name}")
    if mu is not None and mu < 1.0:
        inner = reduced_polygon(points, mu)
        ax.fill(*inner.T, facecolor=colour, alpha=0.25, edgecolor="none", zorder=2)
        outline = np.vstack([inner, inner[:1]])
        ax.plot(*outline.T, color=colour, lw=1.6, label=f"reduced, mu = {mu:.3g}")


def _draw_points(ax: Any, points: NDArray[Any], coef: NDArray[Any], colour: str) -> None:
    """Those with a coefficient are filled."""
    has = coef > 0.0
    ax.scatter(*points[~has].T, s=18, facecolor="white", edgecolor=colour, zorder=4)
    ax.scatter(*points[has].T, s=30, facecolor=colour, edgecolor=colour, zorder=5)


def _draw_trace(ax: Any, trace: HullTrace) -> None:
    label = f"{trace.solver}, {len(trace) - 1} steps"
    for points, colour in zip((trace.point_a, trace.point_b), COLOURS, strict=True):
        ax.plot(*points.T, color=colour, lw=1.0, marker=".", ms=4, alpha=0.9, zorder=3, label=label)
        label = "_same"


def _draw_bisector(ax: Any, a: NDArray[Any], b: NDArray[Any]) -> None:
    """The hyperplane that bisects the segment, across the picture."""
    middle, normal = 0.5 * (a + b), a - b
    other = middle + np.array([-normal[1], normal[0]])
    ax.axline(middle, other, color=_INK, lw=0.8, ls="--", zorder=1, label="bisecting hyperplane")
