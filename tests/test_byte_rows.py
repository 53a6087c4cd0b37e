"""Rows of bytes stay bytes: inner products are exact, and kernels of them nearly so."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import psutil
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import sparse

from mercer import SVC, SVR, Gram, _core, solve
from mercer.formulations import svc
from mercer.gram.expansion import Expansion
from mercer.gram.native import RowSet, fixed_rows
from mercer.kernels import Gaussian, Kernel, Laplacian, Linear, Polynomial, Sigmoid

TYPES = (np.uint8, np.int8)
KERNELS: dict[str, Kernel] = {
    "linear": Linear(),
    "polynomial": Polynomial(degree=3, gamma=1e-4, coef0=0.5),
    "gaussian": Gaussian(1e-4),
    "sigmoid": Sigmoid(gamma=1e-6, coef0=0.1),
    "sum": Gaussian(1e-4) + Linear() * 1e-3,
}
SHAPES = ((1, 1), (3, 2), (17, 5), (70, 33), (40, 784))
ROUNDING = {"single": 4e-7, "double": 4e-15}


def rows(dtype: Any, n: int, d: int, seed: int = 0) -> NDArray[Any]:
    """All bytes there are, the extreme ones often, and copies."""
    rng, ends = np.random.default_rng(seed), np.iinfo(dtype)
    X = rng.integers(ends.min, ends.max, (n, d), dtype=dtype, endpoint=True)
    X[rng.random((n, d)) < 0.2] = ends.min
    X[rng.random((n, d)) < 0.2] = ends.max
    X[n // 2 :] = X[: n - n // 2]
    return X


def is_packed_as_bytes(gram: Gram) -> bool:
    return fixed_rows(gram._rows, "single", gram.kernel.form()).byte_type is not None


def check_inner_products() -> None:
    """Against sums of 64-bit integers, in blocks and row by row."""
    for dtype in TYPES:
        for n, d in SHAPES:
            X = rows(dtype, n, d)
            exact = X.astype(np.int64) @ X.astype(np.int64).T
            for precision in ("single", "double"):
                gram = Gram(Linear(), X, precision=precision)
                block = gram.block(np.arange(n), np.arange(n))
                assert is_packed_as_bytes(gram)
                np.testing.assert_array_equal(block, exact.astype(block.dtype))
                for i in (0, n - 1):
                    np.testing.assert_array_equal(gram.row(i), block[i])
                    np.testing.assert_array_equal(gram.block([i], range(n))[0], block[i])


def check_kernels() -> None:
    """Against the float64 definition: values, sums of them, and the diagonal."""
    for name, kernel in KERNELS.items():
        for dtype in TYPES:
            X = rows(dtype, 50, 21)
            expected, weights = kernel(X.astype(np.float64)), np.linspace(-1, 2, 50)
            size = np.abs(expected).max()
            for precision, rounding in ROUNDING.items():
                gram = Gram(kernel, X, precision=precision)
                block = gram.block(np.arange(50), np.arange(50))
                np.testing.assert_allclose(block, expected, atol=10 * rounding * size, err_msg=name)
                np.testing.assert_allclose(gram.diagonal(), np.diagonal(block), rtol=0, atol=0)
                sums, total = gram.product(None, weights), 50 * size
                np.testing.assert_allclose(sums, expected @ weights, atol=10 * rounding * total)


@pytest.mark.parametrize("check", [check_inner_products, check_kernels])
def test_bytes_are_exact(check: Callable[[], None]) -> None:
    """On every instruction set: test_instruction_sets.py."""
    check()


@pytest.mark.parametrize("dtype", TYPES)
def test_the_largest_sums_fit(dtype: Any) -> None:
    """One feature more and the rows are packed as floats."""
    d, ends = _core.most_byte_features, np.iinfo(dtype)
    assert d * 255**2 < 2**31 <= (d + 1) * 255**2
    X = np.full((3, d), ends.max, dtype)
    X[1:] = ends.min
    exact = X.astype(np.int64) @ X.astype(np.int64).T
    np.testing.assert_array_equal(Gram(Linear(), X).block(range(3), range(3)), exact)
    distance = d * 255.0**2
    values = Gram(Gaussian(1.0 / distance), X).row(0)
    np.testing.assert_allclose(values, np.exp([0.0, -1.0, -1.0]), rtol=1e-14)
    wide = np.full((3, d + 1), ends.max, dtype)
    assert RowSet(X, "double").byte_type == dtype
    assert RowSet(wide, "double").byte_type is None
    np.testing.assert_allclose(Gram(Linear(), wide).row(0), (d + 1) * float(ends.max) ** 2)
    with pytest.raises(ValueError, match="at most 33025 features, got 33026"):
        _core.byte_rows(wide)


@settings(max_examples=30)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(1, 40),
    d=st.integers(1, 40),
    dtype=st.sampled_from(TYPES),
    name=st.sampled_from(sorted(KERNELS)),
    precision=st.sampled_from(sorted(ROUNDING)),
)
def test_values_do_not_depend_on_the_block(
    seed: int, n: int, d: int, dtype: Any, name: str, precision: Any
) -> None:
    """Bytes give what floats give, and a value is the same wherever it is computed."""
    X, rng = rows(dtype, n, d, seed), np.random.default_rng(seed)
    gram, whole = Gram(KERNELS[name], X, precision=precision), np.arange(n)
    values = gram.block(whole, whole)
    left, right = rng.integers(0, n, 9), rng.integers(0, n, 23)
    np.testing.assert_array_equal(gram.block(left, right), values[np.ix_(left, right)])
    np.testing.assert_array_equal(values, values.T)
    many = Gram(KERNELS[name], X, precision=precision, n_threads=3)
    w = rng.normal(size=(n, 2))
    np.testing.assert_array_equal(many.product(None, w), gram.product(None, w))
    floats = Gram(KERNELS[name], X.astype(np.float64), precision="double").block(whole, whole)
    np.testing.assert_allclose(values, floats, atol=1e-6 * max(np.abs(floats).max(), 1.0))


@pytest.mark.parametrize("dtype", TYPES)
def test_far_copies_are_at_no_distance(dtype: Any) -> None:
    """As integers distances do not drown in the norms."""
    X = np.full((6, 500), np.iinfo(dtype).max, dtype)
    X[1::2, 7] -= 1
    values = Gram(Gaussian(0.5), X, precision="single").block(range(6), range(6))
    expected = np.where(np.add.outer(np.arange(6), np.arange(6)) % 2, np.exp(-0.5), 1.0)
    np.testing.assert_allclose(values, expected, rtol=2e-7)
    assert (values[expected == 1.0] == 1.0).all()


@pytest.mark.parametrize("precision", ["single", "double"])
@pytest.mark.parametrize("name", KERNELS)
def test_expansions_take_bytes_and_floats(name: str, precision: Any) -> None:
    """Bytes against bytes, of the same sort or not, and against floats and sparse rows."""
    basis, X = rows(np.uint8, 31, 40), rows(np.uint8, 50, 40, 1) // 2
    weights = np.random.default_rng(0).normal(size=(31, 2))
    expansion = Expansion(KERNELS[name], basis, weights, precision=precision)
    expected = KERNELS[name](X.astype(float), basis.astype(float)) @ weights
    size = np.abs(expected).max()
    for store in (np.asarray, np.int8, np.float64, np.float32, sparse.csr_array):
        found = expansion.evaluate(X.astype(store) if isinstance(store, type) else store(X))[0]
        np.testing.assert_allclose(found, expected, atol=40 * ROUNDING[precision] * size)


def test_laplacian_and_transformed_rows_are_packed_as_floats() -> None:
    X = rows(np.int8, 30, 6)
    for kernel in (Laplacian(1e-3), Gaussian(np.linspace(1e-5, 1e-4, 6), metric="diagonal")):
        found = Gram(kernel, X).block(range(30), range(30))
        np.testing.assert_allclose(found, kernel(X.astype(float)), rtol=1e-10)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("solver", ["chunked", "smo"])
def test_machines_are_those_of_floats(dtype: Any, solver: str) -> None:
    X = rows(dtype, 300, 12, 3)
    y = np.where(X[:, 0].astype(float) + X[:, 1] > np.median(X) * 2, 1.0, -1.0)
    problem = svc(y, 10.0).problem
    found, floats = (
        solve(problem, Gram(Gaussian(3e-6), Z, precision="single"), solver)
        for Z in (X, X.astype(np.float64))
    )
    assert found.converged
    assert found.objective == pytest.approx(floats.objective, rel=1e-4)
    machine = SVC(gamma=3e-6, tol=1e-6).fit(X, y)
    other = SVC(gamma=3e-6, tol=1e-6).fit(X.astype(np.float64), y)
    expected = other.decision_function(X.astype(np.float64))
    for Z in (X, X.astype(np.float64)):
        np.testing.assert_allclose(machine.decision_function(Z), expected, atol=1e-4)


@pytest.mark.parametrize("dtype", TYPES)
def test_regression_by_a_linear_kernel(dtype: Any) -> None:
    X = rows(dtype, 200, 7, 5)
    y = X @ np.linspace(-1, 1, 7) / 100
    found, floats = (SVR(kernel="linear", C=1e-4).fit(Z, y) for Z in (X, X.astype(np.float64)))
    assert found.objective_ == pytest.approx(floats.objective_, rel=1e-3)
    np.testing.assert_allclose(found.predict(X), floats.predict(X), atol=2e-3)


def test_no_float_copy_is_made() -> None:
    """Twenty megabytes of bytes would be eighty of floats."""
    X = np.random.default_rng(0).integers(1, 256, (20_000, 1000), dtype=np.uint8)
    gram = Gram(Gaussian(1e-6), X, precision="single", cache_size=1.0, n_threads=1)
    process = psutil.Process()
    before = process.memory_info().rss
    gram.product([0], np.ones(1))
    assert process.memory_info().rss - before < 2 * X.nbytes
