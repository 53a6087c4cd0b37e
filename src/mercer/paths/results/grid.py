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
from mercer.codes import OutputCode
from mercer.codes.decoding import decoding_named
from mercer.gram.native import count_rows
from mercer.machines.svm.schemes import CodeScheme, PairScheme
from mercer.paths.inputs.kernel_values import KernelValues
from mercer.training.numbers import plain
from mercer.training.targets import read_labels
from mercer.training.weights import read_weight

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
        Values of C, ascending.
    solutions : ndarray of shape (n_gamma, n_C) of Solution
        Each with its certificate; None where ``max_time`` came first. Of more than two classes
        shape (n_gamma, n_C, n_parts), of the pairs (0, 1), (0, 2), ..., (1, 2), ... or of the
        columns of ``code``.
    scores : ndarray of shape (n_gamma, n_C) or None
        Share of held-out rows that are predicted right, or what ``scoring`` says, the mean
        over the splits; NaN where
        ``max_time`` came first, None without ``cv``.
    status : str
        "complete", or why it ended early: "max-time", "callback".
    classes : ndarray of shape (n_classes,)
        The labels.
    code : OutputCode or None
        The code of more than two classes, also that of one-vs-all; None for pairs.
    decoding : str or None
        How it is decoded; None for the largest value.

    Examples
    --------
    >>> from mercer import svc_grid
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1]
    >>> grid = svc_grid(X, y, Cs=[1.0, 10.0], gammas=[0.1, 1.0, 10.0])
    >>> grid.solutions.shape, grid.predict(X, 2, 1).tolist()
    ((3, 2), [0, 1, 0, 1])
    """

    gamma: FloatArray
    C: FloatArray
    solutions: NDArray[Any]
    scores: FloatArray | None
    status: str
    classes: NDArray[Any]
    kernel_values: tuple[KernelValues, ...]
    code: OutputCode | None = None
    decoding: str | None = None

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
        """Values of the machine with ``gamma[i]`` and ``C[j]``; positive is ``classes[1]``.

        Of more than two classes a score for each, shape (n_rows, n_classes), as in :class:`SVC`.
        """
        values = self._checked_values(X, i, j)
        return values[:, 0] if len(self.classes) == 2 else self._scheme.scores(values)

    def predict(self, X: Any, i: int, j: int) -> NDArray[Any]:
        """Class of each row by the machine with ``gamma[i]`` and ``C[j]``.

        Of more than two, the one that wins most pairs, or is nearest by the code; ties go to the
        first.
        """
        return np.asarray(self.classes[self._winners(self._checked_values(X, i, j))])

    def score(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> FloatArray:
        """Share of the rows that each machine predicts right: shape (n_gamma, n_C)."""
        X = self.kernel_values[0].read(X)
        class_index = read_labels(y, self.classes, count_rows(X))
        weight = read_weight(sample_weight, len(class_index))
        out = np.full((len(self.gamma), len(self.C)), np.nan)
        for i in range(len(self.gamma)):
            solved = [j for j in range(len(self.C)) if self._is_solved(i, j)]
            values = self._values(X, i, solved) if solved else ()
            for j, own in zip(solved, values, strict=True):
                out[i, j] = weight @ (self._winners(own) == class_index) / weight.sum()
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

    def _checked_values(self, X: Any, i: int, j: int) -> FloatArray:
        """Values of all parts at rows, shape (n_rows, n_parts)."""
        for name, position, length in (("i", i, len(self.gamma)), ("j", j, len(self.C))):
            if not isinstance(position, Integral) or isinstance(position, bool):
                raise TypeError(f"{name} must be an integer, got {plain(position)!r}")
            if not -length <= position < length:
                raise ValueError(f"{name} must lie in 0..{length - 1}, got {position}")
        if not self._is_solved(i, j):
            raise ValueError(f"there was no time for gamma[{i}], C[{j}] ({self.status})")
        return self._values(self.kernel_values[i].read(X), i, [j])[0]

    def _is_solved(self, i: int, j: int) -> bool:
        return all(solution is not None for solution in np.atleast_1d(self.solutions[i, j]))

    def _winners(self, values: FloatArray) -> NDArray[np.intp]:
        """Position of the class that the values of all parts decide for."""
        return self._scheme.choose(values, break_ties=False)

    @property
    def _scheme(self) -> PairScheme | CodeScheme:
        if self.code is None:
            return PairScheme(len(self.classes))
        decoding = None if self.decoding is None else decoding_named(self.decoding)
        return CodeScheme(self.code, decoding)

    def _values(self, X: Any, i: int, columns: Sequence[int]) -> FloatArray:
        """Values of all parts for some C, shape (n_C, n_rows, n_parts), from one expansion."""
        found = np.ravel(self.solutions[i, columns])
        coef = np.column_stack([solution.coef for solution in found])
        bias = [float(solution.multiplier[0]) for solution in found]
        values = np.asarray(self.kernel_values[i].expand(X, coef) + bias)
        return values.reshape(len(values), len(columns), -1).transpose(1, 0, 2)
