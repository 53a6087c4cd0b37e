"""Incomplete Cholesky factors are Nystrom matrices on their pivots."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mercer.lowrank import incomplete_cholesky
from mercer.lowrank.incomplete_cholesky import greedy_cholesky
from reference import DenseGram


def random_matrix(seed: int) -> np.ndarray:
    """Positive semi-definite, of any rank, with repeated rows."""
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(int(rng.integers(1, 12)), int(rng.integers(1, 5))))
    A = A[rng.integers(len(A), size=12)]
    return A @ A.T


def nystrom(K: np.ndarray, pivots: np.ndarray) -> np.ndarray:
    return K[:, pivots] @ np.linalg.pinv(K[np.ix_(pivots, pivots)], rcond=1e-12) @ K[pivots]


@settings(max_examples=60)
@given(seed=st.integers(0, 10**6), rank=st.integers(1, 14), greedy=st.booleans())
def test_factor_is_the_nystrom_matrix_of_its_pivots(seed, rank, greedy):
    K = random_matrix(seed)
    scale = max(np.trace(K), 1e-300)
    rng = np.random.default_rng(seed)
    gram = DenseGram(K)
    factor = greedy_cholesky(gram, rank, rng) if greedy else incomplete_cholesky(gram, rank)
    approximate = factor.factor @ factor.factor.T
    assert len(set(factor.pivots)) == len(factor.pivots) <= min(rank, np.linalg.matrix_rank(K))
    np.testing.assert_allclose(approximate, nystrom(K, factor.pivots), atol=1e-8 * scale)
    np.testing.assert_allclose(approximate[factor.pivots], K[factor.pivots], atol=1e-8 * scale)
    residual = np.diagonal(K - approximate)
    np.testing.assert_allclose(factor.residual, residual, atol=1e-8 * scale)
    assert (factor.residual >= 0).all()


def test_nested_bases_never_lose_trace():
    K = random_matrix(3)
    errors = [incomplete_cholesky(DenseGram(K), rank).trace_error for rank in range(1, 12)]
    assert (np.diff(errors) <= 1e-12).all()


def test_pivot_is_the_worst_represented_row():
    K = np.diag([1.0, 5.0, 2.0, 4.0])
    assert incomplete_cholesky(DenseGram(K), 3).pivots.tolist() == [1, 3, 2]


def test_greedy_takes_the_row_that_lowers_the_trace_most():
    K = random_matrix(5) + 0.1 * np.eye(12)
    first = greedy_cholesky(DenseGram(K), 1, np.random.default_rng(0)).pivots[0]
    traces = [np.trace(K - nystrom(K, np.array([p]))) for p in range(12)]
    assert traces[first] == pytest.approx(min(traces))


def test_negative_diagonal_is_refused():
    with pytest.raises(ValueError, match="positive semi-definite"):
        incomplete_cholesky(DenseGram(np.diag([1.0, -1.0])), 2)


def test_zero_matrix_has_no_pivots():
    factor = incomplete_cholesky(DenseGram(np.zeros((3, 3))), 2)
    assert factor.pivots.shape == (0,)
    assert factor.factor.shape == (3, 0)
