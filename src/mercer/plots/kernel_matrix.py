"""The kernel matrix of some rows, sorted by class: blocks show whether the kernel tells them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_consistent_length, check_is_fitted, column_or_1d

from mercer._sklearn import safe_indexing
from mercer.plots.display import Display, one_axis

__all__ = ["KernelMatrixDisplay"]

FloatArray = NDArray[np.float64]


class KernelMatrixDisplay(Display):
    """Kernel values of all pairs of rows, rows of a class side by side.

    Parameters
    ----------
    matrix : ndarray of shape (n_rows, n_rows)
        Kernel values in the order drawn.
    order : ndarray of shape (n_rows,)
        Position of each drawn row among those given.
    edges : ndarray
        Where one class ends and the next begins.
    names : list of str
        The classes in the order drawn.

    Attributes
    ----------
    ax_, figure_ : matplotlib axes and figure

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from mercer import SVC
    >>> from mercer.plots import KernelMatrixDisplay
    >>> X, y = load_iris(return_X_y=True)
    >>> display = KernelMatrixDisplay.from_estimator(SVC().fit(X, y), X, y)
    >>> display.matrix.shape, display.edges.tolist()
    ((150, 150), [50, 100])
    """

    def __init__(
        self,
        *,
        matrix: FloatArray,
        order: NDArray[np.intp],
        edges: NDArray[np.intp],
        names: list[str],
    ) -> None:
        self.matrix, self.order, self.edges, self.names = matrix, order, edges, names

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: ArrayLike, *, max_rows: int = 1000, ax: Any = None
    ) -> KernelMatrixDisplay:
        """Draw the kernel matrix of a fitted machine.

        Parameters
        ----------
        estimator : fitted machine
            With a ``kernel_``.
        X : rows
            As the machine takes them.
        y : array-like of shape (n_rows,)
            Classes, or targets, by which rows are sorted.
        max_rows : int, default=1000
            Of more rows, evenly spaced ones are drawn.
        ax : matplotlib axes, default=None
            Where to draw; None makes a figure.

        Returns
        -------
        KernelMatrixDisplay
        """
        check_is_fitted(estimator)
        labels = column_or_1d(y)
        check_consistent_length(X, labels)
        order = np.argsort(labels, kind="stable")
        order = order[:: -(-len(order) // max_rows)]
        rows = safe_indexing(X, order)
        rows = rows.to_numpy() if hasattr(rows, "to_numpy") else rows
        matrix = np.asarray(estimator.kernel_(rows), dtype=np.float64)
        is_class = hasattr(estimator, "classes_")
        names, starts = np.unique(labels[order], return_index=True)
        display = cls(
            matrix=matrix,
            order=order,
            edges=starts[1:] if is_class else starts[:0],
            names=[str(name) for name in names] if is_class else [],
        )
        return display.plot(ax=ax)

    def plot(self, *, ax: Any = None) -> KernelMatrixDisplay:
        """Draw it, on given axes or on new ones.

        Parameters
        ----------
        ax : matplotlib axes, default=None
            Where to draw; None makes a figure.

        Returns
        -------
        KernelMatrixDisplay
        """
        ax = one_axis(ax, size=(5.6, 5.0))
        picture = ax.imshow(self.matrix, interpolation="nearest")
        ax.figure.colorbar(picture, ax=ax, label="kernel value")
        for edge in self.edges:
            ax.axhline(edge - 0.5, color="white", lw=0.8)
            ax.axvline(edge - 0.5, color="white", lw=0.8)
        ends = np.r_[0, self.edges, len(self.matrix)]
        middles = (ends[:-1] + ends[1:]) / 2 if self.names else []
        ax.set_xticks(middles, self.names)
        ax.set_yticks(middles, self.names)
        return self._drawn(ax)
