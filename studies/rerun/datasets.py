"""The data of the sources, prepared as the sources did."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).parent.parent.parent / "benchmarks"))
from studies.hulls import nine_columns
from suite import load

FloatArray = NDArray[np.float64]
Rows = tuple[FloatArray, NDArray[np.float64]]


def whole(data: Path, name: str) -> tuple[FloatArray, NDArray]:
    """All rows, training before test, and their labels as stored."""
    arrays = load(data / f"{name}.npz")
    if "X" in arrays:
        return dense(arrays["X"]), arrays["y"]
    X = np.vstack([dense(arrays["X_train"]), dense(arrays["X_test"])])
    return X, np.concatenate([arrays["y_train"], arrays["y_test"]])


def breast_cancer(data: Path) -> tuple[FloatArray, NDArray]:
    X, y = whole(data, "breast_cancer_ljubljana")
    return nine_columns(X), y


def training(data: Path, name: str) -> tuple[FloatArray, NDArray]:
    arrays = load(data / f"{name}.npz")
    return dense(arrays["X_train"]), arrays["y_train"]


def dense(X: NDArray | sp.csr_matrix) -> FloatArray:
    return X.toarray() if sp.issparse(X) else X.astype(np.float64)


def signs(y: NDArray, positive: NDArray) -> NDArray[np.float64]:
    """+1 for the labels that count as positive, -1 for all others."""
    return np.where(np.isin(y, positive), 1.0, -1.0)


def standardised(X: FloatArray) -> FloatArray:
    spread = X.std(axis=0)
    return (X - X.mean(axis=0)) / np.where(spread > 0, spread, 1.0)


def to_unit(X: FloatArray) -> FloatArray:
    """Every column to [0, 1]."""
    low, high = X.min(axis=0), X.max(axis=0)
    return (X - low) / np.where(high > low, high - low, 1.0)


def to_symmetric(X: FloatArray) -> FloatArray:
    """Every column to [-1, 1], as LIBSVM's scaled files."""
    return 2.0 * to_unit(X) - 1.0
