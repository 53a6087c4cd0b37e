"""One of every kernel, and rows to try them on."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.gaussian_process import kernels as process

from mercer.kernels import (
    Constant,
    FunctionKernel,
    Gaussian,
    Kernel,
    Laplacian,
    Linear,
    Normalized,
    Polynomial,
    Product,
    Scaled,
    Sigmoid,
    SklearnKernel,
    Sum,
)

N_FEATURES = 4

WIDTHS = [0.3, 0.05, 1.1, 0.6]

METRIC = [
    [0.7, 0.2, -0.1, 0.0],
    [0.2, 0.5, 0.1, 0.1],
    [-0.1, 0.1, 0.9, -0.3],
    [0.0, 0.1, -0.3, 0.4],
]


def overlap(X: Any, Z: Any) -> np.ndarray:
    """A kernel function on plain arrays."""
    return np.minimum(np.abs(np.asarray(X))[:, None], np.abs(np.asarray(Z))).sum(axis=2)


def odd_cubic(X: Any, Z: Any) -> np.ndarray:
    """An indefinite function."""
    return np.sin(X @ Z.T + 1.0)


# Kernels that take dense and sparse rows.
NUMERIC: dict[str, Kernel] = {
    "linear": Linear(),
    "polynomial": Polynomial(degree=3, gamma=0.4, coef0=0.7),
    "polynomial homogeneous": Polynomial(degree=2, gamma=0.4),
    "polynomial of degree 0": Polynomial(degree=0, coef0=1.0),
    "polynomial of degree 1": Polynomial(degree=1, gamma=2.0, coef0=0.5),
    "polynomial indefinite": Polynomial(degree=3, gamma=0.4, coef0=-0.5),
    "sigmoid": Sigmoid(gamma=0.3, coef0=-0.2),
    "gaussian radial": Gaussian(gamma=0.35),
    "gaussian diagonal": Gaussian(gamma=WIDTHS),
    "gaussian full": Gaussian(gamma=METRIC),
    "gaussian fixed": Gaussian(gamma=0.35, gamma_bounds="fixed"),
    "laplacian": Laplacian(gamma=0.25),
    "constant": Constant(2.5),
    "sum": Sum(Gaussian(gamma=WIDTHS), Polynomial(degree=2, gamma=0.2, coef0=1.0)),
    "product": Product(Gaussian(gamma=METRIC), Polynomial(degree=2, gamma=0.2, coef0=1.0)),
    "product with fixed": Product(Linear(), Gaussian(gamma=0.2, gamma_bounds="fixed")),
    "scaled": Scaled(Gaussian(gamma=0.2), factor=3.0),
    "scaled fixed": Scaled(Laplacian(gamma=0.2), factor=3.0, factor_bounds="fixed"),
    "normalized linear": Normalized(Linear()),
    "normalized polynomial": Normalized(Polynomial(degree=3, gamma=0.4, coef0=0.7)),
    "nested": 0.5 * Normalized(Linear() + 2.0 * Gaussian(gamma=WIDTHS)) * Gaussian(METRIC)
    + Constant(0.1),
}

DENSE_ONLY: dict[str, Kernel] = {
    "function": FunctionKernel(overlap),
    "function indefinite": FunctionKernel(odd_cubic, positive_definite=False),
    "function times gaussian": FunctionKernel(overlap) * Gaussian(gamma=WIDTHS) + 1.0,
    "sklearn rbf": SklearnKernel(process.RBF(length_scale=WIDTHS)),
    "sklearn nested": SklearnKernel(
        process.ConstantKernel(2.0, constant_value_bounds="fixed") * process.Matern(1.5, nu=1.5)
        + process.DotProduct(sigma_0=0.7)
    ),
    "sklearn inside": Normalized(SklearnKernel(process.DotProduct(0.7)) + Gaussian(0.3)),
}

ALL = NUMERIC | DENSE_ONLY


def rows(n: int, seed: int) -> np.ndarray:
    """Rows with zeros, the last two equal."""
    generator = np.random.default_rng(seed)
    X = generator.normal(size=(n, N_FEATURES)) * (generator.random((n, N_FEATURES)) < 0.7)
    X[-1] = X[-2]
    X[:, 0] += 0.1
    return X


def as_sparse(X: np.ndarray) -> sparse.csr_array:
    return sparse.csr_array(X)


def finite_difference(kernel: Kernel, value: Any, step: float = 1e-5) -> np.ndarray:
    """Central differences of ``value(kernel)`` in every coordinate of theta."""
    gradient = np.empty(kernel.n_dims)
    for p in range(kernel.n_dims):
        move = np.zeros(kernel.n_dims)
        move[p] = step
        forward, back = kernel.retract(move), kernel.retract(-move)
        gradient[p] = (value(forward) - value(back)) / (2 * step)
    return gradient
