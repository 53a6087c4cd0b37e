"""One pass over a kernel matrix finds what several passes of NumPy find."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mercer import _core
from mercer.kernels.definiteness import refutation
from mercer.kernels.precomputed import check_kernel_matrix

rng = np.random.default_rng(0)


def expected(K: Any, size: Any) -> tuple[bool, float, float, float]:
    values = np.asarray(K, dtype=np.float64)
    excess = (np.abs(values) - np.multiply.outer(size, size)).max(initial=0.0)
    return True, np.abs(values).max(), np.abs(values - values.T).max(), excess


@pytest.mark.parametrize("n", [1, 2, 127, 128, 129, 260])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_facts_are_those_of_numpy(n: int, dtype: Any) -> None:
    K = rng.normal(size=(n, n)).astype(dtype)
    size = rng.uniform(size=n)
    for matrix in (K, K.T, np.asfortranarray(K), np.tile(K, (2, 2))[:n, :n]):
        np.testing.assert_allclose(_core.matrix_facts(matrix, size), expected(matrix, size))
    wide = np.repeat(K, 2, axis=1)[:, ::2]
    np.testing.assert_allclose(_core.matrix_facts(wide, size), expected(K, size))
    one = np.broadcast_to(K[:1, :1], (n, n))
    np.testing.assert_allclose(_core.matrix_facts(one, size), expected(one, size))


@pytest.mark.parametrize("n", [1, 130])
@pytest.mark.parametrize("worst", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_what_is_not_finite_is_found_anywhere(n: int, worst: float, dtype: Any) -> None:
    for i, j in rng.integers(0, n, size=(8, 2)):
        K = np.zeros((n, n), dtype=dtype)
        K[i, j] = worst
        assert not _core.matrix_facts(K, np.zeros(n))[0]
        assert not check_kernel_matrix(K).is_finite


def test_numbers_at_the_ends_of_their_range_are_finite() -> None:
    ends = np.array([np.finfo(float).max, -np.finfo(float).max, 5e-324, -0.0])
    assert _core.matrix_facts(np.diag(ends), np.zeros(4))[0]


@pytest.mark.parametrize("dtype", [np.int64, np.uint8, bool, np.float16])
def test_matrices_of_other_numbers(dtype: Any) -> None:
    K = np.eye(5).astype(dtype)
    assert not check_kernel_matrix(K).is_surely_indefinite
    K[0, 1] = 1
    with pytest.raises(ValueError, match=r"symmetric, got entries that differ by 1\.0"):
        check_kernel_matrix(K)


def test_a_factor_of_a_scaled_matrix() -> None:
    A = rng.normal(size=(40, 10))
    for unit in (1e-300, 1.0, 1e300):
        K = A @ A.T * (0.01 * unit)
        assert refutation(K) is None
        reason = refutation(K - 0.1 * unit * np.eye(40))
        assert reason is not None
        assert "eigenvalue" in reason
