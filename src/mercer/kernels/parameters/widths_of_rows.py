"""Kernel widths taken from the data: ``gamma`` as "scale", "auto" or "median"."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.distance import cdist

from mercer.kernels.blocks import row_slices
from mercer.kernels.products import squared_distances, squared_norms
from mercer.kernels.rows import FloatArray, Rows, is_sparse, numeric_rows

__all__ = ["distinct_squared_distances", "median_distance", "resolve_gamma", "weighted_variance"]

MEDIAN_ROWS = 1000
VARIANCE_BYTES = 2**22

MODERATE = 300  # binary exponent of weights

Distances = Callable[[Rows, Rows], FloatArray]


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
    total = weights.sum() * X.shape[1]
    if is_sparse(X):
        mean = float(weights @ np.asarray(X.sum(axis=1)).ravel()) / total
        entries = np.repeat(weights, np.diff(X.indptr))
        rest = total - float(entries.sum())  # of the entries that are zero
        return (float(entries @ (X.data - mean) ** 2) + rest * mean**2) / total
    if 8 * X.size <= VARIANCE_BYTES:
        rows = numeric_rows(X)
        mean = float((weights @ rows).sum()) / total
        return float(weights @ squared_norms(rows - mean)) / total
    blocks = list(row_slices(X.shape[0], 8 * X.shape[1], VARIANCE_BYTES))
    mean = sum(float((weights[part] @ numeric_rows(X[part])).sum()) for part in blocks) / total
    squares = 0.0
    for part in blocks:
        squares += float(weights[part] @ squared_norms(numeric_rows(X[part]) - mean))
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
    weights = np.asarray(sample_weight, dtype=np.float64)
    if weights.shape != (n_rows,):
        raise ValueError(f"sample_weight must have shape ({n_rows},), got {weights.shape}")
    if not (weights.min() >= 0.0 and 0.0 < weights.max() < np.inf):
        raise ValueError(
            f"sample_weight must be finite and not negative, with a positive sum, got {weights}"
        )
    exponent = int(np.frexp(weights.max())[1])
    # no rule depends on a common factor, and sums of extreme weights leave the range of numbers
    return weights if abs(exponent) < MODERATE else np.ldexp(weights, -exponent)
