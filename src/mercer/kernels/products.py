"""Inner products, distances and weighted moments of dense or sparse rows."""

from __future__ import annotations

import numpy as np
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


def squared_distances(X: Rows, Z: Rows) -> FloatArray:
    """``|x_i - z_j|^2 = |x_i|^2 - 2 x_i'z_j + |z_j|^2``, clipped at zero."""
    same = Z is X
    X, Z = centred(X, Z)
    distances = inner_products(X, Z)
    distances *= -2.0
    distances += squared_norms(X)[:, None]
    distances += squared_norms(Z)
    np.maximum(distances, 0.0, out=distances)
    if same:
        np.fill_diagonal(distances, 0.0)
    return distances


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
    X, Z = centred(X, Z)
    squares = _weighted_squares(X, weights.sum(axis=1))
    squares += _weighted_squares(Z, weights.sum(axis=0))
    squares -= 2.0 * cross_moment_diagonal(X, weights, Z)
    return squares


def difference_moment(X: Rows, Z: Rows, weights: FloatArray) -> FloatArray:
    """``sum_ij w_ij (x_i - z_j)(x_i - z_j)'``, a (d, d) matrix, in O(n m d + n d^2)."""
    X, Z = centred(X, Z)
    cross = X.T @ (weights @ Z)
    moment = _weighted_moment(X, weights.sum(axis=1)) + _weighted_moment(Z, weights.sum(axis=0))
    moment -= cross
    moment -= cross.T
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
