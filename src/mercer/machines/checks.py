"""What machines demand of rows, kernel matrices, weights and prices, and how they say so."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from mercer.formulations import ReadOut
from mercer.gram import Gram
from mercer.kernels.blocks import row_slices

__all__ = [
    "READ_TYPES",
    "are_ready",
    "as_rows",
    "check_finite_price",
    "check_finite_values",
    "check_gram_matrix",
    "check_weighted_classes",
    "find_classes",
    "is_surely_indefinite",
    "naming",
    "warn_of_overlap",
    "weigh_classes",
]

FloatArray = NDArray[np.float64]

READ_TYPES = (np.float64, np.float32, np.uint8, np.int8)  # of dense rows, without a copy
# What NumPy says of values that are no numbers, without saying whose.
_NO_NUMBERS = re.compile("could not convert|argument must be|setting an array element")
_BLOCK_BYTES = 2**24


@contextmanager
def naming(**arguments: Any) -> Iterator[None]:
    """Let the errors of a conversion to numbers name the argument that has none."""
    try:
        yield
    except (TypeError, ValueError) as error:
        if not _NO_NUMBERS.search(str(error)):
            raise
        guilty = [name for name, value in arguments.items() if not _is_numeric(value)]
        if not guilty:
            raise
        where = _text_columns(arguments[guilty[0]])
        raise type(error)(f"{guilty[0]} must hold numbers{where}: {error}") from error


def _is_numeric(value: Any) -> bool:
    try:
        np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        return sp.issparse(value)
    return True


def _text_columns(table: Any) -> str:
    """Names of the columns of a data frame that hold no numbers."""
    columns = [name for name in getattr(table, "columns", []) if not _is_numeric(table[name])]
    return f" only, got others in columns {columns}" if columns else ""


def as_rows(X: Any) -> Any:
    """Lists of numbers as an array, sparse matrices as CSR; other objects as they are."""
    if sp.issparse(X):
        return X.tocsr()
    if not hasattr(X, "shape") and not (hasattr(X, "__len__") and hasattr(X, "__getitem__")):
        raise TypeError(f"X must be an array, a sparse matrix or a sequence of rows, got {X!r}")
    if hasattr(X, "shape") or not len(X) or not isinstance(X[0], (list, tuple)):
        return X
    try:
        rows = np.asarray(X)
    except ValueError:
        return X
    return rows if rows.dtype.kind in "fiub" and rows.ndim == 2 else X


def are_ready(X: Any, y: Any) -> bool:
    """Whether rows and targets, if any, are what a validation would return: it can be spared.

    Plain arrays of the types that the core reads, not empty, of equal lengths and finite: a
    small fit takes hardly longer than finding that out the long way.
    """
    if type(X) is not np.ndarray or X.dtype not in READ_TYPES or X.ndim != 2 or not X.size:
        return False
    if not X.flags.c_contiguous or not _has_finite_sum(X):
        return False
    if y is None:
        return True
    is_vector = type(y) is np.ndarray and y.dtype.kind in "biuf" and y.shape == X.shape[:1]
    return is_vector and _has_finite_sum(y)


def _has_finite_sum(array: NDArray[Any]) -> bool:
    """A finite sum has finite terms; one that overflows is looked at by others."""
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(np.isfinite(array.sum()))


def check_gram_matrix(K: Any) -> Any:
    """``K``, if it is dense, square and symmetric."""
    if sp.issparse(K):
        raise TypeError("Sparse precomputed kernels are not supported.")
    if K.shape[0] != K.shape[1]:
        raise ValueError(
            "Precomputed matrix must be a square matrix. "
            f"Input is a {K.shape[0]}x{K.shape[1]} matrix."
        )
    skew, scale = 0.0, 0.0
    for rows in row_slices(len(K), 8 * len(K), _BLOCK_BYTES):
        scale = max(scale, float(np.abs(K[rows]).max(initial=0.0)))
        skew = max(skew, float(np.abs(K[rows] - K.T[rows]).max(initial=0.0)))
    if skew > 1e-5 * scale:
        raise ValueError(
            f"Precomputed matrix must be symmetric, got entries that differ by {skew!r} "
            "from their mirror images"
        )
    return K


def is_surely_indefinite(K: NDArray[Any]) -> bool:
    """Whether two rows alone prove that ``K`` is not positive semi-definite.

    K_ii >= 0 and K_ij^2 <= K_ii K_jj, up to the rounding of single precision.
    """
    diagonal = np.diagonal(K).astype(np.float64)
    if diagonal.min(initial=0.0) < -1e-5 * np.abs(diagonal).max(initial=0.0):
        return True
    size = np.sqrt(np.maximum(diagonal, 0.0)) * (1 + 1e-5)
    slack = 1e-5 * diagonal.max(initial=0.0)
    return any(
        bool((np.abs(K[rows]) > np.multiply.outer(size[rows], size) + slack).any())
        for rows in row_slices(len(K), 8 * len(K), _BLOCK_BYTES)
    )


def check_finite_values(gram: Gram) -> Gram:
    """``gram``, if no k(x, x) overflows: then no other kernel value does.

    What overflows in single precision only is left to double precision.
    """
    if np.isfinite(gram.diagonal()).all():
        return gram
    diagonal = gram.native("double").diagonal()
    wrong = np.flatnonzero(~np.isfinite(diagonal))
    if len(wrong):
        i = int(wrong[0])
        raise ValueError(
            f"kernel values must be finite, got k(x, x)={float(diagonal[i])} for row {i} of X: "
            "scale the features or choose smaller kernel parameters"
        )
    return gram


def find_classes(y: Any) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """The classes in ascending order, and which of them each row has."""
    y = y if y.ndim == 1 else column_or_1d(y, warn=True)
    is_plain = y.dtype.kind in "biuUS"
    if not is_plain:
        check_classification_targets(y)
    classes, labels = _sorted_classes(y)
    if is_plain and 5 * len(classes) > len(y):
        # names or whole numbers are classes, but so many of them deserve a warning
        check_classification_targets(y)
    return classes, labels


def _sorted_classes(y: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """``np.unique(y, return_inverse=True)``, small whole numbers by counting."""
    if len(y) and y.dtype.kind in "iu" and np.can_cast(y.dtype, np.intp):
        low, high = int(y.min()), int(y.max())
        if low >= 0 and high < 2 * len(y):
            seen = np.bincount(y, minlength=high + 1) > 0
            place = np.cumsum(seen) - 1
            return seen.nonzero()[0].astype(y.dtype, copy=False), place[y]
    return np.unique(y, return_inverse=True)


def check_weighted_classes(classes: NDArray[Any], labels: NDArray[Any], weight: FloatArray) -> None:
    """Two classes at least, and some weight on each."""
    seen = np.bincount(labels, weights=weight, minlength=len(classes)) > 0
    if seen.sum() < 2:
        raise ValueError(
            "The number of classes has to be greater than one; got "
            f"{seen.sum()} class{'' if seen.sum() == 1 else 'es'} with positive weight"
        )
    if not seen.all():
        raise ValueError(
            "sample_weight must be positive for some row of each class, got only zeros for the "
            f"classes {classes[~seen].tolist()}"
        )


def weigh_classes(
    class_weight: Any, classes: NDArray[Any], y: Any, weight: FloatArray
) -> FloatArray:
    """Weight of each class, positive and finite."""
    if class_weight is None:
        return np.ones(len(classes))
    weights = compute_class_weight(class_weight, classes=classes, y=y, sample_weight=weight)
    if not (np.isfinite(weights) & (weights > 0)).all():
        raise ValueError(
            "class_weight must be positive and finite for every class, got "
            f"{dict(zip(classes.tolist(), weights.tolist(), strict=True))}"
        )
    return np.asarray(weights, dtype=np.float64)


def warn_of_overlap(nu: float, read_outs: list[ReadOut], gram: Gram) -> None:
    """Warn of pairs of classes without a margin (docs/theory/problem.md#hulls-that-overlap).

    With coefficients beta before they are scaled to margin 1, rho is half a difference of
    gradients, none of which exceeds |beta|_1 max k(x, x).
    """
    largest = float(np.abs(gram.diagonal()).max())
    for read_out in read_outs:
        reach = np.abs(read_out.coef).sum() / (read_out.scale or 1.0) * largest
        if (read_out.rho or 0.0) <= 1e-9 * reach:
            warnings.warn(
                f"nu={nu} is too small: the reduced convex hulls of two classes overlap, there is "
                "no margin, and the decision function is noise. Choose a larger nu or another "
                "kernel.",
                ConvergenceWarning,
                stacklevel=6,
            )
            return


def check_finite_price(C: float, loss: str) -> float:
    """``C``, if it is finite: without a price there is no loss, only demands on the margin."""
    if np.inf == C:
        raise ValueError(f"C must be finite with loss={loss!r}, got {C!r}")
    return C
