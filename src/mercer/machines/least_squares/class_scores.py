"""From the outputs of least squares machines to a score for each class."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mercer.codes import Decoding, OutputCode
from mercer.kernels.blocks import row_slices
from mercer.machines.least_squares.one_against_all import chosen_class
from mercer.machines.svm.one_vs_one import scores as pair_scores

__all__ = ["ClassScores", "CodeScores", "PairScores"]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ClassScores:
    """One against all, and two classes: outputs are scores."""

    def __call__(self, outputs: FloatArray) -> FloatArray:
        """Scores, the last axis one for each class, from outputs."""
        return outputs

    def machines(self, outputs: FloatArray) -> FloatArray:
        """Values of the two-class machines from outputs."""
        return outputs

    def choose(self, outputs: FloatArray) -> NDArray[np.intp]:
        """Number of the class of the largest score."""
        return chosen_class(self(outputs))


@dataclass(frozen=True, eq=False)
class PairScores(ClassScores):
    """Class against class: outputs are those of the pairs, which vote."""

    n_classes: int

    def __call__(self, outputs: FloatArray) -> FloatArray:
        """Votes, ties broken by summed outputs."""
        flat = outputs.reshape(-1, outputs.shape[-1])
        return pair_scores(flat, self.n_classes).reshape(*outputs.shape[:-1], self.n_classes)


@dataclass(frozen=True, eq=False)
class CodeScores(ClassScores):
    """The columns of a code.

    Without zeros outputs are those f of the machines of 0 and 1, one for each class: least squares
    is linear in its targets, and the machines of the code are f M (Rifkin 2002, section 4.4.2;
    docs/theory/multiclass.md#least-squares). With zeros outputs are those of the columns.
    """

    code: OutputCode
    decoding: Decoding

    def __call__(self, outputs: FloatArray) -> FloatArray:
        """Negated losses of the words of the classes."""
        flat = outputs.reshape(-1, outputs.shape[-1])
        if self.decoding.name == "squared_error" and not self.code.has_zeros:
            found = self._squared(flat)
        else:
            found = np.empty((len(flat), self.code.n_classes))
            for rows in row_slices(len(flat), 32 * self.code.n_columns):
                found[rows] = self.decoding.scores(self.code, self.machines(flat[rows]))
        return found.reshape(*outputs.shape[:-1], self.code.n_classes)

    def machines(self, outputs: FloatArray) -> FloatArray:
        """Values of the columns."""
        if self.code.has_zeros:
            return outputs
        return np.einsum("...r,rc->...c", outputs, self.code.matrix.astype(np.float64))

    def _squared(self, f: FloatArray) -> FloatArray:
        """-sum_i (1 - M_ri f'm_i)^2 = 2 (M M' f)_r - f'M M'f - n_columns."""
        matrix = self.code.matrix.astype(np.float64)
        image = np.einsum("nr,rs->ns", f, matrix @ matrix.T)
        return 2.0 * image - np.einsum("nr,nr->n", image, f)[:, None] - self.code.n_columns
