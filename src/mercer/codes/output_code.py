"""Code matrices: which side of which binary machine each class is on."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["OutputCode"]

SignArray = NDArray[np.int8]
_BLOCK = 1024  # columns compared at a time with all others


@dataclass(frozen=True, eq=False)
class OutputCode:
    """A code matrix M: machine i learns class r as M[r, i], +1, -1 or not at all (0).

    Parameters
    ----------
    matrix : array-like of shape (n_classes, n_columns)
        Entries -1, 0 and +1. Every column has both signs, no row is all zero, and no two rows
        are the same.
    name : str, default="given"
        What the code is called.

    Examples
    --------
    >>> from mercer.codes import OutputCode
    >>> code = OutputCode([[1, 1, 0], [-1, 0, 1], [0, -1, -1]], name="one-vs-one")
    >>> code.n_classes, code.n_columns, code.row_separation
    (3, 3, 2.0)
    """

    matrix: SignArray
    name: str = "given"

    def __post_init__(self) -> None:
        matrix = _signs(self.matrix)
        _check_columns(matrix)
        _check_rows(matrix)
        matrix.flags.writeable = False
        object.__setattr__(self, "matrix", matrix)

    def __repr__(self) -> str:
        return (
            f"OutputCode({self.name!r}: {self.n_classes} classes, {self.n_columns} machines, "
            f"row separation {self.row_separation:g})"
        )

    @property
    def n_classes(self) -> int:
        """Number of rows of the matrix."""
        return int(self.matrix.shape[0])

    @property
    def n_columns(self) -> int:
        """Number of binary machines."""
        return int(self.matrix.shape[1])

    @property
    def has_zeros(self) -> bool:
        """Whether some machine does not learn from some class."""
        return bool((self.matrix == 0).any())

    @property
    def agreements(self) -> NDArray[np.float64]:
        """M M', the agreement of each two rows."""
        matrix = self.matrix.astype(np.float64)
        return matrix @ matrix.T

    @property
    def row_separation(self) -> float:
        """rho, the least distance of two rows, sum_i (1 - M_ri M_si) / 2 (Allwein et al. 2000).

        Hamming decoding corrects (rho - 1) / 2 wrong machines, rounded down, if there are no
        zeros.
        """
        others = ~np.eye(self.n_classes, dtype=bool)
        return float((self.n_columns - self.agreements[others].max()) / 2.0)

    @property
    def largest_separation(self) -> float:
        """The largest distance of two rows."""
        others = ~np.eye(self.n_classes, dtype=bool)
        return float((self.n_columns - self.agreements[others].min()) / 2.0)

    @property
    def is_equidistant(self) -> bool:
        """Whether all rows are equally far from each other."""
        return self.row_separation == self.largest_separation

    @property
    def column_separation(self) -> int:
        """The least number of classes on which two columns differ, a column and its negative
        being the same; 0 if two machines are copies, ``n_classes`` if there is one only.
        """
        parts = [(self.matrix == value).astype(np.float32) for value in (1, -1, 0)]
        plus, minus, zero = parts
        least = self.n_classes
        for begin in range(0, self.n_columns, _BLOCK):
            own = slice(begin, begin + _BLOCK)
            both_zero = zero[:, own].T @ zero
            same = plus[:, own].T @ plus + minus[:, own].T @ minus + both_zero
            opposite = plus[:, own].T @ minus + minus[:, own].T @ plus + both_zero
            alike = np.maximum(same, opposite)
            alike[np.arange(len(alike)), begin + np.arange(len(alike))] = 0.0
            least = min(least, self.n_classes - int(alike.max()))
        return least


def _signs(matrix: Any) -> SignArray:
    given = np.asarray(matrix)
    if given.dtype.kind == "O":
        # of a table, say: what is not numeric becomes NaN and is refused
        numbers = np.array([x if isinstance(x, Real) else np.nan for x in given.ravel()])
        given = numbers.reshape(given.shape)
    if given.ndim != 2 or given.shape[0] < 2 or not given.shape[1]:
        raise ValueError(
            "code must be a matrix with a row for each of two classes or more and a column for "
            f"each machine, got shape {given.shape}"
        )
    if given.dtype.kind not in "iuf" or not np.isin(given, (-1, 0, 1)).all():
        wrong = given[~np.isin(given, (-1, 0, 1))] if given.dtype.kind in "iuf" else given
        raise ValueError(f"code must have entries -1, 0 and 1, got {wrong.ravel()[0]}")
    return np.array(given, dtype=np.int8, order="C")


def _check_columns(matrix: SignArray) -> None:
    has_both = (matrix == 1).any(axis=0) & (matrix == -1).any(axis=0)
    if not has_both.all():
        i = int(np.flatnonzero(~has_both)[0])
        raise ValueError(
            "code must have an entry 1 and an entry -1 in every column, or there is nothing to "
            f"learn, got column {i}: {matrix[:, i].tolist()}"
        )


def _check_rows(matrix: SignArray) -> None:
    empty = np.flatnonzero(~matrix.any(axis=1))
    if len(empty):
        raise ValueError(f"code must not have rows of zeros only, got row {empty[0]}")
    _, first, inverse = np.unique(matrix, axis=0, return_index=True, return_inverse=True)
    source = first[np.ravel(inverse)]
    copies = np.flatnonzero(source != np.arange(len(matrix)))
    if len(copies):
        r = int(copies[0])
        raise ValueError(
            f"code must tell all classes apart, got equal rows {int(source[r])} and {r}"
        )
