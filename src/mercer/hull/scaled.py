"""Hulls that shrink towards the means of their rows (Lopez Lazaro 2011, appendix A).

Row x_i of a hull with the weighted mean m becomes s x_i + (1 - s) m; the shape of the hull stays.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mercer._memory import require_memory
from mercer.gram import Gram
from mercer.hull.rows import Cloud
from mercer.kernels.precomputed import Precomputed

__all__ = ["scaled_kernel", "scaled_rows", "unscaled_coef"]

FloatArray = NDArray[np.float64]


def scaled_rows(cloud: Cloud, scale: float | None) -> FloatArray:
    """The rows after they have shrunk; the rows themselves without a scale."""
    rows: FloatArray = cloud.rows
    if scale is None or scale == 1.0:
        return rows
    mean = rows[0] + _shares(cloud) @ (rows - rows[0])
    return np.ascontiguousarray(mean + scale * (rows - mean))


def unscaled_coef(cloud: Cloud, coef: FloatArray, scale: float) -> FloatArray:
    """Coefficients of the rows as they were, of the point with ``coef`` in those that shrank.

    sum_i a_i (s x_i + (1 - s) m) = sum_i (s a_i + (1 - s) (sum a) v_i) x_i, v_i the share of row
    i in the mean.
    """
    return np.asarray(scale * coef + (1.0 - scale) * coef.sum() * _shares(cloud))


def scaled_kernel(gram: Gram, clouds: tuple[Cloud, Cloud], scale: float) -> Gram:
    """Kernel values of rows that shrink in the feature space: T K T' as one matrix.

    T = s I + (1 - s) (rows of shares in the means), a block for each hull.
    """
    n = gram.n_rows
    require_memory(
        24.0 * n * n, f"a matrix of {n} x {n} kernel values", "use fewer rows, or no scale"
    )
    values = gram.block(np.arange(n), np.arange(n), precision="double").astype(np.float64)
    for axis in (0, 1):
        values = values if axis == 0 else np.ascontiguousarray(values.T)
        first = 0
        for cloud in clouds:
            part = values[first : first + cloud.n]
            mean = _shares(cloud) @ part
            part *= scale
            part += (1.0 - scale) * mean
            first += cloud.n
    matrix = 0.5 * (values + values.T)
    is_definite = True if gram.is_positive_definite else None
    kernel = Precomputed(positive_definite=is_definite)
    return Gram(kernel, matrix, precision="double", n_threads=gram.n_threads)


def _shares(cloud: Cloud) -> FloatArray:
    return np.asarray(cloud.weights / cloud.weights.sum())
