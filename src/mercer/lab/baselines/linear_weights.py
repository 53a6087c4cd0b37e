"""The weight vector of a machine with the linear kernel, kept next to its coefficients."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from mercer.gram import Gram
from mercer.kernels import Linear
from mercer.problem import Problem

__all__ = ["LinearWeights"]

FloatArray = NDArray[np.float64]


class LinearWeights:
    """w = sum_i coef_i x_i, so that (K coef)_i is one product w'x_i (Rifkin 2002, section 2.3.2).

    Parameters
    ----------
    rows : array or CSR matrix of shape (n_rows, n_features)
        The rows x.
    index : ndarray of shape (n_variables,)
        The row of each variable.
    coef : ndarray of shape (n_variables,)
        Coefficients to begin with.
    """

    def __init__(self, rows: Any, index: NDArray[np.intp], coef: FloatArray) -> None:
        self.rows, self.index = rows, index
        by_row = np.bincount(index, coef, rows.shape[0])
        self.weights = np.asarray(rows.T @ by_row, dtype=np.float64)

    @classmethod
    def of(cls, gram: Gram, problem: Problem, coef: FloatArray) -> LinearWeights | None:
        """Of the values of a Gram; None unless its kernel is the linear one."""
        if type(gram.kernel) is not Linear or not problem.n_variables:
            return None
        rows = gram._rows if sp.issparse(gram._rows) else np.asarray(gram._rows, dtype=np.float64)
        return cls(rows, problem.index, coef)

    def value(self, variable: int) -> float:
        """(K coef) of one variable."""
        row = self.rows[[self.index[variable]]]
        return float((row @ self.weights)[0])

    def move(self, variable: int, change: float) -> None:
        """Its coefficient has changed."""
        row = self.rows[[self.index[variable]]]
        dense = row.toarray() if sp.issparse(row) else row
        self.weights += change * dense[0]
