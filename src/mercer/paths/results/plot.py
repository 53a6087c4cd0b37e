"""Pictures of a path; needs matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer.paths.curves.step_function import StepFunction

if TYPE_CHECKING:
    from mercer.paths.curves.regression_error import ErrorCurve
    from mercer.paths.results.path import Path

__all__ = ["plot_curve", "plot_error", "plot_path", "plot_steps", "read_axes"]

FloatArray = NDArray[np.float64]
_LINES = 60  # coefficients shown; more would be a blot


def plot_path(path: Path, X: Any, y: ArrayLike | None, axes: Any) -> Any:
    """Coefficients, free rows and error against C, one below the other."""
    count = 2 if X is None else 3
    if axes is None:
        import matplotlib.pyplot as plt

        heights = [3, 1.4, 1.8][:count]
        _, axes = plt.subplots(
            count,
            1,
            sharex=True,
            figsize=(7.0, 1.6 * sum(heights) ** 0.9),
            gridspec_kw={"height_ratios": heights},
            layout="constrained",
        )
    axes = read_axes(axes, count)
    low, high = _range(path)
    _plot_coefficients(path, axes[0], low, high)
    _plot_free(path, axes[1], low, high)
    if X is not None and y is not None:
        error = path.error(X, y)
        if isinstance(error, StepFunction):
            plot_error(error, axes[2], low, high)
        else:
            plot_curve(error, axes[2], low, high)
    for axis in axes:
        axis.set_xscale("log")
        axis.set_xlim(low, high)
        axis.spines[["top", "right"]].set_visible(False)
    axes[-1].set_xlabel("C")
    return axes


def read_axes(axes: Any, count: int) -> Any:
    """The axes that were given, if they are so many."""
    given = np.atleast_1d(axes)
    if given.ndim != 1 or not all(hasattr(axis, "set_xlabel") for axis in given):
        raise TypeError(f"axes must be {count} axes of matplotlib, got {axes!r}")
    if len(given) != count:
        raise ValueError(f"axes must be {count} axes, got {len(given)}")
    return given


def _range(path: Path) -> tuple[float, float]:
    """The visible range: a little more than from the first to the last breakpoint."""
    if path.status == "trivial":
        return 0.1, 10.0
    last = float(path.C[-1])
    low = max(path.begin, 0.5 * path.first_event)
    return low, max(min(3.0 * last, path.end), 2.0 * path.first_event)


def _plot_coefficients(path: Path, axis: Any, low: float, high: float) -> None:
    """Share of its bound each row has: 0 not used, 1 at the bound."""
    values = np.unique(np.r_[np.geomspace(low, high, 200), path.C])
    values = values[(values >= low) & (values <= high)]
    values = values[:: max(len(values) // 1500, 1)]
    problem = path.problem
    bound, positive = np.ones(path.n_rows), np.zeros(path.n_rows, bool)
    bound[problem.index] = np.maximum(problem.upper, -problem.lower)
    positive[problem.index] = problem.linear > 0
    used = np.unique(path.events["row"])[:: max(len(np.unique(path.events["row"])) // _LINES, 1)]
    share = np.array([np.abs(path.coef(c)[used]) / (c * bound[used]) for c in values])
    if path.classes is None:
        axis.plot(values, share, color="C0", lw=0.8, alpha=0.6)
    else:
        _plot_classes(path, axis, values, share, positive[used])
    n_used = len(np.unique(path.events["row"]))
    if n_used > len(used):
        axis.set_title(f"{len(used)} of {n_used} rows", loc="left", fontsize="small", color="0.4")
    axis.set_ylabel("coefficient / bound")
    axis.set_ylim(-0.03, 1.03)


def _plot_classes(
    path: Path, axis: Any, values: FloatArray, share: FloatArray, positive: NDArray[np.bool_]
) -> None:
    """A colour for each class, named above the picture, where no line is."""
    assert path.classes is not None
    for own, color, label in zip((~positive, positive), ("C1", "C0"), path.classes, strict=True):
        if own.any():
            axis.plot(values, share[:, own], color=color, lw=0.8, alpha=0.6)
        axis.plot([], [], color=color, label=f"class {label}")
    axis.legend(
        loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=2, frameon=False, borderaxespad=0.2
    )


def _plot_free(path: Path, axis: Any, low: float, high: float) -> None:
    """How many rows lie on the margin."""
    edges = np.r_[low, path.C, high]
    counts = np.r_[path.segments.n_free[0], path.segments.n_free]
    edges = np.maximum.accumulate(np.clip(edges, low, high))
    axis.stairs(counts, edges, color="0.85", fill=True)
    axis.stairs(counts, edges, color="0.3", lw=0.8)
    axis.set_ylabel("free rows")
    axis.set_ylim(bottom=0)
    axis.yaxis.get_major_locator().set_params(integer=True)


def plot_error(error: StepFunction, axis: Any, low: float, high: float) -> None:
    """The error, and where it is least."""
    plot_steps(error, axis, low, high)
    least = min(value for begin, end, value in error.pieces() if begin < high and end > low)
    for begin, end, value in error.pieces():
        if value <= least + 1e-12 and begin < high and end > low:
            axis.axvspan(max(begin, low), min(end, high), color="C2", alpha=0.25, lw=0)
    axis.set_title(f"least {least:.3g}", loc="right", fontsize="small", color="C2")
    axis.set_ylabel("error")


def plot_curve(error: ErrorCurve, axis: Any, low: float, high: float) -> None:
    """The error of regression, and where it is least."""
    high = min(high, error.end)
    inside = error.x[(error.x > low) & (error.x < high)]
    C = np.unique(np.r_[np.geomspace(low, high, 400), inside])
    axis.plot(C, error(C), color="0.2", lw=1.4)
    axis.axvline(error.best, color="C2", alpha=0.5)
    axis.set_title(f"least {error.minimum:.3g}", loc="right", fontsize="small", color="C2")
    axis.set_ylabel("error")


def plot_steps(steps: StepFunction, axis: Any, low: float, high: float, **style: Any) -> None:
    """A step function between two values of C."""
    inside = steps.x[(steps.x > low) & (steps.x < high)]
    edges = np.r_[low, inside, min(high, steps.end)]
    axis.stairs(steps(edges[:-1]), edges, baseline=None, **({"color": "0.2", "lw": 1.4} | style))
