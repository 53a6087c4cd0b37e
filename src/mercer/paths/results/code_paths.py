"""Several classes: a path for each column of a code, one against all among them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.codes import Decoding, OutputCode
from mercer.machines.svm.schemes import CodeScheme
from mercer.paths.curves.crossings import of_variables
from mercer.paths.curves.decoded import BENDS, FEW, Reading, decoded_at, follow_decoded
from mercer.paths.curves.polylines import polyline
from mercer.paths.curves.votes import LabelChanges
from mercer.paths.results.class_paths import BlockOf, ClassPaths
from mercer.paths.results.path import Path

__all__ = ["CodePaths"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]
_MOST_VALUES = 2**23  # of rows at breakpoints, held at once


@dataclass(frozen=True, eq=False, repr=False)
class CodePaths(ClassPaths):
    """The path of every column of a code.

    Attributes
    ----------
    classes : ndarray of shape (n_classes,)
        The labels.
    code : OutputCode
        Which classes each column tells apart.
    decoding : Decoding or None
        How classes are told from the values of all columns; None for one class against all: the
        class of the largest value.
    columns : tuple of int
        The columns that have a path: some rows may lack all classes of one sign.
    known : tuple of int
        Positions of the classes that there were rows of.
    paths : tuple of Path
        Their paths; positive values mean the classes with +1.

    Examples
    --------
    >>> from mercer import PathSVC
    >>> X, y = [[0.0], [1.0], [4.0], [5.0], [8.0], [9.0]], [0, 0, 1, 1, 2, 2]
    >>> paths = PathSVC(kernel="linear", multiclass="one-vs-all", cv=2).fit(X, y).path_
    >>> paths.code.matrix.tolist()
    [[1, -1, -1], [-1, 1, -1], [-1, -1, 1]]
    """

    classes: NDArray[Any]
    code: OutputCode
    decoding: Decoding | None
    columns: tuple[int, ...]
    known: tuple[int, ...]
    paths: tuple[Path, ...]

    @property
    def is_followed(self) -> bool:
        """Whether the class of a row is known exactly for every C."""
        return self._loss in BENDS

    @property
    def _loss(self) -> str | None:
        return None if self.decoding is None else self.decoding.name

    def in_place(self, found: FloatArray) -> FloatArray:
        """The values of all columns; 0 says as much for one class as for another, by every loss."""
        if len(self.columns) == self.code.n_columns:
            return found
        out = np.zeros((*found.shape[:-1], self.code.n_columns))
        out[..., list(self.columns)] = found
        return out

    def scores(self, decisions: FloatArray) -> FloatArray:
        """The value of each class, or its negated loss."""
        flat = decisions.reshape(-1, decisions.shape[-1])
        found = CodeScheme(self.code, self.decoding).scores(flat)
        return found.reshape(*decisions.shape[:-1], -1)

    def winners(self, decisions: FloatArray) -> IntArray:
        """Position of the class of the best score, of those that there were rows of."""
        known = np.array(self.known)
        return np.asarray(known[self.scores(decisions)[..., known].argmax(axis=-1)])

    def labels(self, block_of: BlockOf, n_rows: int, Cs: FloatArray | None = None) -> LabelChanges:
        """The class of the best score at each row; ties go to the first."""
        if not self.is_followed and Cs is None:
            Cs = self.sampled
        parts = [self._labels(block_of, rows, Cs) for rows in self._row_blocks(n_rows)]
        return LabelChanges.joined(parts)

    def _row_blocks(self, n_rows: int) -> Iterator[IntArray]:
        """So many rows that their values at all breakpoints can be held."""
        n_points = sum(len(path.segments) + 1 for path in self.paths)
        size = max(_MOST_VALUES // max(n_points, FEW * len(self.paths)), 1)
        for begin in range(0, n_rows, size):
            yield np.arange(begin, min(begin + size, n_rows))

    def _labels(self, block_of: BlockOf, rows: IntArray, Cs: FloatArray | None) -> LabelChanges:
        block, known = block_of(rows), np.array(self.known)
        lines = [polyline(path, of_variables(block, path), len(rows)) for path in self.paths]

        def scores(values: FloatArray) -> FloatArray:
            return self.scores(self.in_place(values))[..., known]

        loss = np.asarray if self.decoding is None else self.decoding.loss
        reading = Reading(scores, loss, BENDS.get(self._loss, ()))
        if self.is_followed:
            found = follow_decoded(lines, reading, self.begin, self.end)
        else:
            assert Cs is not None
            found = decoded_at(lines, reading, Cs[(Cs >= self.begin) & (Cs <= self.end)])
        return found.renamed(known)
