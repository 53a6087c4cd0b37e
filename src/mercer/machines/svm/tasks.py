"""The two-class problems of a scheme: their rows, signs and formulations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from mercer.codes import OutputCode
from mercer.formulations import Formulation

__all__ = ["Column", "Columns", "Formulations", "Task", "TaskRows", "class_order"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]
_SHORT_SEGMENT = 256  # kernel values


class Task(Protocol):
    """A two-class problem: its rows and the sign each of them has."""

    @property
    def rows(self) -> IntArray: ...

    @property
    def sign(self) -> FloatArray: ...


@dataclass(frozen=True, eq=False)
class Column:
    """The rows of the classes that a column of a code is about, and their signs."""

    rows: IntArray
    sign: FloatArray


@dataclass(frozen=True, eq=False)
class Columns(Sequence[Column]):
    """The columns of a code on rows of these classes, made when they are asked for."""

    code: OutputCode
    labels: IntArray

    def __len__(self) -> int:
        return self.code.n_columns

    def __getitem__(self, k: Any) -> Any:
        sign = self.code.matrix[:, k].astype(np.float64)[self.labels]
        if not self.code.has_zeros:
            return Column(np.arange(len(sign)), sign)
        rows = sign.nonzero()[0]
        return Column(rows, sign[rows])


@dataclass(frozen=True, eq=False)
class TaskRows(Sequence[IntArray]):
    """The rows of each problem."""

    tasks: Sequence[Task]

    def __len__(self) -> int:
        return len(self.tasks)

    def __getitem__(self, k: Any) -> Any:
        return self.tasks[k].rows


@dataclass(frozen=True, eq=False)
class Formulations(Sequence[Formulation]):
    """The formulation of each problem, made when it is asked for."""

    tasks: Sequence[Task]
    weight: FloatArray
    formulate: Callable[[FloatArray, FloatArray], Formulation]

    def __len__(self) -> int:
        return len(self.tasks)

    def __getitem__(self, k: Any) -> Any:
        task = self.tasks[k]
        return self.formulate(task.sign, self.weight[task.rows])


def class_order(labels: IntArray) -> tuple[IntArray, IntArray | None]:
    """Rows sorted by class, so that problems on some classes need only their own segments.

    Short segments cost more to keep than to compute: small classes share one.
    """
    order = np.argsort(labels, kind="stable")
    counts = np.bincount(labels)
    if len(labels) < _SHORT_SEGMENT * len(counts):
        return order, None
    return order, np.concatenate([[0], np.cumsum(counts)])
