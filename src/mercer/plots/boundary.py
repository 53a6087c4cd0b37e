"""The decision of a machine over two features, with its margins and support vectors."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_array, check_is_fitted, column_or_1d

from mercer.plots.display import Display, one_axis

__all__ = ["BoundaryDisplay"]

FloatArray = NDArray[np.float64]


class BoundaryDisplay(Display):
    """Boundary of a machine of two features: f = 0, and of two classes the margins f = -1 and 1.

    Parameters
    ----------
    x0, x1 : ndarray of shape (n,)
        Values of the two features where the machine was asked.
    response : ndarray of shape (n, n)
        Its values, a row for each entry of x1: decision values of two classes and of outlier
        detectors, the number of the class of more, predictions of regressors.
    levels : tuple of float
        Where lines are drawn.
    X : ndarray of shape (n_rows, 2)
        Rows that are drawn.
    colors : ndarray of shape (n_rows,) or None
        Number of the class of each row, or its target.
    support_vectors : ndarray of shape (n_support, 2)
        Drawn with a ring; empty where the machine has none.

    Attributes
    ----------
    ax_, figure_ : matplotlib axes and figure

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from mercer import SVC
    >>> from mercer.plots import BoundaryDisplay
    >>> X, y = make_moons(100, noise=0.2, random_state=0)
    >>> display = BoundaryDisplay.from_estimator(SVC(C=10).fit(X, y), X, y)
    >>> display.levels
    (-1.0, 0.0, 1.0)
    """

    def __init__(
        self,
        *,
        x0: FloatArray,
        x1: FloatArray,
        response: FloatArray,
        levels: tuple[float, ...],
        X: FloatArray,
        colors: FloatArray | None,
        support_vectors: FloatArray,
    ) -> None:
        self.x0, self.x1, self.response, self.levels = x0, x1, response, levels
        self.X, self.colors, self.support_vectors = X, colors, support_vectors

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike | None = None,
        *,
        grid_resolution: int = 150,
        eps: float = 0.3,
        ax: Any = None,
    ) -> BoundaryDisplay:
        """Draw the boundary of a fitted machine.

        Parameters
        ----------
        estimator : fitted machine
            Trained on two features.
        X : array-like of shape (n_rows, 2)
            Rows to draw; the picture reaches a little beyond them.
        y : array-like of shape (n_rows,), default=None
            Their labels or targets, which colour them.
        grid_resolution : int, default=150
            Points of the grid along each feature.
        eps : float, default=0.3
            How far beyond the rows, as a share of their range.
        ax : matplotlib axes, default=None
            Where to draw; None makes a figure.

        Returns
        -------
        BoundaryDisplay
        """
        check_is_fitted(estimator)
        rows = check_array(X, dtype=np.float64)
        if rows.shape[1] != 2:
            raise ValueError(f"X must have 2 features to be drawn, got {rows.shape[1]}")
        x0, x1 = (_reach(rows[:, k], eps, grid_resolution) for k in (0, 1))
        grid = np.column_stack([part.ravel() for part in np.meshgrid(x0, x1)])
        if hasattr(X, "columns"):  # the names the machine was given, by pandas or polars
            names = "columns" if hasattr(X, "iloc") else "schema"
            grid = type(X)(grid, **{names: list(X.columns)})
        response, levels = _response(estimator, grid)
        vectors = getattr(estimator, "support_vectors_", np.empty((0, 2)))
        display = cls(
            x0=x0,
            x1=x1,
            response=response.reshape(len(x1), len(x0)),
            levels=levels,
            X=rows,
            colors=None if y is None else _numbers(estimator, y),
            support_vectors=np.asarray(vectors, dtype=np.float64),
        )
        return display.plot(ax=ax)

    def plot(self, *, ax: Any = None) -> BoundaryDisplay:
        """Draw it, on given axes or on new ones.

        Parameters
        ----------
        ax : matplotlib axes, default=None
            Where to draw; None makes a figure.

        Returns
        -------
        BoundaryDisplay
        """
        ax = one_axis(ax)
        ax.pcolormesh(self.x0, self.x1, self.response, cmap="coolwarm", alpha=0.35)
        if len(np.unique(self.response)) > 1:
            styles = ["--", "-", "--"] if len(self.levels) == 3 else "-"
            ax.contour(
                self.x0, self.x1, self.response, self.levels, colors="0.2", linestyles=styles
            )
        colour = {"c": "0.3"} if self.colors is None else {"c": self.colors, "cmap": "coolwarm"}
        ax.scatter(*self.X.T, s=14, edgecolors="white", linewidths=0.4, **colour)
        if len(self.support_vectors):
            ax.scatter(*self.support_vectors.T, s=44, facecolors="none", edgecolors="0.2", lw=0.6)
        return self._drawn(ax)


def _reach(values: FloatArray, eps: float, count: int) -> FloatArray:
    room = eps * (np.ptp(values) or 1.0)
    return np.linspace(values.min() - room, values.max() + room, count)


def _response(estimator: Any, grid: Any) -> tuple[FloatArray, tuple[float, ...]]:
    """What the machine says of each point, and where lines belong."""
    classes = getattr(estimator, "classes_", None)
    if classes is not None and len(classes) > 2:
        number = np.searchsorted(classes, estimator.predict(grid)).astype(float)
        return number, tuple(np.arange(len(classes) - 1) + 0.5)
    if hasattr(estimator, "decision_function"):
        levels = (-1.0, 0.0, 1.0) if classes is not None else (0.0,)
        return np.asarray(estimator.decision_function(grid), dtype=float), levels
    values = np.asarray(estimator.predict(grid), dtype=float)
    return values, tuple(np.linspace(values.min(), values.max(), 9)[1:-1])


def _numbers(estimator: Any, y: ArrayLike) -> FloatArray:
    labels = column_or_1d(y)
    classes = getattr(estimator, "classes_", None)
    return np.asarray(labels if classes is None else np.searchsorted(classes, labels), dtype=float)
