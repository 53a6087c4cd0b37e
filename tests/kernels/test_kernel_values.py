from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from kernel_cases import ALL, METRIC, N_FEATURES, NUMERIC, WIDTHS, as_sparse, rows
from scipy import sparse
from sklearn.gaussian_process import kernels as process
from sklearn.metrics import pairwise

from mercer.kernels import (
    Constant,
    Gaussian,
    Kernel,
    Laplacian,
    Linear,
    Normalized,
    Polynomial,
    Scaled,
    Sigmoid,
    SklearnKernel,
)
from sampling import some_of_each

X, Z = rows(9, 0), rows(7, 1)

every = pytest.mark.parametrize("kernel", ALL.values(), ids=ALL.keys())
numeric = pytest.mark.parametrize("kernel", NUMERIC.values(), ids=NUMERIC.keys())

# Small integers make equal rows, zero rows and ties likely.
integer_rows = arrays(
    np.float64,
    st.tuples(st.integers(1, 8), st.just(N_FEATURES)),
    elements=st.integers(-3, 3).map(float),
)


@every
def test_values_are_symmetric(kernel: Kernel) -> None:
    values = kernel(X)
    assert values.dtype == np.float64
    np.testing.assert_allclose(values, values.T, rtol=1e-13, atol=1e-13)
    np.testing.assert_allclose(kernel(X, Z), kernel(Z, X).T, rtol=1e-13, atol=1e-13)


@every
def test_diag_is_the_diagonal(kernel: Kernel) -> None:
    np.testing.assert_allclose(kernel.diag(X), np.diagonal(kernel(X)), rtol=1e-12)
    np.testing.assert_allclose(kernel.diag(X), np.diagonal(kernel(X, X.copy())), rtol=1e-12)


@every
@given(X=integer_rows)
@settings(deadline=None, max_examples=15)
def test_claims_hold_on_every_set_of_rows(kernel: Kernel, X: np.ndarray) -> None:
    values = kernel(X)
    np.testing.assert_allclose(kernel.diag(X), np.diagonal(values), rtol=1e-10, atol=1e-12)
    if kernel.is_positive_definite:
        lowest = np.linalg.eigvalsh((values + values.T) / 2)[0]
        assert lowest >= -1e-10 * max(1.0, np.trace(values))
    if kernel.is_normalized:
        np.testing.assert_array_equal(kernel.diag(X), np.ones(len(X)))


@pytest.mark.parametrize("name", ["sigmoid", "polynomial indefinite", "function indefinite"])
def test_indefinite_kernels_say_so(name: str) -> None:
    assert not ALL[name].is_positive_definite
    assert not (ALL[name] + Constant()).is_positive_definite
    assert not Scaled(ALL[name], 2.0).is_positive_definite


def test_normalized_kernels_say_so() -> None:
    assert Gaussian(METRIC).is_normalized
    assert (Gaussian() * Laplacian()).is_normalized
    assert Normalized(Linear()).is_normalized
    assert Scaled(Gaussian(), 1.0).is_normalized
    assert not Scaled(Gaussian(), 2.0).is_normalized
    assert not (Gaussian() + Gaussian()).is_normalized
    assert not Linear().is_normalized


BOTH_HELD = [
    (to_x, to_z)
    for to_x in (np.asarray, as_sparse, sparse.csc_matrix, sparse.lil_array)
    for to_z in (np.asarray, as_sparse, sparse.coo_matrix)
]


