"""What `gamma` may be: a number, an array, a matrix, or the name of a rule, and what it gives."""

from __future__ import annotations

from collections.abc import Callable
from math import frexp
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.distance import cdist

from mercer import _core
from mercer.kernels.blocks import row_slices
from mercer.kernels.parameters.hyperparameters import check_positive
from mercer.kernels.products import squared_distances
from mercer.kernels.rows import FloatArray, Rows, is_plain, is_sparse, numeric_rows

__all__ = [
    "Metric",
    "check_gamma",
    "checked_gamma",
    "checked_metric",
    "distinct_squared_distances",
    "median_distance",
    "resolve_gamma",
    "resolved_gamma",
    "weighted_variance",
]

Metric = Literal["radial", "diagonal", "full"]
METRICS: tuple[Metric, ...] = ("radial", "diagonal", "full")
MEDIAN_ROWS = 1000
VARIANCE_BYTES = 2**22

MODERATE = 300  # binary exponent of weights

Distances = Callable[[Rows, Rows], FloatArray]


def check_gamma(gamma: Any, *, median: bool = True) -> None:
    """Refuse anything but a positive number or the name of a rule."""
    rules = ["scale", "auto", "median"] if median else ["scale", "auto"]
    if not isinstance(gamma, str):
        check_positive("gamma", gamma)
    elif gamma not in rules:
        raise ValueError(f"gamma must be a positive number or one of {rules}, got {gamma!r}")


@overload
def resolved_gamma(gamma: float | str, owner: str) -> float: ...
@overload
def resolved_gamma(gamma: float | str | FloatArray, owner: str) -> float | FloatArray: ...
def resolved_gamma(gamma: float | str | FloatArray, owner: str) -> float | FloatArray:
    """Return gamma, a number or an array of them, or raise if it is not resolved yet."""
    if isinstance(gamma, str):
        raise ValueError(
            f"gamma={gamma!r} of {owner} is not a number yet: "
            "use the kernel that resolve(X) returns"
        )
    return gamma if isinstance(gamma, np.ndarray) else float(gamma)


def checked_gamma(gamma: Any) -> float | str | FloatArray:
    """Return gamma as a float, a rule, or a new array: positive, or symmetric and definite."""
    if isinstance(gamma, str | float) or np.ndim(gamma) == 0:
        check_gamma(gamma)
        return gamma if isinstance(gamma, str) else float(gamma)
    array = np.array(gamma, dtype=np.float64)
    if not np.all(np.isfinite(array)):
        raise ValueError(f"gamma must be finite, got {array}")
    if array.ndim == 1 and array.size and np.all(array > 0):
        return array
    if array.ndim == 2 and _is_positive_definite(array):
        return (array + array.T) / 2.0
    raise ValueError(
        "gamma must be a positive number, an array of positive numbers or a symmetric positive "
        f"definite matrix, got {array} of shape {array.shape}"
    )


def checked_metric(metric: Any, gamma: float | str | FloatArray) -> Metric:
    """Return the metric, taken from the shape of gamma if None."""
    dimensions = gamma.ndim if isinstance(gamma, np.ndarray) else 0
    inferred = METRICS[dimensions]
    if metric is None:
        return inferred
    if metric not in METRICS:
        raise ValueError(f"metric must be one of {list(METRICS)} or None, got {metric!r}")
    if dimensions and metric != inferred:
        raise ValueError(
            f"metric={metric!r} does not fit gamma of shape {np.shape(gamma)}, whose metric "
            f"is {inferred!r}"
        )
    return METRICS[METRICS.index(metric)]


def _is_positive_definite(matrix: FloatArray) -> bool:
    if matrix.shape[0] != matrix.shape[1] or not matrix.size:
        return False
    if np.abs(matrix - matrix.T).max() > 1e-10 * np.abs(matrix).max():
        return False
    try:
        np.linalg.cholesky((matrix + matrix.T) / 2.0)
    except np.linalg.LinAlgError:
        return False
    return True


