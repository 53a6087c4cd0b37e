"""Kernel expansions: what a fitted machine predicts with."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import sparse

from kernels.kernel_cases import ALL, NUMERIC, rows
from mercer.gram.expansion import Expansion
from mercer.kernels import FunctionKernel, Gaussian, Linear, Normalized, Precomputed

TOLERANCE = {"single": 1e-6, "double": 1e-12}
both_precisions = pytest.mark.parametrize("precision", ["single", "double"])

BASIS, NEW = rows(29, seed=1), rows(41, seed=2)
WEIGHTS = np.random.default_rng(3).uniform(-1, 1, (29, 3))


def assert_close(actual: NDArray[Any], expected: NDArray[Any], tolerance: float = 1e-12) -> None:
    atol = tolerance * len(BASIS) * np.abs(expected).max(initial=1.0)
    np.testing.assert_allclose(actual, expected, rtol=0, atol=atol)


@both_precisions
@pytest.mark.parametrize("name", ALL)
def test_values_are_sums_of_kernel_values(name: str, precision: Any) -> None:
    values = Expansion(ALL[name], BASIS, WEIGHTS, precision=precision).evaluate(NEW)
    assert values.shape == (1, len(NEW), 3)
    assert_close(values[0], ALL[name](NEW, BASIS) @ WEIGHTS, TOLERANCE[precision])


@both_precisions
@pytest.mark.parametrize("name", NUMERIC)
def test_dense_and_sparse_rows_mix(name: str, precision: Any) -> None:
    expected = NUMERIC[name](NEW, BASIS) @ WEIGHTS
    for basis in (BASIS, sparse.csr_array(BASIS)):
        expansion = Expansion(NUMERIC[name], basis, WEIGHTS, precision=precision)
        dense, other = expansion.evaluate(NEW), expansion.evaluate(sparse.csr_matrix(NEW))
        np.testing.assert_array_equal(dense, other)
        assert_close(dense[0], expected, TOLERANCE[precision])


@settings(max_examples=40)
@given(
    name=st.sampled_from(sorted(NUMERIC)),
    precision=st.sampled_from(["single", "double"]),
    is_sparse=st.booleans(),
    batch=st.lists(st.integers(0, 40), min_size=1, max_size=50),
)
def test_a_value_does_not_depend_on_the_batch(
    name: str, precision: Any, is_sparse: bool, batch: list[int]
) -> None:
    store = sparse.csr_array if is_sparse else np.asarray
    expansion = Expansion(NUMERIC[name], store(BASIS), WEIGHTS, precision=precision)
    whole = expansion.evaluate(store(NEW))
    np.testing.assert_array_equal(expansion.evaluate(store(NEW[batch])), whole[:, batch])
    alone = expansion.evaluate(store(NEW[batch[:1]]))
    np.testing.assert_array_equal(alone, whole[:, batch[:1]])


@both_precisions
@pytest.mark.parametrize("n_threads", [2, 3, 8])
def test_values_do_not_depend_on_threads(n_threads: int, precision: Any) -> None:
    X = np.random.default_rng(0).normal(size=(3000, 4))
    for kernel in (Gaussian(0.3), NUMERIC["nested"]):
        alone, many = (
            Expansion(kernel, BASIS, WEIGHTS, precision=precision, n_threads=count).evaluate(X)
            for count in (1, n_threads)
        )
        np.testing.assert_array_equal(alone, many)


@both_precisions
@pytest.mark.parametrize("n", [8191, 8192, 8193, 16385])
def test_large_batches_are_cut_without_a_trace(n: int, precision: Any) -> None:
    X = np.linspace(-3, 3, n)[:, None]
    expansion = Expansion(Gaussian(0.5), BASIS[:, :1], WEIGHTS, precision=precision)
    values = expansion.evaluate(X)
    edge = slice(8189, 8195)
    np.testing.assert_array_equal(values[:, edge], expansion.evaluate(X[edge]))
    assert_close(values[0], Gaussian(0.5)(X, BASIS[:, :1]) @ WEIGHTS, TOLERANCE[precision])


@both_precisions
@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("kernel", [Gaussian(0.5), Linear() + Gaussian(0.5)])
def test_many_rows_are_summed_in_one_order(kernel: Any, store: Any, precision: Any) -> None:
    """Rows at the edge of a batch were summed apart from 1,000 support vectors on."""
    rng = np.random.default_rng(0)
    basis, weights = rng.normal(size=(9000, 2)), rng.normal(size=(9000, 1))
    X = rng.normal(size=(20, 2))
    expansion = Expansion(kernel, store(basis), weights, precision=precision)
    values = expansion.evaluate(store(X))
    for i in range(20):
        np.testing.assert_array_equal(expansion.evaluate(store(X[[i]])), values[:, [i]])
    scale = np.abs(weights).sum() * np.abs(kernel(X)).max()
    expected = kernel(X, basis) @ weights
    np.testing.assert_allclose(values[0], expected, rtol=0, atol=TOLERANCE[precision] * scale)


@both_precisions
def test_parts_add_up(precision: Any) -> None:
    cuts = [0, 4, 4, 20, 29]
    parts = Expansion(Gaussian(0.3), BASIS, WEIGHTS, parts=cuts, precision=precision).evaluate(NEW)
    assert parts.shape == (4, len(NEW), 3)
    for k, (a, b) in enumerate(pairwise(cuts)):
        expected = Gaussian(0.3)(NEW, BASIS[a:b]) @ WEIGHTS[a:b]
        assert_close(parts[k], expected, TOLERANCE[precision])


@both_precisions
@pytest.mark.parametrize("order", ["C", "F"])
def test_precomputed_kernels_name_their_columns(order: Any, precision: Any) -> None:
    columns = np.array([3, 0, 17, 28])
    cross = np.asarray(NEW @ BASIS.T, order=order)
    for kernel in (Precomputed(), 2.0 * Precomputed() + 1.0):
        expansion = Expansion(kernel, columns, WEIGHTS[:4], precision=precision)
        expected = kernel(cross, BASIS @ BASIS.T)[:, columns] @ WEIGHTS[:4]
        assert_close(expansion.evaluate(cross)[0], expected, TOLERANCE[precision])


def test_functions_of_words() -> None:
    kernel = FunctionKernel(lambda a, b: [[float(len(set(x) & set(z))) for z in b] for x in a])
    words, new = ["apple", "pear", "plum", "fig"], ["grape", "lime"]
    values = Expansion(kernel, words, WEIGHTS[:4]).evaluate(new)
    assert_close(values[0], kernel(new, words) @ WEIGHTS[:4])


def test_functions_are_asked_for_new_rows_against_known_ones() -> None:
    """A function need not be symmetric in form: scikit-learn calls it with the new rows first."""
    kernel = FunctionKernel(lambda a, b: np.full((len(a), len(b)), 10.0 * len(a) + len(b)))
    values = Expansion(kernel, BASIS, np.ones((29, 1))).evaluate(NEW[:2])
    np.testing.assert_array_equal(values, np.full((1, 2, 1), 29 * (20.0 + 29.0)))


def test_no_rows_to_evaluate() -> None:
    for store in (np.asarray, sparse.csr_array):
        values = Expansion(Gaussian(0.3), store(BASIS), WEIGHTS).evaluate(store(NEW[:0]))
        assert values.shape == (1, 0, 3)


@pytest.mark.parametrize("X", [NEW[:, :3], np.hstack([NEW, NEW]), sparse.csr_array(NEW[:, :2])])
@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("kernel", [Linear(), Gaussian(0.3), Gaussian([0.1, 0.2, 0.3, 0.4])])
def test_rows_with_other_features_are_refused(kernel: Any, store: Any, X: Any) -> None:
    """They were read past their end."""
    expansion = Expansion(kernel, store(BASIS), WEIGHTS)
    with pytest.raises(ValueError, match="features"):
        expansion.evaluate(X)


@pytest.mark.parametrize("weights", [np.ones(29), np.ones((28, 1)), np.ones((29, 1, 1))])
def test_weights_must_fit_the_rows(weights: Any) -> None:
    with pytest.raises(ValueError, match=r"weights must have shape \(29, n_functions\), got"):
        Expansion(Linear(), BASIS, weights)


def test_columns_out_of_range_are_refused() -> None:
    with pytest.raises(IndexError):
        Expansion(Precomputed(), [0, 29], np.ones((2, 1))).evaluate(np.ones((3, 29)))


def test_a_normalized_precomputed_kernel_cannot_predict() -> None:
    """Without the diagonal of the new rows all its values were zero."""
    expansion = Expansion(Normalized(Precomputed()), [0, 1], np.ones((2, 1)))
    with pytest.raises(ValueError, match="known for the training rows only"):
        expansion.evaluate(np.ones((3, 2)))