@pytest.mark.parametrize(("name", "held"), some_of_each(NUMERIC, BOTH_HELD, 2))
def test_sparse_rows_have_the_values_of_dense_rows(name: str, held) -> None:
    kernel, (to_x, to_z) = NUMERIC[name], held
    np.testing.assert_allclose(kernel(to_x(X), to_z(Z)), kernel(X, Z), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(kernel(to_x(X)), kernel(X), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(kernel.diag(to_x(X)), kernel.diag(X), rtol=1e-12)


@numeric
@pytest.mark.parametrize("dtype", [np.float32, np.uint8, np.int64, bool, object])
def test_any_number_type_is_computed_in_double(kernel: Kernel, dtype) -> None:
    data = np.abs(np.round(3 * X)).astype(dtype)
    expected = kernel(data.astype(np.float64))
    np.testing.assert_array_equal(kernel(data), expected)
    np.testing.assert_array_equal(kernel(data.tolist()), expected)


def test_sparse_rows_with_repeated_entries_are_summed_and_left_alone() -> None:
    data, columns, starts = [1.0, 2.0, 4.0], [1, 1, 0], [0, 2, 3]
    repeated = sparse.csr_matrix((data, columns, starts), shape=(2, 2))
    dense = np.array([[0.0, 3.0], [4.0, 0.0]])
    np.testing.assert_allclose(
        Polynomial(degree=2).diag(repeated), Polynomial(degree=2).diag(dense)
    )
    np.testing.assert_allclose(Gaussian(0.1)(repeated), Gaussian(0.1)(dense))
    assert repeated.nnz == 3


def test_wide_sparse_rows_of_the_laplacian_are_made_dense_in_blocks() -> None:
    wide = sparse.random_array((12, 10**6), density=1e-5, format="csr", rng=0)
    kernel, few = Laplacian(0.1), wide[:, np.unique(wide.indices)]
    np.testing.assert_allclose(kernel(wide), kernel(few.toarray()), rtol=1e-12)


@pytest.mark.parametrize(
    ("kernel", "peer"),
    [
        (Linear(), pairwise.linear_kernel),
        (Polynomial(4, 0.3, 0.5), lambda X, Z: pairwise.polynomial_kernel(X, Z, 4, 0.3, 0.5)),
        (Gaussian(0.3), lambda X, Z: pairwise.rbf_kernel(X, Z, 0.3)),
        (Laplacian(0.3), lambda X, Z: pairwise.laplacian_kernel(X, Z, 0.3)),
        (Sigmoid(0.3, 0.5), lambda X, Z: pairwise.sigmoid_kernel(X, Z, 0.3, 0.5)),
        (Normalized(Linear()), pairwise.cosine_similarity),
    ],
)
def test_values_agree_with_scikit_learn(kernel: Kernel, peer) -> None:
    np.testing.assert_allclose(kernel(X, Z), peer(X, Z), rtol=1e-12, atol=1e-14)


def test_process_kernels_keep_their_values() -> None:
    widths = 1 / np.sqrt(2 * np.asarray(WIDTHS))
    adapted = SklearnKernel(process.RBF(length_scale=widths))
    np.testing.assert_allclose(adapted(X, Z), Gaussian(WIDTHS)(X, Z), rtol=1e-12)
    np.testing.assert_allclose(adapted(X), process.RBF(length_scale=widths)(X), rtol=1e-15)
    np.testing.assert_allclose(adapted.diag(X), np.ones(len(X)))


def test_process_kernels_have_the_gradient_of_ours() -> None:
    # gamma = 1 / (2 length^2), so that log gamma moves by -2 times log length.
    widths = 1 / np.sqrt(2 * np.asarray(WIDTHS))
    adapted = SklearnKernel(process.RBF(length_scale=widths))
    left, right = np.arange(1.0, 10), np.arange(1.0, 8)
    ours = Gaussian(WIDTHS).gradient(X, Z, left, right)
    np.testing.assert_allclose(adapted.gradient(X, Z, left, right), -2 * ours, rtol=1e-9)


def test_sum_product_and_factor_laws() -> None:
    first, second = Gaussian(WIDTHS), Polynomial(2, 0.3, 1.0)
    a, b = first(X, Z), second(X, Z)
    np.testing.assert_allclose((first + second)(X, Z), a + b)
    np.testing.assert_allclose((first * second)(X, Z), a * b)
    np.testing.assert_allclose((3 * first)(X, Z), 3 * a)
    np.testing.assert_allclose((first * np.float64(3))(X, Z), 3 * a)
    np.testing.assert_allclose((np.float64(3) * first)(X, Z), 3 * a)
    np.testing.assert_allclose((first + 3)(X, Z), a + 3)
    np.testing.assert_allclose((3 + first)(X, Z), 3 + a)
    np.testing.assert_allclose((np.float64(3) + first)(X, Z), 3 + a)


def test_normalization_laws() -> None:
    kernel = Polynomial(2, 0.3, 1.0)
    lengths, others = np.sqrt(kernel.diag(X)), np.sqrt(kernel.diag(Z))
    expected = kernel(X, Z) / np.outer(lengths, others)
    np.testing.assert_allclose(Normalized(kernel)(X, Z), expected, rtol=1e-13)
    np.testing.assert_allclose(Normalized(5.0 * kernel)(X, Z), expected, rtol=1e-13)
    np.testing.assert_allclose(Normalized(Normalized(kernel))(X, Z), expected, rtol=1e-13)
    np.testing.assert_allclose(Normalized(Gaussian())(X, Z), Gaussian()(X, Z), rtol=1e-13)


def test_rows_without_length_share_a_direction_of_their_own() -> None:
    data = np.array([[0.0, 0.0], [1.0, 2.0], [0.0, 0.0]])
    expected = [[1.0, 0.0, 1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 1.0]]
    for some in (data, sparse.csr_array(data)):
        np.testing.assert_allclose(Normalized(Linear())(some), expected, rtol=1e-15)
        np.testing.assert_array_equal(Normalized(Linear()).diag(some), np.ones(3))


def test_normalizing_a_negative_diagonal_is_refused() -> None:
    with pytest.raises(ValueError, match=r"k\(x, x\) >= 0"):
        Normalized(Sigmoid(1.0, -5.0))(X)


def test_gaussian_of_one_width_in_every_metric() -> None:
    expected = Gaussian(0.4)(X, Z)
    for metric in ("radial", "diagonal", "full"):
        kernel = Gaussian(0.4, metric=metric)
        np.testing.assert_allclose(kernel(X, Z), expected, rtol=1e-12)
        np.testing.assert_allclose(kernel.resolve(X)(X, Z), expected, rtol=1e-12)


def test_full_metric_is_the_quadratic_form() -> None:
    apart = X[:, None] - Z
    expected = np.exp(-np.einsum("ijk,kl,ijl->ij", apart, METRIC, apart))
    np.testing.assert_allclose(Gaussian(METRIC)(X, Z), expected, rtol=1e-12)


@numeric
def test_values_do_not_change_the_rows(kernel: Kernel) -> None:
    data, other = X.copy(), as_sparse(Z)
    kernel(data, other)
    kernel.gradient(data, other, np.ones(len(X)), np.ones(len(Z)))
    np.testing.assert_array_equal(data, X)
    np.testing.assert_array_equal(other.toarray(), Z)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (np.ones(3), r"X must be two-dimensional .* got shape \(3,\)"),
        (np.ones((2, 2), dtype=complex), "X must be rows of real numbers"),
        (sparse.csr_array(np.ones((2, 2), dtype=complex)), "X must be rows of real numbers"),
        ([["a", "b"]], "X must be rows of real numbers"),
    ],
)
def test_rows_that_are_no_numbers_are_refused(data, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Gaussian()(data)


def test_unequal_numbers_of_features_are_refused() -> None:
    with pytest.raises(ValueError, match=r"as many features as each other, got 4 and 2"):
        Linear()(X, Z[:, :2])
    for gamma in (WIDTHS, METRIC):
        with pytest.raises(ValueError, match="gamma is for 4 features, but the rows have 2"):
            Gaussian(gamma)(X[:, :2])
