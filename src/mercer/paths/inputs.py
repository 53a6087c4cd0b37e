"""What people hand over, checked: rows, labels of two classes, weights, a kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import _check_sample_weight, check_X_y, column_or_1d

from mercer.gram import Gram
from mercer.kernels import FunctionKernel, Kernel, as_kernel
from mercer.native_kernel import count_rows

__all__ = ["Inputs", "make_kernel", "read_inputs"]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Inputs:
    """Rows with the sign of their class and their weight.

    Attributes
    ----------
    rows : array, sparse matrix or sequence
        The rows.
    classes : ndarray of shape (2,)
        The labels.
    codes : ndarray of shape (n_rows,)
        Which of the two each row has, 0 or 1.
    weight : ndarray of shape (n_rows,)
        Weights.
    """

    rows: Any
    classes: NDArray[Any]
    codes: NDArray[np.intp]
    weight: FloatArray

    @property
    def sign(self) -> FloatArray:
        """-1 for the first class, +1 for the second."""
        return np.where(self.codes == 1, 1.0, -1.0)


def read_inputs(X: Any, y: ArrayLike, sample_weight: ArrayLike | None, kernel: Any) -> Inputs:
    """Rows (also of a Gram), labels and weights; errors name what is wrong."""
    labels = column_or_1d(y)
    if isinstance(X, Gram):
        rows, n = X._rows, X.n_rows
    elif isinstance(kernel, FunctionKernel) or (callable(kernel) and not hasattr(kernel, "theta")):
        rows, n = X, count_rows(X)
    else:
        types = [np.float64, np.float32, np.uint8]
        rows, labels = check_X_y(X, labels, accept_sparse="csr", dtype=types, order="C")
        n = count_rows(rows)
    if len(labels) != n:
        raise ValueError(f"X and y must have equal lengths, got {n} and {len(labels)}")
    classes, codes = np.unique(labels, return_inverse=True)
    if len(classes) != 2:
        raise ValueError(f"y must hold two classes, got {len(classes)}")
    weight = _check_sample_weight(sample_weight, np.empty((n, 0)), dtype=np.float64)
    return Inputs(rows, classes, codes, np.asarray(weight, dtype=np.float64))


def make_kernel(
    kernel: Any, inputs: Inputs, *, degree: int, gamma: float | str, coef0: float
) -> Kernel:
    """The kernel with all its parameters numbers."""
    made = as_kernel(kernel, gamma=gamma, degree=degree, coef0=coef0)
    return made.resolve(inputs.rows, sample_weight=inputs.weight)
