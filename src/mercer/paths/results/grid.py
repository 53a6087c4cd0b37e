"""A grid of support vector classifiers, as an object."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import ConvergenceWarning

from mercer._warning import warn
from mercer.gram.native import count_rows
from mercer.paths.inputs.kernel_values import KernelValues
from mercer.paths.inputs.numbers import plain
from mercer.paths.inputs.training_rows import read_labels, read_weight

__all__ = ["Grid"]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Grid:
    """Solutions for every pair of a gamma and a C, made by :func:`svc_grid`.

    Attributes
    ----------
    gamma : ndarray of shape (n_gamma,)
        The widths; NaN for a kernel that was given as it is.
    C : ndarray of shape (n_C,)
        The prices, ascending.
    solutions : ndarray of shape (n_gamma, n_C) of Solution
        Each with its certificate; None where ``max_time`` came first.
    scores : ndarray of shape (n_gamma, n_C) or None
        Share of held-out rows that are predicted right, or what ``scoring`` says, the mean
        over the splits; NaN where
        ``max_time`` came first, None without ``cv``.
    status : str
        "complete", or why it ended early: "max-time", "callback".
    classes : ndarray of shape (2,)
        The labels.
    """

    gamma: FloatArray
    C: FloatArray
    solutions: NDArray[Any]
    scores: FloatArray | None
    status: str
    classes: NDArray[Any]
    kernel_values: tuple[KernelValues, ...]

    def __repr__(self) -> str:
        best = ""
        if self.scores is not None and not np.isnan(self.scores).all():
            best = f", best score {np.nanmax(self.scores):.4g}"
        shape = f"{len(self.gamma)} gamma times {len(self.C)} C"
        return f"<Grid of {shape}{best}, {self.status}>"

    @property
    def best(self) -> tuple[int, int]:
        """Positions of the gamma and the C with the best score; the smallest of equal ones."""
        if self.scores is None:
            raise ValueError("there are no scores: give cv to svc_grid, or use score(X, y)")
        unknown = int(np.isnan(self.scores).sum())
        if unknown == self.scores.size:
            raise ValueError(f"there are no scores: the grid ended early ({self.status})")
        if unknown:
            warn(
                f"the grid ended early ({self.status}): {unknown} of {self.scores.size} scores "
                "are not known, the best of the others is taken",
                ConvergenceWarning,
            )
        i, j = np.unravel_index(np.nanargmax(self.scores), self.scores.shape)
        return int(i), int(j)

    def decision_function(self, X: Any, i: int, j: int) -> FloatArray:
        """Values of the machine with ``gamma[i]`` and ``C[j]``; positive is ``classes[1]``."""
        for name, position, length in (("i", i, len(self.gamma)), ("j", j, len(self.C))):
            if not isinstance(position, Integral) or isinstance(position, bool):
                raise TypeError(f"{name} must be an integer, got {plain(position)!r}")
            if not -length <= position < length:
                raise ValueError(f"{name} must lie in 0..{length - 1}, got {position}")
        if self.solutions[i, j] is None:
            raise ValueError(f"there was no time for gamma[{i}], C[{j}] ({self.status})")
        return self._values(self.kernel_values[i].read(X), i, [j])[:, 0]

    def predict(self, X: Any, i: int, j: int) -> NDArray[Any]:
        """Class of each row by the machine with ``gamma[i]`` and ``C[j]``."""
        return np.asarray(self.classes[(self.decision_function(X, i, j) > 0).astype(np.intp)])

    def score(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> FloatArray:
        """Share of the rows that each machine predicts right: shape (n_gamma, n_C)."""
        X = self.kernel_values[0].read(X)
        positive = read_labels(y, self.classes, count_rows(X)) == 1
        weight = read_weight(sample_weight, len(positive))
        out = np.full(self.solutions.shape, np.nan)
        for i, row in enumerate(self.solutions):
            solved = [j for j, solution in enumerate(row) if solution is not None]
            if solved:
                right = (self._values(X, i, solved) > 0) == positive[:, None]
                out[i, solved] = weight @ right / weight.sum()
        return out

    def plot(self, *, axes: Any = None) -> Any:
        """Scores, or else the number of support vectors, for every gamma and C.

        Parameters
        ----------
        axes : matplotlib axes or sequence of them, default=None
            Where to draw; a new figure if None.

        Returns
        -------
        ndarray of matplotlib axes
        """
        from mercer.paths.results.plot_results import plot_grid

        return plot_grid(self, axes)

    def _values(self, X: Any, i: int, columns: Sequence[int]) -> FloatArray:
        found = [self.solutions[i, j] for j in columns]
        coef = np.column_stack([solution.coef for solution in found])
        bias = [float(solution.multiplier[0]) for solution in found]
        return np.asarray(self.kernel_values[i].expand(X, coef) + bias)
