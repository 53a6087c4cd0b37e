"""Derivatives by rows are those of finite differences."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from mercer.kernels import (
    Constant,
    FunctionKernel,
    Gaussian,
    Kernel,
    Laplacian,
    Linear,
    Normalized,
    Polynomial,
    Sigmoid,
)
from mercer.kernels.row_slopes import has_row_slopes, row_slopes

KERNELS: list[Kernel] = [
    Linear(),
    Polynomial(3, 0.5, 1.0),
    Sigmoid(0.2, 0.1),
    Gaussian(0.3),
    Gaussian(np.array([0.1, 0.5, 1.0])),
    Gaussian(np.array([[1.0, 0.2, 0.0], [0.2, 0.5, 0.1], [0.0, 0.1, 0.3]])),
    Laplacian(0.4),
    Gaussian(0.2) * Polynomial(2, 1.0, 1.0) + 2.0 * Laplacian(0.1) + Constant(1.0),
    Normalized(Polynomial(2, 0.5, 1.0)),
]


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_slopes_are_finite_differences(kernel: Kernel) -> None:
    rng = np.random.default_rng(0)
    X, Z, weights = rng.normal(size=(4, 3)), rng.normal(size=(6, 3)), rng.normal(size=(4, 6))
    found = row_slopes(kernel, X, Z, weights)
    for j, step in enumerate(1e-6 * np.eye(3)):
        change = (kernel(X + step, Z) - kernel(X - step, Z)) / 2e-6
        np.testing.assert_allclose(found[:, j], (weights * change).sum(axis=1), atol=1e-7)
    sparse = row_slopes(kernel, sp.csr_array(X), sp.csr_array(Z), weights)
    np.testing.assert_allclose(sparse, found, atol=1e-12)


def test_functions_have_no_known_slopes() -> None:
    own = FunctionKernel(lambda X, Z: np.asarray(X) @ np.asarray(Z).T)
    assert not has_row_slopes(own)
    assert not has_row_slopes(own + Constant(1.0))
