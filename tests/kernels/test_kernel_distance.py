"""The distance of a kernel is a metric, that of its features."""

from __future__ import annotations

import numpy as np
import pytest
from kernel_cases import ALL
from scipy.spatial.distance import cdist

from mercer.kernels import FunctionKernel, Gaussian, Linear, Precomputed, Sigmoid, kernel_distance

rng = np.random.default_rng(0)
X, Z = rng.uniform(0.1, 2.0, (12, 4)), rng.uniform(0.1, 2.0, (7, 4))
DEFINITE = sorted(name for name, kernel in ALL.items() if kernel.is_positive_definite)


@pytest.mark.parametrize("name", DEFINITE)
def test_it_is_a_metric(name: str) -> None:
    kernel = ALL[name].resolve(X)
    d = kernel_distance(kernel, X)
    assert (np.diagonal(d) == 0.0).all()
    np.testing.assert_allclose(d, d.T, atol=1e-7)
    assert (d[:, None, :] <= d[:, :, None] + d[None, :, :] + 1e-7).all()
    np.testing.assert_allclose(kernel_distance(kernel, X, X.copy()), d, atol=1e-6)


def test_of_the_linear_kernel_it_is_euclidean() -> None:
    np.testing.assert_allclose(kernel_distance(Linear(), X, Z), cdist(X, Z), rtol=1e-12)


def test_of_a_normalized_kernel_it_is_at_most_the_root_of_four() -> None:
    d = kernel_distance(Gaussian(2.0), X, Z)
    np.testing.assert_allclose(d**2, 2 - 2 * Gaussian(2.0)(X, Z), atol=1e-15)


def test_of_a_matrix_it_is_that_of_its_kernel() -> None:
    K = Gaussian(0.5)(X)
    np.testing.assert_allclose(
        kernel_distance(Precomputed(), K), kernel_distance(Gaussian(0.5), X), atol=1e-12
    )


@pytest.mark.parametrize(
    "kernel", [Sigmoid(gamma=1.0), FunctionKernel(lambda A, B: -np.asarray(A) @ np.asarray(B).T)]
)
def test_kernels_without_a_distance(kernel: object) -> None:
    with pytest.raises(ValueError, match="a distance needs a positive semi-definite kernel"):
        kernel_distance(kernel, X)
