"""Derivatives of kernel values by the first row, contracted with weights."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mercer.kernels.base import Kernel
from mercer.kernels.combined.composite import Product, Sum
from mercer.kernels.combined.normalized import Normalized
from mercer.kernels.combined.scaled import Constant, Scaled
from mercer.kernels.dot_product import Linear, Polynomial, Sigmoid
from mercer.kernels.gaussian import Gaussian
from mercer.kernels.laplacian import Laplacian
from mercer.kernels.products import inner_products
from mercer.kernels.rows import FloatArray, Rows, is_sparse

__all__ = ["has_row_slopes", "row_slopes"]


def has_row_slopes(kernel: Kernel) -> bool:
    """Whether the derivatives by rows are known."""
    return type(kernel) in _RULES and all(map(has_row_slopes, kernel._parts().values()))


def row_slopes(kernel: Kernel, X: Rows, Z: Rows, weights: FloatArray) -> FloatArray:
    """``sum_j weights_ij dk(x_i, z_j)/dx_i``, shape (n, n_features); ``has_row_slopes`` holds.

    Where a Laplacian kernel has a kink the slope is 0.
    """
    found: FloatArray = _RULES[type(kernel)](kernel, X, Z, weights)
    return found


def _of_linear(kernel: Linear, X: Rows, Z: Rows, weights: FloatArray) -> FloatArray:
    return np.asarray(weights @ Z, dtype=np.float64)


def _of_outer_function(
    kernel: Polynomial | Sigmoid, X: Rows, Z: Rows, weights: FloatArray
) -> FloatArray:
    gamma = kernel._gamma
    slopes = kernel._slope(gamma * inner_products(X, Z) + kernel.coef0)
    return np.asarray((gamma * weights * slopes) @ Z, dtype=np.float64)


def _of_gaussian(kernel: Gaussian, X: Rows, Z: Rows, weights: FloatArray) -> FloatArray:
    # dk/dx = -2 G (x - z) k
    products = weights * kernel(X, Z)
    differences = products.sum(axis=1)[:, None] * _dense(X) - products @ Z
    gamma = np.asarray(kernel.gamma, dtype=np.float64)
    scaled = differences @ gamma if gamma.ndim == 2 else gamma * differences
    return np.asarray(-2.0 * scaled)


def _of_laplacian(kernel: Laplacian, X: Rows, Z: Rows, weights: FloatArray) -> FloatArray:
    # dk/dx_l = -gamma sign(x_l - z_l) k
    products = -kernel._gamma * weights * kernel(X, Z)
    rows, others = _dense(X), _dense(Z)
    signs = (np.sign(np.subtract.outer(x, z)) for x, z in zip(rows.T, others.T, strict=True))
    return np.column_stack([np.einsum("ij,ij->i", products, sign) for sign in signs])


def _of_constant(kernel: Constant, X: Rows, Z: Rows, weights: FloatArray) -> FloatArray:
    return np.zeros(X.shape)


def _of_sum(kernel: Sum, X: Rows, Z: Rows, weights: FloatArray) -> FloatArray:
    return row_slopes(kernel.left, X, Z, weights) + row_slopes(kernel.right, X, Z, weights)


def _of_product(kernel: Product, X: Rows, Z: Rows, weights: FloatArray) -> FloatArray:
    left, right = kernel.left, kernel.right
    by_left = row_slopes(left, X, Z, weights * right(X, Z))
    return by_left + row_slopes(right, X, Z, weights * left(X, Z))


def _of_scaled(kernel: Scaled, X: Rows, Z: Rows, weights: FloatArray) -> FloatArray:
    return kernel.factor * row_slopes(kernel.kernel, X, Z, weights)


def _of_normalized(kernel: Normalized, X: Rows, Z: Rows, weights: FloatArray) -> FloatArray:
    # d(k / sqrt(k_xx k_zz)) = dk / sqrt(k_xx k_zz) - k_norm (d_1 k)(x, x) / k_xx: k_xx changes by
    # both of its rows
    part, rows = kernel.kernel, kernel._inverse_lengths(X)
    scaled = weights * rows[:, None] * kernel._inverse_lengths(Z)
    shares = (scaled * part(X, Z)).sum(axis=1) * rows**2
    return row_slopes(part, X, Z, scaled) - row_slopes(part, X, X, np.diag(shares))


def _dense(X: Rows) -> FloatArray:
    return np.asarray(X.toarray() if is_sparse(X) else X, dtype=np.float64)


_RULES: dict[type, Callable[[Any, Rows, Rows, FloatArray], FloatArray]] = {
    Linear: _of_linear,
    Polynomial: _of_outer_function,
    Sigmoid: _of_outer_function,
    Gaussian: _of_gaussian,
    Laplacian: _of_laplacian,
    Constant: _of_constant,
    Sum: _of_sum,
    Product: _of_product,
    Scaled: _of_scaled,
    Normalized: _of_normalized,
}
