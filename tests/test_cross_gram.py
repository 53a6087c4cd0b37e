"""Kernel values between two sets of rows are those of the kernel itself."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import scipy.sparse as sp

from mercer.gram.cross import CrossGram, cross_block
from mercer.kernels import (
    Constant,
    FunctionKernel,
    Gaussian,
    Laplacian,
    Linear,
    Polynomial,
    Precomputed,
)

KERNELS = [
    Gaussian(0.3),
    Linear(),
    Polynomial(2, 1.0, 1.0) + Constant(2.0),
    Laplacian(0.2),
    FunctionKernel(lambda a, b: np.asarray(a) @ np.asarray(b).T),
]


@pytest.fixture
def rows() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    return rng.normal(size=(300, 4)), rng.normal(size=(7, 4))


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: type(kernel).__name__)
def test_values_are_the_kernels(kernel, rows):
    X, Z = rows
    block = cross_block(kernel, X, Z, n_threads=2)
    assert block.flags.f_contiguous
    np.testing.assert_allclose(block, kernel(X, Z), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("left", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("right", [np.asarray, sp.csr_array])
def test_sparse_and_dense_rows_meet(left, right, rows):
    X, Z = rows
    block = cross_block(Gaussian(0.3), left(X), right(Z))
    np.testing.assert_allclose(block, Gaussian(0.3)(X, Z), rtol=1e-12)


def test_single_precision_is_close(rows):
    X, Z = rows
    block = cross_block(Gaussian(0.3), X, Z, precision="single")
    assert block.dtype == np.float64
    np.testing.assert_allclose(block, Gaussian(0.3)(X, Z), atol=1e-5)


def test_stored_values_are_picked(rows):
    K = Gaussian(0.3)(rows[0])
    places = np.array([3, 200, 8])
    np.testing.assert_array_equal(cross_block(Precomputed(), K[:9], places), K[:9][:, places])


def test_pickled(rows):
    X, Z = rows
    gram = CrossGram(Gaussian(0.3), Z)
    copy = pickle.loads(pickle.dumps(gram))
    np.testing.assert_array_equal(copy.block(X), gram.block(X))
