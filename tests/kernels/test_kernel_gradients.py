from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kernel_cases import ALL, METRIC, NUMERIC, WIDTHS, as_sparse, finite_difference, rows
from scipy import sparse

from mercer.kernels import Gaussian, Kernel, Laplacian, Normalized, Polynomial, Precomputed, Scaled
from mercer.kernels.blocks import block_slices, triangle_slices
from mercer.kernels.products import cross_moment_diagonal
from sampling import some_of_each

X, Z = rows(9, 0), rows(7, 1)

every = pytest.mark.parametrize("kernel", ALL.values(), ids=ALL.keys())
numeric = pytest.mark.parametrize("kernel", NUMERIC.values(), ids=NUMERIC.keys())


def factors(rank: int | None) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(2)
    tail = () if rank is None else (rank,)
    return generator.normal(size=(len(X), *tail)), generator.normal(size=(len(Z), *tail))


def assert_close(found: np.ndarray, expected: np.ndarray, rel: float = 1e-6) -> None:
    scale = np.abs(expected).max(initial=0.0)
    np.testing.assert_allclose(found, expected, rtol=rel, atol=rel * 1e-2 * max(scale, 1e-3))


@every
@pytest.mark.parametrize("rank", [None, 1, 3])
def test_gradient_is_the_finite_difference(kernel: Kernel, rank: int | None) -> None:
    left, right = factors(rank)
    weights = np.outer(left, right) if rank is None else left @ right.T
    expected = finite_difference(kernel, lambda k: np.sum(weights * k(X, Z)))
    assert_close(kernel.gradient(X, Z, left, right), expected)
    assert_close(kernel.gradient_weighted(X, Z, weights), expected)


@every
def test_gradient_on_one_set_of_rows(kernel: Kernel) -> None:
    left = np.random.default_rng(3).normal(size=len(X))
    expected = finite_difference(kernel, lambda k: left @ k(X) @ left)
    assert_close(kernel.gradient(X, None, left, left), expected)
    assert_close(kernel.gradient(X, X, left, left), expected)
    assert_close(kernel.gradient(X, X.copy(), left, left), expected)


@every
def test_diagonal_gradient_is_the_finite_difference(kernel: Kernel) -> None:
    weights = np.random.default_rng(4).normal(size=len(X))
    expected = finite_difference(kernel, lambda k: weights @ k.diag(X))
    assert_close(kernel.diag_gradient(X, weights), expected)


BOTH_HELD = [
    (to_x, to_z)
    for to_x in (np.asarray, as_sparse, sparse.csc_matrix)
    for to_z in (np.asarray, as_sparse, sparse.coo_matrix)
]


@pytest.mark.parametrize(("name", "held"), some_of_each(NUMERIC, BOTH_HELD, 2))
def test_sparse_rows_give_the_gradient_of_dense_rows(name: str, held) -> None:
    kernel, (to_x, to_z) = NUMERIC[name], held
    left, right = factors(2)
    expected = kernel.gradient(X, Z, left, right)
    assert_close(kernel.gradient(to_x(X), to_z(Z), left, right), expected, 1e-10)
    weights = left[:, 0]
    found = kernel.diag_gradient(to_x(X), weights)
    assert_close(found, kernel.diag_gradient(X, weights), 1e-10)


@every
@pytest.mark.parametrize("block_bytes", [1, 500, 3000])
def test_blocks_add_up_to_the_whole(kernel: Kernel, block_bytes: int) -> None:
    left, right = factors(2)
    expected = kernel.gradient(X, Z, left, right)
    assert_close(kernel.gradient(X, Z, left, right, block_bytes=block_bytes), expected, 1e-10)
    weighted = kernel.gradient_weighted(X, Z, left @ right.T, block_bytes=block_bytes)
    assert_close(weighted, expected, 1e-10)


@numeric
def test_sparse_blocks_add_up_to_the_whole(kernel: Kernel) -> None:
    left, right = factors(2)
    found = kernel.gradient(as_sparse(X), as_sparse(Z), left, right, block_bytes=500)
    assert_close(found, kernel.gradient(X, Z, left, right), 1e-10)


@every
def test_moving_agrees_with_the_gradient_to_first_order(kernel: Kernel) -> None:
    left, right = factors(None)
    step = np.random.default_rng(5).normal(size=kernel.n_dims)
    forward, back = (left @ kernel.retract(t * step)(X, Z) @ right for t in (1e-5, -1e-5))
    slope = kernel.gradient(X, Z, left, right) @ step
    assert (forward - back) / 2e-5 == pytest.approx(slope, rel=1e-6, abs=1e-8)


@given(
    n=st.integers(0, 40), m=st.integers(0, 40), entry=st.integers(1, 64), size=st.integers(1, 9999)
)
@settings(deadline=None, max_examples=100)
def test_blocks_cover_the_matrix_once_within_their_size(n, m, entry, size) -> None:
    covered = np.zeros((n, m), dtype=int)
    for i, j in block_slices(n, m, entry, size):
        covered[i, j] += 1
        assert covered[i, j].size * entry <= max(size, entry)
    assert np.all(covered == 1)


