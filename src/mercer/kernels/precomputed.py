"""Kernel values that are there already."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from mercer import _core
from mercer.kernels import form
from mercer.kernels.base import Kernel
from mercer.kernels.definiteness import Definiteness, as_statement, stated
from mercer.kernels.rows import FloatArray, RowKind, Rows

__all__ = ["MatrixFacts", "Precomputed", "check_kernel_matrix", "check_square"]


class Precomputed(Kernel):
    """Rows *are* kernel values: entry j of a row is its value with training row j.

    So ``kernel(X)`` is `X`, and ``kernel(X, Z)`` is `X` for the training rows `Z` as a whole.

    Parameters
    ----------
    positive_definite : bool or None, default=None
        Whether the matrix of the training rows is positive semi-definite. A statement is relied
        on; with None a machine looks for a proof to the contrary in a part of the matrix.

    Examples
    --------
    >>> from mercer import SVC
    >>> from mercer.kernels import Precomputed
    >>> K = [[1.0, 0.9, 0.1], [0.9, 1.0, 0.2], [0.1, 0.2, 1.0]]
    >>> machine = SVC(kernel=Precomputed(positive_definite=True)).fit(K, [0, 0, 1])
    >>> machine.predict([[0.8, 0.9, 0.1]]).tolist()
    [0]
    """

    row_kind: RowKind = "stored"

    def __init__(self, positive_definite: bool | None = None) -> None:
        self.positive_definite = positive_definite
        as_statement(positive_definite)

    @property
    def is_positive_definite(self) -> bool | None:
        """The definiteness that the caller stated for the matrix."""
        return as_statement(self.positive_definite)

    @property
    def definiteness(self) -> Definiteness:
        """As the caller said: "stated", "refuted" or "unknown"."""
        return stated(self.is_positive_definite)

    def form(self) -> form.Form:
        """Return a stored leaf."""
        return form.Stored()

    def _values(self, X: Rows, Z: Rows) -> FloatArray:
        if Z is not X and Z.shape[0] != X.shape[1]:
            raise ValueError(
                f"rows of a precomputed kernel must have one value for each of the {Z.shape[0]} "
                f"training rows, got {X.shape[1]} values"
            )
        return np.array(X)

    def _diagonal(self, X: Rows) -> FloatArray:
        if X.shape[0] != X.shape[1]:
            raise ValueError(
                "the diagonal of a precomputed kernel is known for the square matrix of the "
                f"training rows only, got shape {X.shape}"
            )
        return np.array(np.diagonal(X))

    def _contract(self, X: Rows, Z: Rows, weights: FloatArray) -> FloatArray:
        return np.empty(0)

    def _contract_diagonal(self, X: Rows, weights: FloatArray) -> FloatArray:
        return np.empty(0)


class MatrixFacts(NamedTuple):
    """What one pass over a square matrix finds; if it is not finite, nothing else is known."""

    is_finite: bool
    largest: float
    skew: float
    is_surely_indefinite: bool


def check_kernel_matrix(matrix: Any) -> MatrixFacts:
    """Refuse what cannot be the kernel matrix of a set of rows: not square, not symmetric.

    Up to the rounding of single precision. NaN and infinity are left to the caller.
    """
    check_square(matrix)
    facts = _facts(np.asarray(matrix))
    if facts.is_finite and facts.skew > 1e-5 * facts.largest:
        raise ValueError(
            f"Precomputed matrix must be symmetric, got entries that differ by {facts.skew!r} "
            "from their mirror images"
        )
    return facts


def check_square(matrix: Any) -> None:
    """Refuse what is not a square matrix of real numbers, by type and shape."""
    if sp.issparse(matrix):
        raise TypeError("Sparse precomputed kernels are not supported.")
    values = np.asarray(matrix)
    if values.dtype.kind not in "fiub":
        raise TypeError(f"Precomputed matrix must hold real numbers, got {values.dtype}")
    if values.ndim != 2 or values.shape[0] != values.shape[1]:
        shape = "x".join(map(str, values.shape))
        raise ValueError(f"Precomputed matrix must be a square matrix. Input is a {shape} matrix.")


def _facts(matrix: NDArray[Any]) -> MatrixFacts:
    """Two rows alone prove that a matrix is not positive semi-definite unless

    K_ii >= 0 and K_ij^2 <= K_ii K_jj, up to the rounding of single precision.
    """
    if matrix.dtype not in (np.float32, np.float64):
        matrix = matrix.astype(np.float64)
    diagonal = np.diagonal(matrix).astype(np.float64)
    largest_own = float(np.abs(diagonal).max(initial=0.0))
    size = np.sqrt(np.maximum(diagonal, 0.0)) * (1 + 1e-5)
    is_finite, largest, skew, excess = _core.matrix_facts(matrix, size)
    is_negative = float(diagonal.min(initial=0.0)) < -1e-5 * largest_own
    slack = 1e-5 * float(diagonal.max(initial=0.0))
    return MatrixFacts(is_finite, largest, skew, is_negative or excess > slack)
