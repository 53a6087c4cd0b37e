"""The two-class problems of a scheme: their rows, signs and formulations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from mercer.codes import OutputCode
from mercer.formulations import Formulation

__all__ = [
    "Column",
    "Columns",
    "Formulations",
    "RowLists",
    "Subproblem",
    "SubproblemRows",
    "Subproblems",
    "class_order",
]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]
_SHORT_SEGMENT = 256  # kernel values


class Subproblem(Protocol):
    """A two-class problem: its rows and the sign each of them has."""

    @property
    def rows(self) -> IntArray: ...

    @property
    def sign(self) -> FloatArray: ...


@dataclass(frozen=True, eq=False)
class RowLists:
    """Rows and signs of several problems, one after the other; k begins at ``offsets[k]``."""

    rows: IntArray
    sign: FloatArray
    offsets: IntArray


class Subproblems(Protocol):
    """The two-class problems of a scheme, made when they are asked for."""

    @property
    def class_index(self) -> IntArray: ...

    @property
    def blocks(self) -> IntArray | None:
        """Offsets of rows that are the same in several problems; None if there are none."""

    @property
    def fewest_rows(self) -> int:
        """Rows of the smallest problem."""

    def __len__(self) -> int: ...

    def __getitem__(self, k: Any) -> Any: ...

    def row_lists(self, which: IntArray) -> RowLists:
        """Rows and signs of these problems."""


@dataclass(frozen=True, eq=False)
class Column:
    """The rows of the classes that a column of a code is about, and their signs."""

    rows: IntArray
    sign: FloatArray


@dataclass(frozen=True, eq=False)
class Columns(Sequence[Column]):
    """The columns of a code on rows of these classes, made when they are asked for."""

    code: OutputCode
    class_index: IntArray

    def __len__(self) -> int:
        return self.code.n_columns

    def __getitem__(self, k: Any) -> Any:
        sign = self.code.matrix[:, k].astype(np.float64)[self.class_index]
        if not self.code.has_zeros:
            return Column(np.arange(len(sign)), sign)
        rows = sign.nonzero()[0]
        return Column(rows, sign[rows])

    @property
    def blocks(self) -> IntArray | None:
        """All rows, if every problem has them."""
        return None if self.code.has_zeros else np.array([0, len(self.class_index)])

    @property
    def fewest_rows(self) -> int:
        """Rows of the smallest problem."""
        sizes = np.bincount(self.class_index, minlength=len(self.code.matrix))
        return int((sizes @ np.abs(self.code.matrix)).min())

    def row_lists(self, which: IntArray) -> RowLists:
        """What :class:`Column` says of these columns, one after the other."""
        own = [self[k] for k in which.tolist()]
        offsets = np.cumsum([0, *(len(column.rows) for column in own)])
        rows, sign = (
            np.concatenate([getattr(column, name) for column in own]) for name in ("rows", "sign")
        )
        return RowLists(rows, sign, offsets)


@dataclass(frozen=True, eq=False)
class SubproblemRows(Sequence[IntArray]):
    """The rows of each problem."""

    subproblems: Subproblems

    def __len__(self) -> int:
        return len(self.subproblems)

    def __getitem__(self, k: Any) -> Any:
        return self.subproblems[k].rows


@dataclass(frozen=True, eq=False)
class Formulations(Sequence[Formulation]):
    """The formulation of each problem, made when it is asked for."""

    subproblems: Subproblems
    weight: FloatArray
    formulate: Callable[[FloatArray, FloatArray], Formulation]

    def __len__(self) -> int:
        return len(self.subproblems)

    def __getitem__(self, k: Any) -> Any:
        subproblem = self.subproblems[k]
        return self.formulate(subproblem.sign, self.weight[subproblem.rows])


def class_order(class_index: IntArray) -> tuple[IntArray, IntArray | None]:
    """Rows sorted by class, so that problems on some classes need only their own segments.

    Short segments cost more to keep than to compute: small classes share one.
    """
    order = np.argsort(class_index, kind="stable")
    counts = np.bincount(class_index)
    if len(class_index) < _SHORT_SEGMENT * len(counts):
        return order, None
    return order, np.concatenate([[0], np.cumsum(counts)])