def test_features_of_sparse_rows_are_contracted_a_few_at_a_time() -> None:
    weights = np.random.default_rng(6).normal(size=(len(X), len(Z)))
    expected = np.diagonal(X.T @ weights @ Z)
    for block_bytes in (1, 150, 10**6):
        found = cross_moment_diagonal(as_sparse(X), weights, as_sparse(Z), block_bytes)
        np.testing.assert_allclose(found, expected, atol=1e-12)


@pytest.mark.parametrize("gamma", [2.0, WIDTHS, METRIC])
def test_gradient_far_from_the_origin(gamma) -> None:
    kernel, left = Gaussian(gamma), np.arange(1.0, len(X) + 1)
    near = kernel.gradient(X, None, left, left)
    assert_close(kernel.gradient(X + 1e5, None, left, left), near, 1e-8)
    np.testing.assert_allclose(kernel(X + 1e5, Z + 1e5), kernel(X, Z), rtol=1e-8)


def test_gradient_of_a_product_with_stored_values() -> None:
    stored = Laplacian(0.5)(X)
    kernel = Normalized(Scaled(Precomputed(), 2.0) + 1.0)
    left = np.arange(1.0, len(X) + 1)
    expected = finite_difference(kernel, lambda k: left @ k(stored) @ left)
    assert_close(kernel.gradient(stored, None, left, left, block_bytes=1), expected)


def test_no_rows_give_a_zero_gradient() -> None:
    kernel = Gaussian(WIDTHS)
    np.testing.assert_array_equal(kernel.gradient(X[:0], Z, [], np.ones(len(Z))), np.zeros(4))
    assert kernel(X[:0], Z).shape == (0, len(Z))


def test_normalized_gradient_where_a_value_is_zero() -> None:
    kernel = Normalized(Polynomial(degree=2, gamma=0.5, coef0=0.25))
    # gamma x'z + coef0 = 0 for the first pair.
    pair, weights = np.array([[1.0, 0.0], [-0.5, 1.0]]), np.array([[0.0, 1.0], [0.3, 0.2]])
    assert kernel(pair)[0, 1] == 0
    expected = finite_difference(kernel, lambda k: np.sum(weights * k(pair)))
    assert_close(kernel.gradient_weighted(pair, None, weights), expected)


def test_normalized_gradient_with_rows_without_length() -> None:
    data = np.vstack([X, np.zeros((2, 4))])
    kernel = Normalized(Polynomial(degree=2, gamma=0.5) + Scaled(Polynomial(degree=1), 2.0))
    left = np.arange(1.0, len(data) + 1)
    expected = finite_difference(kernel, lambda k: left @ k(data) @ left)
    assert_close(kernel.gradient(data, None, left, left), expected)


@pytest.mark.parametrize(
    ("left", "right", "message"),
    [
        (np.ones(8), np.ones(7), r"left must have shape \(9,\)"),
        (np.ones(9), np.ones((7, 2, 2)), r"right must have shape \(7,\)"),
        (np.ones((9, 2)), np.ones((7, 3)), "as many columns"),
    ],
)
def test_factors_of_the_wrong_shape_are_refused(left, right, message) -> None:
    with pytest.raises(ValueError, match=message):
        Gaussian().gradient(X, Z, left, right)


def test_weights_of_the_wrong_shape_are_refused() -> None:
    with pytest.raises(ValueError, match=r"weights must have shape \(9, 7\)"):
        Gaussian().gradient_weighted(X, Z, np.ones((7, 9)))
    with pytest.raises(ValueError, match=r"weights must have shape \(9,\)"):
        Gaussian().diag_gradient(X, np.ones(3))


@every
@pytest.mark.parametrize("block_bytes", [1, 500, 3000, 10**6])
def test_one_set_of_rows_takes_any_weights(kernel: Kernel, block_bytes: int) -> None:
    left, right = np.random.default_rng(7).normal(size=(2, len(X), 3))
    expected = kernel.gradient(X, X.copy(), left, right)
    assert_close(kernel.gradient(X, None, left, right, block_bytes=block_bytes), expected, 1e-10)
    found = kernel.gradient_weighted(X, None, left @ right.T, block_bytes=block_bytes)
    assert_close(found, expected, 1e-10)


@given(n=st.integers(0, 40), entry=st.integers(1, 64), size=st.integers(1, 9999))
@settings(deadline=None, max_examples=100)
def test_blocks_of_a_triangle_and_their_mirrors_cover_it_once(n, entry, size) -> None:
    covered = np.zeros((n, n), dtype=int)
    for i, j in triangle_slices(n, entry, size):
        covered[i, j] += 1
        if i != j:
            covered[j, i] += 1
        assert covered[i, j].size * entry <= max(size, entry)
    assert np.all(covered == 1)
