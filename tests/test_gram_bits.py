"""A kernel value is one number: the same bytes wherever and however it was computed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import sparse

from kernels.kernel_cases import METRIC, NUMERIC, WIDTHS, rows
from mercer import Gram
from mercer.kernels import (
    FunctionKernel,
    Gaussian,
    Kernel,
    Laplacian,
    Linear,
    Normalized,
    Polynomial,
    Precomputed,
    Sigmoid,
)

PRECISIONS = ("single", "double")
both_precisions = pytest.mark.parametrize("precision", PRECISIONS)
dense_and_sparse = pytest.mark.parametrize("store", [np.asarray, sparse.csr_array])
all_kernels = pytest.mark.parametrize("name", NUMERIC)

# Sums over features alone: nothing is gained by a shift.
PRODUCTS: dict[str, Kernel] = {
    "linear": Linear(),
    "polynomial": Polynomial(degree=3, gamma=0.4, coef0=0.7),
    "sigmoid": Sigmoid(0.3, -0.2),
    "normalized": Normalized(Polynomial(degree=2, gamma=0.4, coef0=0.7)),
    "product": Linear() * Polynomial(degree=2) + 0.3,
}


def full(gram: Gram) -> NDArray[Any]:
    every = np.arange(gram.n_rows)
    return gram.block(every, every)


def rows_as(X: NDArray[np.float64], precision: str) -> NDArray[np.float64]:
    """The rows as the core keeps them."""
    return X.astype(np.float32 if precision == "single" else np.float64).astype(np.float64)


def assert_same(actual: NDArray[Any], expected: NDArray[Any]) -> None:
    np.testing.assert_array_equal(actual, expected, strict=True)


@both_precisions
@dense_and_sparse
@all_kernels
def test_rows_blocks_and_products_are_the_same_bytes(name: str, store: Any, precision: Any) -> None:
    X = rows(43, seed=1)
    gram = Gram(NUMERIC[name], store(X), precision=precision)
    K = full(gram)
    for i in range(len(X)):
        assert_same(gram.row(i), K[i])
        assert_same(gram.block([i], [i]), K[[i]][:, [i]])
    if name == "linear":  # products go through the features, in double precision
        exact = rows_as(X, precision) @ rows_as(X, precision).T
        np.testing.assert_allclose(gram.product(None, np.eye(len(X))), exact, rtol=0, atol=1e-13)
        return
    assert_same(gram.product(None, np.eye(len(X))), K.T.astype(np.float64))
    assert_same(gram.product([7], [1.0]), K[7].astype(np.float64))


@both_precisions
@dense_and_sparse
@all_kernels
def test_the_matrix_is_symmetric(name: str, store: Any, precision: Any) -> None:
    K = full(Gram(NUMERIC[name], store(rows(43, seed=2)), precision=precision))
    assert_same(K, np.ascontiguousarray(K.T))


@both_precisions
@dense_and_sparse
@all_kernels
def test_the_diagonal_is_that_of_the_matrix(name: str, store: Any, precision: Any) -> None:
    gram = Gram(NUMERIC[name], store(rows(43, seed=3)), precision=precision)
    diagonal = np.diagonal(full(gram)).astype(np.float64)
    if "normalized" in name or name == "nested":
        # k / sqrt(k k) rounds; the diagonal itself is exactly 1
        np.testing.assert_allclose(gram.diagonal(), diagonal, rtol=1e-15)
    else:
        assert_same(gram.diagonal(), diagonal)


@both_precisions
def test_the_diagonal_of_given_values_is_rounded_as_they_are(precision: Any) -> None:
    X = rows(20, seed=4)
    overlap = FunctionKernel(lambda a, b: np.minimum(a[:, None], b).sum(axis=2))
    for gram in (
        Gram(Precomputed(), X @ X.T, precision=precision),
        Gram(overlap, X, precision=precision),
    ):
        assert_same(gram.diagonal(), np.diagonal(full(gram)).astype(np.float64))


@both_precisions
@dense_and_sparse
@pytest.mark.parametrize(
    "kernel", [Gaussian(0.7), Gaussian(WIDTHS), Gaussian(METRIC), Laplacian(0.7)]
)
def test_copies_of_a_row_have_value_one(kernel: Kernel, store: Any, precision: Any) -> None:
    X = np.repeat(rows(15, seed=5) * 10, 3, axis=0)
    K = full(Gram(kernel, store(X), precision=precision))
    for i in range(0, len(X), 3):
        assert_same(K[i : i + 3, i : i + 3], np.ones((3, 3), K.dtype))


@both_precisions
@pytest.mark.parametrize("name", PRODUCTS)
def test_dense_and_sparse_rows_give_the_same_bytes(name: str, precision: Any) -> None:
    X = rows(43, seed=6)
    dense = Gram(PRODUCTS[name], X, precision=precision)
    assert_same(full(dense), full(Gram(PRODUCTS[name], sparse.csr_array(X), precision=precision)))


@both_precisions
def test_centred_dense_and_sparse_rows_give_the_same_bytes(precision: Any) -> None:
    """Dense rows are moved to their mean; here it is exactly zero."""
    half = np.random.default_rng(0).integers(-4, 5, (20, 5)) / 4
    X = np.vstack([half, -half])
    for kernel in (Gaussian(0.3), Gaussian([0.1, 0.2, 0.3, 0.4, 0.5])):
        dense, other = (
            Gram(kernel, rows, precision=precision) for rows in (X, sparse.csr_array(X))
        )
        assert_same(full(dense), full(other))


@settings(max_examples=40)
@given(
    name=st.sampled_from(sorted(NUMERIC)),
    precision=st.sampled_from(PRECISIONS),
    is_sparse=st.booleans(),
    left=st.lists(st.integers(0, 36), max_size=30),
    right=st.lists(st.integers(0, 36), max_size=60),
)
def test_a_value_does_not_depend_on_its_place_in_a_block(
    name: str, precision: Any, is_sparse: bool, left: list[int], right: list[int]
) -> None:
    X = rows(37, seed=7)
    gram = Gram(NUMERIC[name], sparse.csr_array(X) if is_sparse else X, precision=precision)
    assert_same(gram.block(left, right), full(gram)[np.ix_(left, right)])


@both_precisions
def test_blocks_may_have_more_columns_than_the_matrix(precision: Any) -> None:
    """Columns repeated in a block of given values were written past their end."""
    X = rows(9, seed=8)
    columns = np.arange(100) % 9
    function = FunctionKernel(lambda a, b: a @ b.T)
    for gram in (Gram(Precomputed(), X @ X.T, precision=precision), Gram(function, X)):
        block = gram.block([0, 5], columns)
        np.testing.assert_allclose(block, (X @ X.T)[[0, 5]][:, columns], rtol=1e-6, atol=1e-6)


@settings(max_examples=40)
@given(
    cuts=st.lists(st.integers(0, 37), max_size=8),
    precision=st.sampled_from(PRECISIONS),
    is_sparse=st.booleans(),
    name=st.sampled_from(["gaussian radial", "polynomial", "nested"]),
)
def test_segments_do_not_change_rows(
    cuts: list[int], precision: Any, is_sparse: bool, name: str
) -> None:
    X = rows(37, seed=9)
    X = sparse.csr_array(X) if is_sparse else X
    segments = [0, *sorted(cuts), 37]
    cut = Gram(NUMERIC[name], X, precision=precision, segments=segments)
    K = full(Gram(NUMERIC[name], X, precision=precision))
    for i in (0, 17, 36, 17):
        assert_same(cut.row(i), K[i])


@pytest.mark.parametrize("precision", ["single", "double"])
@pytest.mark.parametrize("offset", [0.0, 1e5, 1e7])
def test_rows_far_from_the_origin_keep_their_distances(precision: Any, offset: float) -> None:
    X = np.random.default_rng(0).normal(size=(50, 4)) + offset
    every = np.arange(50)
    block = Gram(Gaussian(0.3), X, precision=precision).block(every, every)
    np.testing.assert_allclose(block, Gaussian(0.3)(X - offset), atol=1e-6)
