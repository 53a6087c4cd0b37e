"""Errors of left-out rows for every alpha, block by block."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.least_squares.features import LEAST_REMAINDER, FeatureSolver
from mercer.least_squares.scan import Scan, gcv
from mercer.machines.least_squares.streaming import Stream

__all__ = ["LeftOut", "LeftOutTask", "leave_out_block"]

FloatArray = NDArray[np.float64]

# Values of all alphas at once, of rows that are left out together.
VALUES = 2**22
# Rows, and values of all alphas, from which the slope of the probabilities is fitted.
SLOPE_ROWS, SLOPE_VALUES = 2**16, 2**22


@dataclass(frozen=True, eq=False)
class LeftOutTask:
    """What every block reads.

    Attributes
    ----------
    reader : callable
        From rows, labels and weights as given to those that are learned from.
    stream : Stream
        The features.
    solver : FeatureSolver
        The machine of all rows.
    alphas : ndarray of shape (n_alphas,)
        What to choose from.
    every : int
        One row in so many is kept.
    """

    reader: Any
    stream: Stream
    solver: FeatureSolver
    alphas: FloatArray
    every: int

    @staticmethod
    def spacing(n_rows: int, n_values: int) -> int:
        """One row in how many is kept, with so many values a row."""
        return -(-n_rows // max(min(SLOPE_ROWS, SLOPE_VALUES // n_values), 1))


@dataclass(frozen=True, eq=False)
class LeftOut:
    """Sums over rows, for each alpha, and some rows themselves.

    Attributes
    ----------
    sums : ndarray of shape (3, n_alphas)
        Of the loss of left-out rows, of their squared errors, and of those of the fit.
    total : float
        Sum of the weights.
    kept : list of tuple
        Of every so many rows: targets, fitted and left-out values, labels, weights.
    close : ndarray of shape (n_alphas,)
        Rows of leverage near 1, whose left-out values have lost digits.
    """

    sums: FloatArray
    total: float
    kept: list[Any]
    close: NDArray[np.intp]

    def merge(self, other: LeftOut) -> LeftOut:
        """Of both sets of rows."""
        return LeftOut(
            self.sums + other.sums,
            self.total + other.total,
            self.kept + other.kept,
            self.close + other.close,
        )

    def scan(self, solver: FeatureSolver, alphas: FloatArray, by_gcv: bool) -> Scan:
        """The alpha of the least error, as the local machine chooses it."""
        errors, squares, fit = self.sums / self.total
        dof = solver.dof(alphas)
        general = gcv(fit * self.total, dof, self.total)
        best = int(np.lexsort((-alphas, squares, general if by_gcv else errors))[0])
        fitted = np.concatenate([part[1][best] for part in self.kept])
        values = np.concatenate([part[2][best] for part in self.kept])
        return Scan(alphas, errors, squares, general, dof, best, values, fitted, len(values))

    def kept_rows(self) -> tuple[FloatArray, NDArray[Any], FloatArray]:
        """Targets, labels and weights of the rows that were kept."""
        targets, labels, weight = (
            np.concatenate([part[k] for part in self.kept]) for k in (0, 3, 4)
        )
        return targets, labels, weight


def leave_out_block(
    task: LeftOutTask, number: int, start: int, X: Any, y: Any, weight: Any
) -> LeftOut:
    """Leave out each row of a block.

    y_i - f_-i(x_i) = (y_i - f(x_i)) / (1 - h_i), see docs/theory/least_squares.md.
    """
    X, targets, weights, labels, given = task.reader(X, y, weight)
    n, n_outputs = targets.shape
    height = int(np.clip(VALUES // (len(task.alphas) * n_outputs), 64, 4096))
    found = LeftOut(np.zeros((3, len(task.alphas))), 0.0, [], np.zeros(len(task.alphas), int))
    for low in range(0, n, height):
        rows = slice(low, min(low + height, n))
        part = X[rows], targets[rows], weights[rows], labels[rows], given[rows]
        found = found.merge(_piece(task, start + low, *part))
    return found


def _piece(
    task: LeftOutTask,
    first: int,
    X: Any,
    targets: FloatArray,
    weight: FloatArray,
    labels: Any,
    given: FloatArray,
) -> LeftOut:
    features = task.stream._features(X)[0]
    fitted, rest = task.solver.fitted_and_remainder(task.alphas, features, weight)
    held_out = targets - (targets - fitted) / rest[:, :, None]
    loss = task.reader.loss(targets, labels)(held_out, slice(None))
    square = ((targets - held_out) ** 2).mean(axis=2)
    fit = ((targets - fitted) ** 2).mean(axis=2)
    sums = np.stack([loss @ weight, square @ weight, fit @ weight])
    kept = np.flatnonzero((first + np.arange(len(weight))) % task.every == 0)
    some = [
        targets[kept],
        fitted[:, kept],
        held_out[:, kept],
        labels[kept],
        given[kept],
    ]
    close = np.count_nonzero(rest < LEAST_REMAINDER, axis=1)
    return LeftOut(sums, float(weight.sum()), [tuple(some)], close)
