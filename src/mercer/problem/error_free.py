"""Inner products with twice the digits of a double.

Numbers are cut into slices of a few bits. With

    slice = (value + anchor) - anchor,   anchor = 1.5 * 2^(e + 52 - bits),   |value| <= 2^e,

a slice is a multiple of 2^(e - bits), and the rest is at most half of that. Products of two slices
are multiples of one unit, and a sum of N of them is at most N * 2^(2 bits) units: with
2 bits + log2(N) <= 53 no sum rounds, in whatever order and by whatever library it is formed. Only
the few sums of whole slices are then added with a remainder.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

__all__ = ["Long", "add_with_rest", "long_expansion", "long_product"]

FloatArray = NDArray[np.float64]
Long = tuple[FloatArray, FloatArray]  # a number as the sum of a double and a small rest

_DIGITS = 110  # bits below the largest product that a sum keeps


def add_with_rest(a: FloatArray, b: FloatArray) -> Long:
    """``a + b`` rounded, and what rounding took away."""
    total = a + b
    second = total - a
    return total, (a - (total - second)) + (b - second)


def long_product(rows: Any, weights: Long) -> Long:
    """``rows @ weights`` as a double and a rest.

    Parameters
    ----------
    rows : ndarray or CSR matrix of shape (n, m)
        Doubles, taken as exact.
    weights : pair of ndarray of shape (m,)
        The sum of both is meant.
    """
    bits = (53 - max(rows.shape[1], 2).bit_length()) // 2
    count = -(-_DIGITS // bits)
    total = rest = np.zeros(rows.shape[0])
    columns = [_slices(part, np.abs(part).max(initial=0.0), bits, count) for part in weights]
    right = np.stack(columns, axis=2).reshape(rows.shape[1], 2 * count)
    entries = rows.data if sp.issparse(rows) else rows
    largest = _largest(rows)
    for k in range(count):
        left = _slice(entries, largest, bits, k)
        entries = entries - left
        # what is left out lies below the digits kept
        for column in (_like(rows, left) @ right[:, : 2 * (count - k)]).T:
            total, lost = add_with_rest(total, column)
            rest = rest + lost
    return add_with_rest(total, rest)


def long_expansion(features: Any, index: NDArray[np.intp], coef: Long) -> Long:
    """``(K coef)[index]`` of the linear kernel, through w = sum_i coef_i x_index(i).

    Parameters
    ----------
    features : ndarray or CSR matrix of shape (n_rows, n_features)
        The rows x.
    index : ndarray of shape (n_variables,)
        The row of each variable.
    coef : pair of ndarray of shape (n_variables,)
        The sum of both is meant.
    """
    used = np.flatnonzero((coef[0] != 0.0) | (coef[1] != 0.0))
    transposed = features[index[used]].T
    if sp.issparse(features):
        transposed = transposed.tocsr()
    w = long_product(transposed, (coef[0][used], coef[1][used]))
    value, rest = long_product(features, w)
    return value[index], rest[index]


def _largest(rows: Any) -> FloatArray:
    """The largest size of an entry of each row, spread like the entries."""
    if not sp.issparse(rows):
        return np.asarray(np.abs(rows).max(axis=1, initial=0.0)[:, None])
    row = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))
    sizes = np.zeros(rows.shape[0])
    np.maximum.at(sizes, row, np.abs(rows.data))
    return np.asarray(sizes[row])


def _like(rows: Any, entries: FloatArray) -> Any:
    """A matrix with the pattern of ``rows``."""
    if not sp.issparse(rows):
        return entries
    return sp.csr_matrix((entries, rows.indices, rows.indptr), shape=rows.shape)


def _slices(values: FloatArray, largest: FloatArray, bits: int, count: int) -> FloatArray:
    out = np.empty((len(values), count))
    for k in range(count):
        out[:, k] = _slice(values, largest, bits, k)
        values = values - out[:, k]
    return out


def _slice(values: FloatArray, largest: FloatArray, bits: int, k: int) -> FloatArray:
    """The ``k``-th slice of numbers that the slices before were taken from."""
    exponent = np.frexp(largest)[1] - k * bits
    anchor = np.ldexp(1.5, exponent + 52 - bits)
    return np.asarray((values + anchor) - anchor)