def resolve_gamma(
    rule: str, X: Rows, sample_weight: ArrayLike | None, distances: Distances | None = None
) -> float:
    """Return the number a rule gives on these rows; weight 2 counts as two copies.

    "scale" is ``1 / (d variance)`` over all entries, "auto" ``1 / d``, "median"
    ``1 / median distance``; 1 where the rows do not differ.
    """
    if not X.shape[0] or not X.shape[1]:
        raise ValueError(f"gamma={rule!r} needs at least one row and one feature, got {X.shape}")
    weights = _checked_weights(sample_weight, X.shape[0])
    if rule == "auto":
        return 1.0 / X.shape[1]
    if distances is not None and rule == "median":
        spread = median_distance(X, weights, distances)
    else:
        spread = X.shape[1] * weighted_variance(X, weights)
    gamma = 1.0 / float(spread) if spread > 0 else 1.0
    if not 0.0 < gamma < np.inf:
        raise ValueError(f"gamma={rule!r} overflows: scale the features or give a number")
    return gamma


def weighted_variance(X: Rows, weights: FloatArray) -> float:
    """Variance of all entries, each row counted `weights` times."""
    if is_plain(X):
        return _core.weighted_variance(X, weights)
    total = weights.sum() * X.shape[1]
    if is_sparse(X):
        mean = float(weights @ np.asarray(X.sum(axis=1)).ravel()) / total
        entries = np.repeat(weights, np.diff(X.indptr))
        rest = total - float(entries.sum())  # of the entries that are zero
        return (float(entries @ (X.data - mean) ** 2) + rest * mean**2) / total
    blocks = list(row_slices(X.shape[0], 8 * X.shape[1], VARIANCE_BYTES))
    mean = sum(float((weights[part] @ numeric_rows(X[part])).sum()) for part in blocks) / total
    squares = 0.0
    for part in blocks:
        apart = numeric_rows(X[part]) - mean
        squares += float(weights[part] @ np.einsum("id,id->i", apart, apart))
    return squares / total


def median_distance(X: Rows, weights: FloatArray, distances: Distances) -> float:
    """Median over the pairs of rows that differ, of at most 1000 rows; 0 if none does.

    A pair counts as often as copies of its rows would meet. Of more rows, those at equal
    intervals along the summed weights are taken.
    """
    rows = np.flatnonzero(weights)
    counts = weights[rows]
    if len(rows) > MEDIAN_ROWS:
        places = (np.arange(MEDIAN_ROWS) + 0.5) / MEDIAN_ROWS * weights.sum()
        chosen = np.searchsorted(np.cumsum(weights), places, side="right")
        rows, hits = np.unique(np.minimum(chosen, rows[-1]), return_counts=True)
        counts = hits.astype(np.float64)
    sample = numeric_rows(X[rows])
    first, second = np.triu_indices(len(rows), 1)
    apart = distances(sample, sample)[first, second]
    differ = apart > 0
    return _weighted_median(apart[differ], (counts[first] * counts[second])[differ])


def distinct_squared_distances(X: Rows, Z: Rows) -> FloatArray:
    """``|x_i - z_j|^2``, zero where the rows are equal."""
    if not is_sparse(X) and not is_sparse(Z):
        return cdist(X, Z, "sqeuclidean")
    return squared_distances(X, Z)


def _weighted_median(values: FloatArray, weights: FloatArray) -> float:
    if not len(values):
        return 0.0
    order = np.argsort(values, kind="stable")
    summed = np.cumsum(weights[order])
    half = summed[-1] / 2.0
    low = np.searchsorted(summed, half, side="left")
    high = min(int(np.searchsorted(summed, half, side="right")), len(values) - 1)
    return float(values[order[low]] + values[order[high]]) / 2.0


def _checked_weights(sample_weight: ArrayLike | None, n_rows: int) -> FloatArray:
    if sample_weight is None:
        return np.ones(n_rows)
    weights = np.asarray(sample_weight, dtype=np.float64, order="C")
    if weights.shape != (n_rows,):
        raise ValueError(f"sample_weight must have shape ({n_rows},), got {weights.shape}")
    least, largest = _core.extent(weights)
    if not (least >= 0.0 and 0.0 < largest < np.inf):
        raise ValueError(
            f"sample_weight must be finite and not negative, with a positive sum, got {weights}"
        )
    exponent = frexp(largest)[1]
    # no rule depends on a common factor, and sums of extreme weights leave the range of numbers
    return weights if abs(exponent) < MODERATE else np.ldexp(weights, -exponent)
