"""Inner products, distances and weighted moments of dense or sparse rows."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.spatial.distance import cdist

from mercer.kernels.blocks import BLOCK_BYTES, row_slices
from mercer.kernels.rows import FloatArray, Rows, is_sparse

__all__ = [
    "absolute_distances",
    "centred",
    "cross_moment_diagonal",
    "difference_moment",
    "difference_squares",
    "inner_products",
    "scaled_columns",
    "squared_distances",
    "squared_norms",
]


def inner_products(X: Rows, Z: Rows) -> FloatArray:
    """``x_i' z_j`` as a new dense (n, m) array."""
    products = X @ Z.T
    return products.toarray() if is_sparse(products) else products


def squared_norms(X: Rows) -> FloatArray:
    """``x_i' x_i``."""
    if is_sparse(X):
        return np.asarray(X.multiply(X).sum(axis=1), dtype=np.float64).ravel()
    return np.einsum("id,id->i", X, X)


def scaled_columns(X: Rows, scale: FloatArray) -> Rows:
    """``x_id scale_d``; sparse rows stay sparse."""
    if is_sparse(X):
        return (X @ sparse.diags_array(scale)).tocsr()
    return X * scale


def centred(X: Rows, Z: Rows) -> tuple[Rows, Rows]:
    """Shift both sets of rows by the mean of `X`, which leaves all differences alone.

    ``|x|^2 - 2 x'z + |z|^2`` loses digits when the rows lie far from the origin. Sparse
    rows would become dense and stay where they are.
    """
    if is_sparse(X) or is_sparse(Z) or not len(X):
        return X, Z
    mean = X.mean(axis=0)
    shifted = X - mean
    return shifted, shifted if Z is X else Z - mean


# Of squared distances below this share of the squared norms more than four digits are lost.
CANCELLED = 1e-4


def squared_distances(X: Rows, Z: Rows, mapped: Callable[[Rows], Rows] | None = None) -> FloatArray:
    """``|x_i - z_j|^2 = |x_i|^2 - 2 x_i'z_j + |z_j|^2``, by differences where that cancels.

    Of the rows after a linear map, if there is one.
    """
    image = (lambda rows: rows) if mapped is None else mapped
    with np.errstate(over="ignore", invalid="ignore"):
        near_X, near_Z = centred(X, Z)
        same = near_Z is near_X
        near_X = image(near_X)
        near_Z = near_X if same else image(near_Z)
        distances = inner_products(near_X, near_Z)
        distances *= -2.0
        sizes = np.add.outer(squared_norms(near_X), squared_norms(near_Z))
        distances += sizes
        sizes *= CANCELLED
        # NaN where it overflows
        first, second = np.nonzero(~(distances > sizes))
        for pairs in row_slices(len(first), 8 * _entries_per_row(X, Z)):
            apart = image(X[first[pairs]] - Z[second[pairs]])
            distances[first[pairs], second[pairs]] = squared_norms(apart)
    return distances


def _entries_per_row(X: Rows, Z: Rows) -> int:
    if not is_sparse(X) or not is_sparse(Z):
        return int(X.shape[1])
    return 1 + 2 * (X.nnz + Z.nnz) // (X.shape[0] + Z.shape[0])


def absolute_distances(X: Rows, Z: Rows) -> FloatArray:
    """``sum_d |x_id - z_jd|``; sparse rows are made dense a few at a time."""
    if not is_sparse(X) and not is_sparse(Z):
        return cdist(X, Z, "cityblock")
    distances = np.empty((X.shape[0], Z.shape[0]))
    row_bytes = 8 * X.shape[1]
    for columns in row_slices(Z.shape[0], row_bytes):
        other = _dense(Z[columns])
        for rows in row_slices(X.shape[0], row_bytes):
            distances[rows, columns] = cdist(_dense(X[rows]), other, "cityblock")
    return distances


def difference_squares(X: Rows, Z: Rows, weights: FloatArray) -> FloatArray:
    """``sum_ij w_ij (x_id - z_jd)^2`` for every feature d, in O(n m d)."""
    near_X, near_Z = centred(X, Z)
    left, right = weights.sum(axis=1), weights.sum(axis=0)
    squares = _weighted_squares(near_X, left) + _weighted_squares(near_Z, right)
    squares -= 2.0 * cross_moment_diagonal(near_X, weights, near_Z)
    for d in _cancelled(squares, near_X, left, near_Z, right):
        apart = _dense(X[:, [d]]) - _dense(Z[:, [d]]).T
        apart *= apart
        squares[d] = np.vdot(weights, apart)
    return squares


def difference_moment(X: Rows, Z: Rows, weights: FloatArray) -> FloatArray:
    """``sum_ij w_ij (x_i - z_j)(x_i - z_j)'``, a (d, d) matrix, in O(n m d + n d^2)."""
    near_X, near_Z = centred(X, Z)
    left, right = weights.sum(axis=1), weights.sum(axis=0)
    cross = near_X.T @ (weights @ near_Z)
    moment = _weighted_moment(near_X, left) + _weighted_moment(near_Z, right)
    moment -= cross
    moment -= cross.T
    if len(_cancelled(np.diagonal(moment), near_X, left, near_Z, right)):
        return _moment_by_differences(_dense(X), _dense(Z), weights)
    return moment


def _cancelled(
    squares: FloatArray, X: Rows, left: FloatArray, Z: Rows, right: FloatArray
) -> NDArray[np.intp]:
    """Features whose sums of squared differences are small next to what they were taken from."""
    sizes = _weighted_squares(X, np.abs(left)) + _weighted_squares(Z, np.abs(right))
    return np.flatnonzero((sizes > 0.0) & ~(np.abs(squares) > CANCELLED * sizes))


def _moment_by_differences(X: FloatArray, Z: FloatArray, weights: FloatArray) -> FloatArray:
    moment = np.zeros((X.shape[1], X.shape[1]))
    for x, w in zip(X, weights, strict=True):
        apart = x - Z
        moment += apart.T @ (apart * w[:, None])
    return moment


def cross_moment_diagonal(
    X: Rows, weights: FloatArray, Z: Rows, block_bytes: int = BLOCK_BYTES
) -> FloatArray:
    """``sum_ij w_ij x_id z_jd``: the diagonal of ``X' W Z`` without its other entries.

    ``W Z`` is dense even for sparse rows, so that it is made for a few features at a time.
    """
    if not is_sparse(X) and not is_sparse(Z):
        return np.einsum("id,id->d", X, weights @ Z)
    X, Z = (rows.tocsc() if is_sparse(rows) else rows for rows in (X, Z))
    diagonal = np.empty(X.shape[1])
    for features in row_slices(X.shape[1], 8 * X.shape[0], block_bytes):
        part, product = X[:, features], weights @ Z[:, features]
        paired = part.multiply(product) if is_sparse(part) else part * product
        diagonal[features] = np.asarray(paired.sum(axis=0)).ravel()
    return diagonal


def _weighted_squares(X: Rows, weights: FloatArray) -> FloatArray:
    squares = X.multiply(X).T if is_sparse(X) else (X * X).T
    return np.asarray(squares @ weights)


def _weighted_moment(X: Rows, weights: FloatArray) -> FloatArray:
    if is_sparse(X):
        return (X.T @ (sparse.diags_array(weights) @ X)).toarray()
    return X.T @ (X * weights[:, None])


def _dense(X: Rows) -> FloatArray:
    return X.toarray() if is_sparse(X) else X
