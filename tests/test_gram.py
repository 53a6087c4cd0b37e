"""A Gram gives the values of its kernel, whatever the rows are stored in."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import sparse

from kernels.kernel_cases import ALL, NUMERIC, rows
from mercer import Gram, certify
from mercer.formulations import svc
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
from mercer.solvers import solve_many

TOLERANCE = {"single": 1e-6, "double": 1e-12}
PRECISIONS = ("single", "double")
SOME: dict[str, Kernel] = {
    "linear": Linear(),
    "polynomial": Polynomial(degree=2, gamma=0.1, coef0=1.0),
    "gaussian": Gaussian(0.1),
    "laplacian": Laplacian(0.1),
    "normalized sum": Normalized(Linear() + Gaussian(0.3)),
}
some_kernels = pytest.mark.parametrize("kernel", SOME.values(), ids=SOME)
both_precisions = pytest.mark.parametrize("precision", PRECISIONS)


def assert_close(actual: NDArray[Any], expected: NDArray[Any], tolerance: float) -> None:
    """Equal up to rounding of values of this size."""
    atol = tolerance * np.abs(expected).max(initial=1.0)
    np.testing.assert_allclose(actual, expected, rtol=0, atol=atol)


def assert_gives(gram: Gram, K: NDArray[np.float64], seed: int = 0) -> None:
    """All four verbs give the matrix K."""
    rng, n, tolerance = np.random.default_rng(seed), len(K), TOLERANCE[gram.precision]
    assert_close(gram.diagonal(), np.diagonal(K), tolerance)
    for i in {0, n // 2, n - 1}:
        assert_close(gram.row(i), K[i], tolerance)
    left, right = rng.integers(0, n, 5), rng.integers(0, n, n + 3)
    assert_close(gram.block(left, right), K[np.ix_(left, right)], tolerance)
    columns, weights = rng.integers(0, n, 7), rng.uniform(-1, 1, (7, 3))
    assert_close(gram.product(columns, weights), K[:, columns] @ weights, 10 * tolerance)
    ones = np.ones(n)
    assert_close(gram.product(None, ones), K @ ones, tolerance)


@both_precisions
@pytest.mark.parametrize("name", ALL)
def test_values_are_those_of_the_kernel(name: str, precision: Any) -> None:
    X = rows(37, seed=1)
    assert_gives(Gram(ALL[name], X, precision=precision), ALL[name](X))


@both_precisions
@pytest.mark.parametrize("name", NUMERIC)
def test_values_of_sparse_rows_are_those_of_the_kernel(name: str, precision: Any) -> None:
    X = rows(37, seed=1)
    gram = Gram(NUMERIC[name], sparse.csr_array(X), precision=precision)
    assert_gives(gram, NUMERIC[name](X))


@both_precisions
@pytest.mark.parametrize("degree", range(5))
def test_polynomials_of_every_degree(degree: int, precision: Any) -> None:
    X = rows(30, seed=2)
    for coef0 in (-0.5, 0.0, 1.0):
        kernel = Polynomial(degree=degree, gamma=0.3, coef0=coef0)
        assert_gives(Gram(kernel, X, precision=precision), kernel(X))


# How dense rows may be stored. Whole numbers of one byte fit all of them.
LAYOUTS: dict[str, Callable[[NDArray[Any]], Any]] = {
    "float32": lambda X: X.astype(np.float32),
    "float64": lambda X: X.astype(np.float64),
    "float16": lambda X: X.astype(np.float16),
    "uint8": lambda X: X.astype(np.uint8),
    "int8": lambda X: X.astype(np.int8),
    "int64": lambda X: X.astype(np.int64),
    "bool": lambda X: X > 2,
    "big endian": lambda X: X.astype(">f8"),
    "fortran order": np.asfortranarray,
    "every other row": lambda X: np.repeat(X, 2, axis=0)[::2],
    "some columns": lambda X: np.hstack([X, X])[:, : X.shape[1]],
    "backwards": lambda X: X[::-1, ::-1],
    "list of lists": lambda X: X.tolist(),
}


@both_precisions
@some_kernels
@pytest.mark.parametrize("layout", LAYOUTS)
def test_dense_layouts(layout: str, kernel: Kernel, precision: Any) -> None:
    X = LAYOUTS[layout](np.random.default_rng(0).integers(0, 6, (23, 5)).astype(float))
    assert_gives(Gram(kernel, X, precision=precision), kernel(np.asarray(X, dtype=float)))


@both_precisions
@some_kernels
def test_read_only_memory_map(kernel: Kernel, precision: Any, tmp_path: Path) -> None:
    X = rows(23, seed=3)
    np.save(tmp_path / "rows.npy", X)
    mapped = np.load(tmp_path / "rows.npy", mmap_mode="r")
    assert_gives(Gram(kernel, mapped, precision=precision), kernel(X))


def with_index_type(matrix: Any, dtype: type) -> Any:
    matrix = matrix.copy()
    matrix.indices, matrix.indptr = matrix.indices.astype(dtype), matrix.indptr.astype(dtype)
    return matrix


def shuffled_indices(matrix: Any) -> Any:
    """The same matrix, the entries of each row in descending order of columns."""
    matrix = matrix.copy()
    for a, b in zip(matrix.indptr[:-1], matrix.indptr[1:], strict=True):
        matrix.indices[a:b], matrix.data[a:b] = matrix.indices[a:b][::-1], matrix.data[a:b][::-1]
    matrix.has_sorted_indices = False
    return matrix


def with_duplicates(matrix: Any) -> Any:
    """Every entry written as three that add up to it."""
    shares = np.outer(matrix.data, [1.0, -1.0, 1.0]).ravel()
    parts = (shares, np.repeat(matrix.indices, 3), 3 * matrix.indptr)
    return type(matrix)(parts, shape=matrix.shape)


SPARSE_LAYOUTS: dict[str, Callable[[Any], Any]] = {
    "csr array": sparse.csr_array,
    "csr matrix": sparse.csr_matrix,
    "csc": lambda X: sparse.csc_array(X),
    "coo": lambda X: sparse.coo_array(X),
    "64-bit indices": lambda X: with_index_type(sparse.csr_array(X), np.int64),
    "unsorted": lambda X: shuffled_indices(sparse.csr_array(X)),
    "duplicate entries": lambda X: with_duplicates(sparse.csr_array(X)),
    "float32": lambda X: sparse.csr_array(X.astype(np.float32)),
    "int32": lambda X: sparse.csr_array(X.astype(np.int32)),
    "explicit zeros": lambda X: sparse.csr_array(X + 9) - sparse.csr_array(np.full(X.shape, 9.0)),
    "no entries": lambda X: sparse.csr_array(np.zeros_like(X)),
}


@both_precisions
@some_kernels
@pytest.mark.parametrize("layout", SPARSE_LAYOUTS)
def test_sparse_layouts(layout: str, kernel: Kernel, precision: Any) -> None:
    rng = np.random.default_rng(0)
    dense = rng.integers(-3, 4, (23, 9)) * (rng.random((23, 9)) < 0.4) * 1.0
    dense[[0, 7, 8, 22]] = 0.0
    X = SPARSE_LAYOUTS[layout](dense)
    before = X.copy()
    assert_gives(Gram(kernel, X, precision=precision), kernel(X.toarray()))
    for field in {"data", "indices", "indptr"} & set(vars(X)):
        np.testing.assert_array_equal(getattr(X, field), getattr(before, field))


@settings(max_examples=60)
@given(
    name=st.sampled_from(sorted(SOME)),
    n=st.integers(1, 40),
    n_features=st.integers(0, 9),
    precision=st.sampled_from(PRECISIONS),
    is_sparse=st.booleans(),
    seed=st.integers(0, 2**32 - 1),
)
def test_sizes_around_the_width_of_a_panel(
    name: str, n: int, n_features: int, precision: Any, is_sparse: bool, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, n_features)).round(1) * rng.integers(0, 2, (n, n_features))
    gram = Gram(SOME[name], sparse.csr_array(X) if is_sparse else X, precision=precision)
    assert_gives(gram, SOME[name](X), seed)


@both_precisions
@pytest.mark.parametrize("layout", ["float32", "float64", "int64", "fortran order", "backwards"])
def test_stored_matrix(layout: str, precision: Any) -> None:
    X = np.random.default_rng(0).integers(-5, 5, (23, 4)).astype(float)
    K = LAYOUTS[layout](X @ X.T)
    for kernel in (Precomputed(), 2.0 * Precomputed() + 1.0, Normalized(Precomputed())):
        expected = kernel(np.asarray(K, dtype=float))
        assert_gives(Gram(kernel, K, precision=precision), expected)


def common_letters(left: list[str], right: list[str]) -> NDArray[np.float64]:
    """How many letters of the alphabet two words have in common."""
    return np.array([[float(len(set(x) & set(z))) for z in right] for x in left])


@both_precisions
def test_function_of_words(precision: Any) -> None:
    rng = np.random.default_rng(0)
    words = ["".join(rng.choice(list("abcdefgh"), rng.integers(1, 7))) for _ in range(45)]
    for kernel in (FunctionKernel(common_letters), Normalized(FunctionKernel(common_letters))):
        assert_gives(Gram(kernel, words, precision=precision), kernel(words))


def test_precision_follows_the_number_of_rows() -> None:
    small, large = np.zeros((2999, 1)), np.zeros((3000, 1))
    assert Gram(Linear(), small).precision == "double"
    assert Gram(Linear(), large).precision == "single"
    assert Gram(Linear(), small).row(0).dtype == np.float64
    assert Gram(Linear(), large).row(0).dtype == np.float32


def test_distances_far_from_the_origin_keep_their_digits() -> None:
    X = np.random.default_rng(0).normal(size=(50, 4))
    for kernel in (Gaussian(0.3), Gaussian([0.3, 0.1, 0.2, 0.4]), Gaussian(np.eye(4))):
        gram = Gram(kernel, X + 1e5, precision="single")
        assert_gives(gram, kernel((X + 1e5) - X.mean(axis=0) - 1e5))


def test_product_in_another_precision() -> None:
    X = rows(30, seed=4)
    gram = Gram(Gaussian(0.3), X, precision="single")
    product = gram.product(None, np.ones(30), precision="double")
    assert_close(product, Gaussian(0.3)(X).sum(axis=1), 1e-12)


def test_no_rows_and_no_features() -> None:
    for kernel in (Gaussian(1.0), Sigmoid(1.0)):
        gram = Gram(kernel, np.zeros((0, 3)))
        assert gram.diagonal().shape == gram.product(None, np.zeros(0)).shape == (0,)
        assert gram.block([], []).shape == (0, 0)
    assert_gives(Gram(Gaussian(1.0), np.zeros((5, 0))), np.ones((5, 5)))


def test_values_that_single_precision_cannot_compute_are_stored_in_it() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    X[0] = 1e3  # so far out that single precision loses the distances of the others
    gram = Gram(Gaussian(5.0), X, n_threads=1)
    assert not gram.carries_single
    assert gram.fits_single
    index = np.arange(300)
    exact = gram.block(index, index, precision="double")
    assert np.array_equal(gram.block(index, index, precision="single"), exact.astype(np.float32))
    problem = svc(np.where(X[:, 0] > 0, 1.0, -1.0), 10.0).problem
    ((solution,),) = solve_many([[problem]], gram)
    assert certify(problem, gram, solution.coef).violation <= 1e-3
    huge = Gram(Linear(), 1e20 * X, n_threads=1)
    assert not huge.fits_single
