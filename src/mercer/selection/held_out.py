"""Predictions of a search for held-out rows, kept so that nothing is trained twice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.selection.training_task import TrainingTask

__all__ = ["MOST_VALUES", "BestHeldOut", "HeldOut"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]
MOST_VALUES = 2**24  # that are kept


@dataclass(frozen=True, eq=False)
class HeldOut:
    """What machines of some parameters predict for the rows they were not trained on.

    Attributes
    ----------
    rows : list of ndarray of int
        The rows of each split, as positions among those given to ``fit``. If a search ended on a
        sample of the rows, only those of the sample.
    predicted : list of ndarray
        Labels or numbers; of one-class machines -1 for outliers, else 1.
    """

    rows: list[IntArray]
    predicted: list[NDArray[Any]]


class BestHeldOut:
    """The predictions at the best points that a criterion has seen, equally good ones included.

    Parameters
    ----------
    task : TrainingTask
        What is learned.
    greater_is_better : bool, default=False
        Whether values are to be large.
    """

    def __init__(self, task: TrainingTask, *, greater_is_better: bool = False) -> None:
        self.positions: IntArray = np.arange(task.n_rows)  # of the task's rows among all rows
        self._sign = -1.0 if greater_is_better else 1.0
        self._classes = task.classes
        # there may be many equally good points: a byte for each row, mostly
        self._dtype = None if task.classes is None else np.min_scalar_type(task.n_classes)
        self._best = np.inf
        self._kept: dict[bytes, tuple[list[IntArray], list[NDArray[Any]]]] = {}
        self._values: dict[bytes, list[NDArray[np.float32]]] = {}

    def offer(
        self,
        theta: FloatArray,
        value: float,
        tests: Sequence[IntArray],
        predicted: Sequence[NDArray[Any]],
        values: Sequence[NDArray[Any]] = (),
    ) -> None:
        """Keep predictions (of classes their positions) if no point so far has been better.

        ``values`` are those of all parts; they are kept as long as there is room for them.
        """
        value = self._sign * value
        if not value <= self._best:
            return
        if value < self._best:
            self._kept.clear()
            self._values.clear()
        self._best = value
        kept = [np.asarray(own, dtype=self._dtype) for own in predicted]
        self._kept[theta.tobytes()] = list(tests), kept
        size = sum(map(np.size, values))
        if values and size * (len(self._values) + 1) <= MOST_VALUES:
            self._values[theta.tobytes()] = [np.array(own, dtype=np.float32) for own in values]

    def adopt(self, other: BestHeldOut) -> None:
        """Keep what an earlier search has found, if that is better."""
        if other._best < self._best:
            self._best, self.positions = other._best, other.positions
            self._kept, self._values = dict(other._kept), dict(other._values)

    def values_at(self, theta: FloatArray) -> tuple[IntArray, FloatArray] | None:
        """Rows and their values, (n_rows, n_parts), of all splits; None if they are not known."""
        values = self._values.get(theta.tobytes())
        if values is None:
            return None
        tests = self._kept[theta.tobytes()][0]
        rows = self.positions[np.concatenate(tests)]
        return rows, np.concatenate(values).astype(np.float64)

    def tested(self) -> IntArray | None:
        """The rows that were held out, each once, ascending; None if none are known."""
        if not self._kept:
            return None
        tests, _ = next(iter(self._kept.values()))
        return np.unique(self.positions[np.concatenate(tests)])

    def forget_values(self) -> None:
        """Give their memory back."""
        self._values.clear()

    def at(self, theta: FloatArray) -> HeldOut | None:
        """The predictions at one of the best points; None if it is none of them."""
        found = self._kept.get(theta.tobytes())
        if found is None:
            return None
        tests, predicted = found
        classes = self._classes
        labels = predicted if classes is None else [classes[own] for own in predicted]
        return HeldOut([self.positions[test] for test in tests], labels)
