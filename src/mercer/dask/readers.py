"""From rows, labels and weights of a block to what least squares learns from."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.gram.native import take_rows
from mercer.least_squares.job import Loss, squared_loss
from mercer.machines.least_squares.machine import check_extremes
from mercer.machines.least_squares.one_against_all import wrong_class
from mercer.training.rows import read_training_rows

__all__ = ["ClassReader", "NumberReader", "Reader"]

FloatArray = NDArray[np.float64]
# Rows, targets, weights, labels, and weights without those of the classes.
Read = tuple[Any, FloatArray, FloatArray, NDArray[Any], FloatArray]


@dataclass(frozen=True, eq=False)
class Reader:
    """Checks a block as the local machine would, and leaves out rows of weight 0.

    Attributes
    ----------
    machine : LeastSquaresMachine
        The local machine, which knows the width of the rows, and the classes.
    """

    machine: Any

    def __call__(self, X: Any, y: Any, weight: Any) -> Read:
        """The rows of positive weight."""
        read = self.read(copy(self.machine), X, y, weight)
        check_extremes(read[2])
        rows = np.flatnonzero(read[2] > 0)
        if len(rows) == len(read[2]):
            return read
        return take_rows(read[0], rows), *(part[rows] for part in read[1:])

    def read(self, machine: Any, X: Any, y: Any, weight: Any) -> Read:
        """All rows."""
        raise NotImplementedError

    def loss(self, targets: FloatArray, labels: NDArray[Any]) -> Loss:
        """The loss of left-out rows."""
        raise NotImplementedError


class ClassReader(Reader):
    """Labels become targets of the scheme of the machine."""

    def read(self, machine: Any, X: Any, y: Any, weight: Any) -> Read:
        """All rows."""
        X, y, weight = read_training_rows(machine, X, y, weight, reset=False)
        labels = np.searchsorted(machine.classes_, y)
        return X, machine._targets(labels), weight * machine.class_weight_[labels], labels, weight

    def loss(self, targets: FloatArray, labels: NDArray[Any]) -> Loss:
        """1 where another class is chosen."""
        return wrong_class(labels, self.machine._class_scores.choose)


class NumberReader(Reader):
    """Targets as they are."""

    def read(self, machine: Any, X: Any, y: Any, weight: Any) -> Read:
        """All rows."""
        X, targets, weight = machine._validate_targets(X, y, weight, reset=False)
        return X, targets, weight, targets, weight

    def loss(self, targets: FloatArray, labels: NDArray[Any]) -> Loss:
        """The squared error."""
        return squared_loss(targets)
