"""The points of a search: its surface over C and the width, or its course."""

from __future__ import annotations

from typing import Any

from sklearn.utils.validation import check_is_fitted

from mercer.machines.functions import best_inside
from mercer.plots.display import Display, one_axis
from mercer.selection.history import History

__all__ = ["SearchDisplay"]


class SearchDisplay(Display):
    """Every point that a tuned machine or a grid evaluated.

    Parameters
    ----------
    searched : fitted tuned machine, or Grid
        What is drawn, as its own ``plot`` does.
    kind : {"surface", "history"}
        The criterion over C and the width, or over the evaluations.

    Attributes
    ----------
    ax_, figure_ : matplotlib axes and figure

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from mercer import TunedSVC
    >>> from mercer.plots import SearchDisplay
    >>> X, y = make_moons(100, noise=0.2, random_state=0)
    >>> display = SearchDisplay.from_estimator(TunedSVC(cv=3).fit(X, y))
    >>> display.ax_.get_xlabel()
    'C'
    """

    def __init__(self, *, searched: Any, kind: str) -> None:
        self.searched, self.kind = searched, kind

    @classmethod
    def from_estimator(
        cls, estimator: Any, *, kind: str = "surface", ax: Any = None
    ) -> SearchDisplay:
        """Draw the search of a fitted tuned machine.

        Parameters
        ----------
        estimator : TunedSVC, TunedSVR, TunedRLSC or TunedOneClassSVM
            Fitted.
        kind : {"surface", "history"}, default="surface"
            The criterion over C and the width (over the evaluations, if there are more
            parameters), or the value of each evaluation and the best so far.
        ax : matplotlib axes, default=None
            Where to draw; None makes a figure.

        Returns
        -------
        SearchDisplay
        """
        check_is_fitted(estimator)
        if not hasattr(estimator, "history_"):
            raise ValueError(f"estimator must be a tuned machine, got {type(estimator).__name__}")
        best_inside(estimator)  # of several targets there are several searches
        if kind not in ("surface", "history"):
            raise ValueError(f"kind must be 'surface' or 'history', got {kind!r}")
        return cls(searched=estimator, kind=kind).plot(ax=ax)

    @classmethod
    def from_grid(cls, grid: Any, *, ax: Any = None) -> SearchDisplay:
        """Draw what ``svc_grid`` gave.

        Parameters
        ----------
        grid : Grid
            Scores, or numbers of support vectors, of every C and gamma.
        ax : matplotlib axes, default=None
            Where to draw; None makes a figure.

        Returns
        -------
        SearchDisplay
        """
        return cls(searched=grid, kind="surface").plot(ax=ax)

    def plot(self, *, ax: Any = None) -> SearchDisplay:
        """Draw it, on given axes or on new ones.

        Parameters
        ----------
        ax : matplotlib axes, default=None
            Where to draw; None makes a figure.

        Returns
        -------
        SearchDisplay
        """
        ax = one_axis(ax)
        if not hasattr(self.searched, "history_"):
            self.searched.plot(axes=ax)
        elif self.kind == "history":
            history: History = self.searched.history_[-1]
            history.plot(ax)
        else:
            self.searched.plot(ax)
        return self._drawn(ax)
