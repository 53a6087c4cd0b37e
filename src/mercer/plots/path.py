"""Every C at once: coefficients, rows on the margin and errors along a path."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from mercer.plots.display import Display

__all__ = ["PathDisplay"]


class PathDisplay(Display):
    """A regularization path, or the choice of C that was made on it.

    Parameters
    ----------
    path : Path or fitted PathSVC
        What is drawn, as its own ``plot`` does.
    X, y : rows and labels, default=None
        Whose error is drawn, too, for a path over C.

    Attributes
    ----------
    axes_ : ndarray of matplotlib axes
    ax_, figure_ : matplotlib axes and figure
        The first of them, and their figure.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from mercer import PathSVC
    >>> from mercer.plots import PathDisplay
    >>> X, y = make_moons(100, noise=0.3, random_state=0)
    >>> machine = PathSVC(cv=3, C_max=100.0).fit(X, y)
    >>> len(PathDisplay.from_estimator(machine, X, y).axes_)
    3
    """

    def __init__(self, *, path: Any, X: Any = None, y: ArrayLike | None = None) -> None:
        self.path, self.X, self.y = path, X, y

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any = None, y: ArrayLike | None = None, *, axes: Any = None
    ) -> PathDisplay:
        """Draw the path of a fitted ``PathSVC``, or how it chose C.

        Parameters
        ----------
        estimator : PathSVC
            Fitted.
        X, y : rows and labels, default=None
            Draw the path on all rows with its error on these; without them the error of each
            split, their mean and the C that was chosen.
        axes : matplotlib axes, default=None
            Where to draw: one, with rows three; None makes a figure.

        Returns
        -------
        PathDisplay
        """
        check_is_fitted(estimator)
        if not hasattr(estimator, "path_"):
            raise ValueError(f"estimator must be a PathSVC, got {type(estimator).__name__}")
        return cls(path=estimator if X is None else estimator.path_, X=X, y=y).plot(axes=axes)

    @classmethod
    def from_path(
        cls, path: Any, X: Any = None, y: ArrayLike | None = None, *, axes: Any = None
    ) -> PathDisplay:
        """Draw what ``svc_path``, ``svr_path``, ``one_class_path`` or ``kernel_path`` gave.

        Parameters
        ----------
        path : Path
            The path.
        X, y : rows and labels, default=None
            Whose error is drawn, too, for a path over C.
        axes : matplotlib axes, default=None
            Where to draw; None makes a figure.

        Returns
        -------
        PathDisplay
        """
        return cls(path=path, X=X, y=y).plot(axes=axes)

    def plot(self, *, axes: Any = None) -> PathDisplay:
        """Draw it, on given axes or on new ones.

        Parameters
        ----------
        axes : matplotlib axes, default=None
            Where to draw; None makes a figure.

        Returns
        -------
        PathDisplay
        """
        rows = () if self.X is None else (self.X, self.y)
        self.axes_ = np.atleast_1d(self.path.plot(*rows, axes=axes))
        return self._drawn(self.axes_[0])
