"""Kernel values that are there already."""

from __future__ import annotations

import numpy as np

from mercer.kernels import form
from mercer.kernels.base import Kernel
from mercer.kernels.rows import FloatArray, RowKind, Rows

__all__ = ["Precomputed"]


class Precomputed(Kernel):
    """Rows *are* kernel values: entry j of a row is its value with training row j.

    So ``kernel(X)`` is `X`, and ``kernel(X, Z)`` is `X` for the training rows `Z` as a whole.

    Parameters
    ----------
    positive_definite : bool, default=True
        Whether the matrix of the training rows is positive semi-definite.
    """

    def __init__(self, positive_definite: bool = True) -> None:
        self.positive_definite = positive_definite

    @property
    def is_positive_definite(self) -> bool:
        """What the caller said of the matrix."""
        return bool(self.positive_definite)

    @property
    def _row_kind(self) -> RowKind:
        return "stored"

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
