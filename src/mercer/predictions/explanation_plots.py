"""Pictures of explanations; needs matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from mercer.predictions.explanation import Explanation

__all__ = ["bar", "waterfall"]

FloatArray = NDArray[np.float64]
_UP, _DOWN, _PLAIN = "#c0392b", "#2471a3", "#566573"


def bar(explanation: Explanation, max_features: int, ax: Any) -> Any:
    """Mean size of the values of each feature."""
    if not isinstance(explanation.feature_names, list):
        raise ValueError("plot_bar needs all features, got an explanation of one")
    axes = explanation._axes
    at = axes.index("feature")
    others = tuple(k for k in range(len(axes)) if k != at)
    sizes = np.abs(explanation.values).mean(axis=others)
    shown, rest = _largest(sizes, max_features)
    labels = [explanation.feature_names[j] for j in shown]
    lengths = sizes[shown].tolist()
    if len(rest):
        labels.append(f"{len(rest)} other features")
        lengths.append(float(sizes[rest].sum()))
    ax = _axes(ax, len(labels))
    ax.barh(range(len(labels)), lengths, color=_PLAIN)
    _label(ax, labels)
    ax.set_xlabel("mean |Shapley value|")
    return ax


def waterfall(explanation: Explanation, max_features: int, ax: Any) -> Any:
    """From the base value to the prediction of one row."""
    if explanation._axes != ["feature"]:
        raise ValueError(
            "plot_waterfall needs one row and one output, as explanation[0] or "
            f"explanation[0, :, 1], got values of shape {explanation.shape}"
        )
    values, base = explanation.values, float(explanation.base_values)
    shown, rest = _largest(np.abs(values), max_features)
    data = explanation.data
    labels = [f"{explanation.feature_names[j]} = {float(data[j]):.4g}" for j in shown]
    steps = values[shown].tolist()
    if len(rest):
        labels.append(f"{len(rest)} other features")
        steps.append(float(values[rest].sum()))
    # the largest stands on top and is added last
    ends = base + np.cumsum(steps[::-1])[::-1]
    ax = _axes(ax, len(labels))
    colours = [_UP if step > 0 else _DOWN for step in steps]
    ax.barh(range(len(steps)), steps, left=ends - steps, color=colours)
    for k, (step, end) in enumerate(zip(steps, ends, strict=True)):
        ax.annotate(f"{step:+.3g}", (end - step / 2, k), ha="center", va="center", fontsize=8)
    for value, name in ((base, "base"), (base + float(values.sum()), "f(x)")):
        ax.axvline(value, color="black", linewidth=0.7, linestyle=":")
        ax.annotate(f"{name} = {value:.3g}", (value, -0.8), ha="center", fontsize=8)
    _label(ax, labels)
    ax.set_xlabel("value of the machine")
    return ax


def _largest(sizes: FloatArray, count: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The largest ones in their order, and the others."""
    if count < 1:
        raise ValueError(f"max_features must be at least 1, got {count!r}")
    order = np.argsort(-sizes, kind="stable")
    return (order, order[:0]) if len(order) <= count else (order[: count - 1], order[count - 1 :])


def _axes(ax: Any, n_bars: int) -> Any:
    if ax is not None:
        return ax
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError("plots need matplotlib: pip install 'mercer[plot]'") from error
    return plt.subplots(figsize=(7, 1.5 + 0.35 * n_bars), layout="constrained")[1]


def _label(ax: Any, labels: list[str]) -> None:
    ax.set_yticks(range(len(labels)), labels)
    ax.invert_yaxis()
