"""Training data: rows with their targets or classes, and their weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.training.classes import check_weighted_classes, find_classes, weigh_classes
from mercer.training.rows import TrainingRows
from mercer.training.weights import check_total

__all__ = ["TrainingSet"]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class TrainingSet:
    """Rows, classes or targets, and weights, read and checked.

    Attributes
    ----------
    rows : array, sparse matrix or sequence
        The rows.
    y : ndarray of shape (n_rows,) or None
        Labels or targets, as they were given.
    weight : ndarray of shape (n_rows,)
        Weights.
    classes, class_index : ndarray or None, default=None
        The labels that there are, ascending, and the position of that of each row among them.
    class_weight : dict, "balanced" or None, default=None
        As in :class:`SVC`.
    training : TrainingRows, default=None
        What other rows are checked against.
    """

    rows: Any
    y: Any
    weight: FloatArray
    classes: NDArray[Any] = None  # type: ignore[assignment]
    class_index: NDArray[np.intp] = None  # type: ignore[assignment]
    class_weight: Any = None
    training: TrainingRows = None  # type: ignore[assignment]

    @classmethod
    def of_classes(
        cls,
        rows: Any,
        y: Any,
        weight: FloatArray,
        class_weight: Any = None,
        training: TrainingRows | None = None,
    ) -> TrainingSet:
        """One with labels."""
        return cls(rows, y, weight, *find_classes(y), class_weight, training)  # type: ignore[arg-type]

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.weight)

    @property
    def has_classes(self) -> bool:
        """Whether ``y`` holds labels."""
        return self.classes is not None

    @property
    def n_classes(self) -> int:
        """Number of classes; 0 if there are none."""
        return 0 if self.classes is None else len(self.classes)

    @property
    def labels(self) -> NDArray[Any]:
        """The label of each row."""
        return np.asarray(self.classes[self.class_index])

    @property
    def sign(self) -> FloatArray:
        """-1 for the first of two classes, +1 for the second."""
        return np.where(self.class_index == 1, 1.0, -1.0)

    def checked(self) -> TrainingSet:
        """The same, if there are two classes at least, each with some weight."""
        check_weighted_classes(self.classes, self.class_index, self.weight)
        return self

    def full_weight(self, times: NDArray[Any] | None = None) -> FloatArray:
        """Weight of each row, that of its class included.

        Parameters
        ----------
        times : ndarray of shape (n_rows,), default=None
            How often each row is taken; 0 leaves it out. "balanced" looks at these rows only.
        """
        weight = self.weight if times is None else self.weight * times
        if self.class_weight is None or self.classes is None:
            return check_total(np.asarray(weight, dtype=np.float64))
        used = weight > 0
        present, class_index = np.unique(self.class_index[used], return_inverse=True)
        factor = np.ones(len(self.classes))
        classes = self.classes[present]
        factor[present] = weigh_classes(
            self.class_weight, classes, classes[class_index], weight[used]
        )
        with np.errstate(over="ignore"):
            return check_total(np.asarray(weight * factor[self.class_index]))
