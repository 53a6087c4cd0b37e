"""What all displays have in common: axes to draw on, and where they were drawn."""

from __future__ import annotations

from typing import Any

from mercer._shown import shown

__all__ = ["Display", "one_axis"]


class Display:
    """A picture that keeps its numbers: ``plot`` draws them, again if asked to.

    Attributes
    ----------
    ax_ : matplotlib axes
        Where it was drawn last.
    figure_ : matplotlib figure
        The figure of ``ax_``.
    """

    ax_: Any
    figure_: Any

    def __repr__(self) -> str:
        return shown(" ".join(name for name in vars(self) if not name.endswith("_")))(self)

    def _drawn(self, ax: Any) -> Any:
        self.ax_ = ax
        self.figure_ = ax.figure
        return self


def one_axis(ax: Any, *, size: tuple[float, float] = (6.0, 4.5)) -> Any:
    """The axes that were given, or those of a new figure."""
    if ax is None:
        try:
            import matplotlib.pyplot as plt
        except ImportError as error:
            raise ImportError("plots need matplotlib: pip install 'mercer[plot]'") from error
        ax = plt.subplots(figsize=size, layout="constrained")[1]
    if not hasattr(ax, "set_xlabel"):
        raise TypeError(f"ax must be axes of matplotlib, got {ax!r}")
    return ax
