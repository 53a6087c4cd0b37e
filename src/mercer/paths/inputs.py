"""What people hand over, checked: rows, labels of two classes, weights, a kernel."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.utils.validation import _check_sample_weight, check_X_y, column_or_1d

from mercer.gram import Gram
from mercer.kernels import FunctionKernel, Kernel, as_kernel
from mercer.lowrank import LowRank
from mercer.native_kernel import count_rows

__all__ = ["Inputs", "approximate_kernel", "make_kernel", "read_inputs", "read_rows"]

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
    """Rows (also of a Gram), labels of two classes and weights; errors name what is wrong."""
    rows, labels, weight = read_rows(X, y, sample_weight, kernel)
    classes, codes = np.unique(labels, return_inverse=True)
    if len(classes) != 2:
        raise ValueError(f"y must hold two classes, got {len(classes)}")
    return Inputs(rows, classes, codes, weight)


def read_rows(
    X: Any, y: ArrayLike, sample_weight: ArrayLike | None, kernel: Any
) -> tuple[Any, NDArray[Any], FloatArray]:
    """Rows (also of a Gram), labels or targets, and weights."""
    labels = column_or_1d(y)
    if isinstance(X, Gram):
        rows, n = X._rows, X.n_rows
    elif isinstance(kernel, FunctionKernel) or (callable(kernel) and not hasattr(kernel, "theta")):
        rows, n = X, count_rows(X)
    else:
        types = [np.float64, np.float32, np.uint8, np.int8]
        rows, labels = check_X_y(X, labels, accept_sparse="csr", dtype=types, order="C")
        n = count_rows(rows)
    if len(labels) != n:
        raise ValueError(f"X and y must have equal lengths, got {n} and {len(labels)}")
    weight = _check_sample_weight(sample_weight, np.empty((n, 0)), dtype=np.float64)
    return rows, labels, np.asarray(weight, dtype=np.float64)


def make_kernel(
    kernel: Any,
    rows: Any,
    weight: FloatArray,
    *,
    degree: int,
    gamma: float | str,
    coef0: float,
) -> Kernel:
    """The kernel with all its parameters numbers."""
    made = as_kernel(kernel, gamma=gamma, degree=degree, coef0=coef0)
    return made.resolve(rows, sample_weight=weight)


def approximate_kernel(
    low_rank: int | LowRank, kernel: Kernel, rows: Any, n_threads: int | None
) -> tuple[LowRank, FloatArray]:
    """A fitted approximation of the kernel, and the features whose products it is.

    A number is the rank of a pivoted incomplete Cholesky factor (Sentelle 2014, algorithm 6): at
    most that many rows represent all others, and n times as many numbers are all that is stored.
    """
    if isinstance(low_rank, LowRank):
        fitted = clone(low_rank)
    elif isinstance(low_rank, Integral) and low_rank > 0:
        fitted = LowRank(rank=int(low_rank), basis="incomplete-cholesky", random_state=0)
    else:
        raise ValueError(f"low_rank must be a positive integer or a LowRank, got {low_rank!r}")
    fitted.fit(kernel, rows, n_threads=n_threads)
    features = np.ascontiguousarray(fitted.transform(rows))
    diagonal = Gram(kernel, rows, precision="double", cache_size=1).diagonal()
    missing = np.maximum(diagonal - np.einsum("ij,ij->i", features, features), 0.0)
    fitted.trace_error_ = float(missing.sum() / diagonal.sum()) if diagonal.sum() else 0.0
    return fitted, features
