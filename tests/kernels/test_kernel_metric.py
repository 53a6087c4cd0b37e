"""Laws of the full metric (Glasmachers 2008, section 10.1)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kernel_cases import METRIC, N_FEATURES, WIDTHS, rows
from scipy.linalg import expm
from scipy.stats import ortho_group

from mercer.kernels import Gaussian
from mercer.kernels.parameters.metric import symmetric_root

X, Z = rows(9, 0), rows(7, 1)
G = np.asarray(METRIC)
SIZE = N_FEATURES * (N_FEATURES + 1) // 2

steps = st.builds(
    lambda seed, scale: scale * np.random.default_rng(seed).normal(size=SIZE),
    st.integers(0, 2**31),
    st.sampled_from([1e-8, 0.1, 1.0, 5.0, 20.0]),
)
small_steps = st.builds(
    lambda seed: 0.3 * np.random.default_rng(seed).normal(size=SIZE), st.integers(0, 2**31)
)


def symmetric(step: np.ndarray) -> np.ndarray:
    A = np.zeros((N_FEATURES, N_FEATURES))
    A[np.triu_indices(N_FEATURES)] = step
    return A + np.triu(A, 1).T


def metric_of(kernel: Gaussian) -> np.ndarray:
    return np.asarray(kernel.gamma)


def log_determinant(kernel: Gaussian) -> float:
    sign, logarithm = np.linalg.slogdet(metric_of(kernel))
    assert sign == 1
    return float(logarithm)


def test_theta_is_the_origin_of_the_chart() -> None:
    kernel = Gaussian(METRIC)
    np.testing.assert_array_equal(kernel.theta, np.zeros(SIZE))
    assert kernel.bounds.shape == (SIZE, 2)
    assert kernel.parameter_names[:3] == ["gamma[0,0]", "gamma[0,1]", "gamma[0,2]"]
    np.testing.assert_allclose(metric_of(kernel.retract(np.zeros(SIZE))), G, atol=1e-14)


@given(step=small_steps)
@settings(deadline=None, max_examples=30)
def test_a_step_is_the_exponential_map_of_the_root(step: np.ndarray) -> None:
    root, exponential = symmetric_root(G), expm(symmetric(step))
    moved = exponential @ root @ exponential
    found = metric_of(Gaussian(METRIC).retract(step))
    np.testing.assert_allclose(found, moved @ moved / 2, rtol=1e-9, atol=1e-12)


@given(step=steps)
@settings(deadline=None, max_examples=60)
def test_every_step_stays_positive_definite(step: np.ndarray) -> None:
    kernel = Gaussian(METRIC).retract(step)
    np.linalg.cholesky(metric_of(kernel))
    np.testing.assert_array_equal(metric_of(kernel), metric_of(kernel).T)
    assert np.all(np.isfinite(kernel(X, Z)))
    assert kernel == Gaussian(METRIC).clone_with_theta(step)


@given(step=small_steps)
@settings(deadline=None, max_examples=30)
def test_the_determinant_moves_with_the_trace(step: np.ndarray) -> None:
    # det B <- det B e^(2 tr A), and det G = det(B)^2 / 2^d.
    kernel = Gaussian(METRIC)
    moved = log_determinant(kernel.retract(step)) - log_determinant(kernel)
    assert moved == pytest.approx(4 * np.trace(symmetric(step)), abs=1e-9)


@given(step=small_steps)
@settings(deadline=None, max_examples=30)
def test_steps_without_trace_keep_the_determinant(step: np.ndarray) -> None:
    A = symmetric(step)
    A -= np.trace(A) / N_FEATURES * np.eye(N_FEATURES)
    kernel = Gaussian(METRIC)
    moved = kernel.retract(A[np.triu_indices(N_FEATURES)])
    assert log_determinant(moved) == pytest.approx(log_determinant(kernel), abs=1e-10)


@given(step=small_steps, seed=st.integers(0, 1000))
@settings(deadline=None, max_examples=20)
def test_turning_rows_metric_and_step_changes_nothing(step: np.ndarray, seed: int) -> None:
    R = ortho_group.rvs(N_FEATURES, random_state=seed)
    turned = Gaussian(R @ G @ R.T)
    np.testing.assert_allclose(turned(X @ R.T, Z @ R.T), Gaussian(METRIC)(X, Z), rtol=1e-10)
    turned_step = (R @ symmetric(step) @ R.T)[np.triu_indices(N_FEATURES)]
    found = turned.retract(turned_step)(X @ R.T, Z @ R.T)
    np.testing.assert_allclose(found, Gaussian(METRIC).retract(step)(X, Z), rtol=1e-8, atol=1e-14)


def test_diagonal_steps_of_a_diagonal_metric_are_the_diagonal_kernel() -> None:
    full, diagonal = Gaussian(np.diag(WIDTHS)), Gaussian(WIDTHS)
    step = np.array([0.1, -0.3, 0.2, 0.05])
    moved = full.retract(np.diag(step)[np.triu_indices(N_FEATURES)])
    np.testing.assert_allclose(moved(X, Z), diagonal.retract(4 * step)(X, Z), rtol=1e-11)
    left, right = np.arange(1.0, 10), np.arange(1.0, 8)
    whole = symmetric(full.gradient(X, Z, left, right))
    own = diagonal.gradient(X, Z, left, right)
    np.testing.assert_allclose(np.diagonal(whole), 4 * own, rtol=1e-10)


def test_the_family_is_closed_under_linear_maps() -> None:
    T = np.random.default_rng(3).normal(size=(N_FEATURES, N_FEATURES))
    inverse = np.linalg.inv(T)
    mapped = Gaussian(inverse.T @ G @ inverse)
    np.testing.assert_allclose(mapped(X @ T.T, Z @ T.T), Gaussian(METRIC)(X, Z), rtol=1e-9)


def test_gradient_is_the_expanded_formula() -> None:
    # -k (d_i h_j + d_j h_i + 2 e_i e_j) and -k (d_i h_i + e_i^2), d = x - z, e = B d, h = B e.
    kernel, B = Gaussian(METRIC), symmetric_root(G)
    k, d = kernel(X[:1], Z[:1])[0, 0], X[0] - Z[0]
    e = B @ d
    h = B @ e
    expected = -k * (np.outer(d, h) + np.outer(h, d) + 2 * np.outer(e, e))
    expected[np.diag_indices(N_FEATURES)] /= 2
    found = kernel.gradient(X[:1], Z[:1], [1.0], [1.0])
    np.testing.assert_allclose(found, expected[np.triu_indices(N_FEATURES)], rtol=1e-10)


def test_a_step_beyond_float64_is_refused() -> None:
    for sign in (1, -1):
        step = sign * 1000.0 * np.eye(N_FEATURES)[np.triu_indices(N_FEATURES)]
        with pytest.raises(ValueError, match="step is too long"):
            Gaussian(METRIC).retract(step)
