"""A comparison of classifiers in pictures; needs matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from mercer.diagnostics.comparison import ClassifierComparison

__all__ = ["plot_comparison"]


def plot_comparison(comparison: ClassifierComparison, axes: Any) -> Any:
    """Errors with their intervals, shares of equal predictions, and profiles."""
    if axes is None:
        import matplotlib.pyplot as plt

        _, axes = plt.subplots(1, 3, figsize=(14.0, 4.2), layout="constrained")
    axes = np.asarray(axes).ravel()
    if len(axes) != 3:
        raise ValueError(f"axes must be three matplotlib axes, got {len(axes)}")
    _errors(comparison, axes[0])
    _overlap(comparison, axes[1])
    _profiles(comparison, axes[2])
    return axes


def _errors(comparison: ClassifierComparison, axis: Any) -> None:
    place = np.arange(len(comparison.names))[::-1]
    error = 100.0 * comparison.errors
    low, high = 100.0 * comparison.intervals.T
    axis.errorbar(error, place, xerr=[error - low, high - error], fmt="o", color="C0", capsize=3)
    axis.set_yticks(place, comparison.names)
    axis.set_xlabel(f"error %, {100 * comparison.confidence:g} % intervals")
    axis.spines[["top", "right"]].set_visible(False)


def _overlap(comparison: ClassifierComparison, axis: Any) -> None:
    image = axis.imshow(100.0 * comparison.overlap, cmap="viridis")
    for (i, j), share in np.ndenumerate(comparison.overlap):
        axis.text(j, i, f"{100 * share:.1f}", ha="center", va="center", color="w", fontsize=8)
    place = np.arange(len(comparison.names))
    axis.set_xticks(place, comparison.names, rotation=30, ha="right")
    axis.set_yticks(place, comparison.names)
    axis.set_title("same class predicted, % of the rows", fontsize=10)
    axis.figure.colorbar(image, ax=axis, shrink=0.8)


def _profiles(comparison: ClassifierComparison, axis: Any) -> None:
    at = np.linspace(0.0, 1.0, 101)
    for name in comparison.profiles:
        axis.plot(at, comparison.reverse_cdf(name, at), drawstyle="steps-pre", label=name)
    axis.set_xlabel("share of the machines between both classes that are wrong")
    axis.set_ylabel("share of the rows with at least as many")
    axis.set_title(f"rows that {comparison.reference} gets wrong", fontsize=10)
    axis.spines[["top", "right"]].set_visible(False)
    if comparison.profiles:
        axis.legend(fontsize=8)
