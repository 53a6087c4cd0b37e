"""The error bound of expansions in single precision: it holds, whatever the rows, and is small."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import sparse

from kernels.kernel_cases import NUMERIC
from mercer.gram.bounded_expansion import BoundedExpansion, has_bound
from mercer.gram.expansion import Expansion
from mercer.kernels import (
    FunctionKernel,
    Gaussian,
    Kernel,
    Laplacian,
    Linear,
    Polynomial,
    Precomputed,
    Sigmoid,
)
from mercer.kernels import form as shapes

KINDS = ("gaussian", "diagonal", "full", "laplacian", "polynomial", "sigmoid")


def make_kernel(kind: str, gamma: float, d: int, rng: np.random.Generator) -> Kernel:
    if kind == "diagonal":
        return Gaussian(gamma * rng.uniform(0.1, 2.0, d))
    if kind == "full":
        A = rng.normal(size=(d, d))
        return Gaussian(gamma * (A @ A.T / d + np.eye(d)))
    if kind == "polynomial":
        return Polynomial(rng.integers(0, 6), gamma, rng.choice([-2.0, 0.0, 1.0, 30.0]))
    if kind == "sigmoid":
        return Sigmoid(gamma, coef0=rng.choice([-1.0, 0.0, 3.0]))
    return {"gaussian": Gaussian, "laplacian": Laplacian}[kind](gamma)


def draw_rows(
    n: int, d: int, scale: float, offset: float, rng: np.random.Generator
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Rows to expand over, and others: strangers, copies, near copies, far ones, zeros."""
    basis = scale * (rng.normal(size=(n, d)) + offset * rng.uniform(0.5, 1.0, d))
    some = basis[rng.integers(0, n, 8)]
    others = [
        scale * (rng.normal(size=(8, d)) + offset),
        some,
        some * (1 + 1e-7 * rng.normal(size=some.shape)),
        1e3 * some,
        np.zeros((1, d)),
    ]
    return basis, np.vstack(others)


def assert_bounded(kernel: Kernel, basis: Any, weights: NDArray[Any], X: Any) -> NDArray[Any]:
    n = basis.shape[0]
    exact = Expansion(kernel, basis, weights, parts=[0, n // 3, n])
    values, bound = BoundedExpansion(exact).evaluate(X)
    wrong = np.abs(values - exact.evaluate(X)).max(axis=2)
    assert (wrong <= bound)[np.isfinite(bound)].all()
    assert not np.isnan(bound).any()
    return bound


@settings(deadline=None, max_examples=300)
@given(
    kind=st.sampled_from(KINDS),
    d=st.sampled_from([1, 2, 7, 33, 150]),
    log_gamma=st.floats(-4, 3),
    log_scale=st.sampled_from([0.0, 0.0, -30.0, -19.0, -3.0, 2.0, 8.0, 18.0]),
    offset=st.sampled_from([0.0, 0.0, 1.0, 1e4, 1e9]),
    log_weight=st.sampled_from([0.0, 0.0, 6.0, -36.0, 35.0]),
    is_sparse=st.booleans(),
    seed=st.integers(0, 2**16),
)
def test_single_precision_stays_within_the_bound(
    kind: str,
    d: int,
    log_gamma: float,
    log_scale: float,
    offset: float,
    log_weight: float,
    is_sparse: bool,
    seed: int,
) -> None:
    rng = np.random.default_rng(seed)
    basis, X = draw_rows(60, d, 10.0**log_scale, offset, rng)
    # gamma in units of the rows, or far away from them
    unit = d * 10.0 ** ((1 if kind == "laplacian" else 2) * log_scale)
    kernel = make_kernel(kind, 10.0**log_gamma / (unit if rng.random() < 0.7 else d), d, rng)
    if is_sparse:
        basis, X = basis * (rng.random(basis.shape) < 0.3), X * (rng.random(X.shape) < 0.3)
        basis, X = sparse.csr_array(basis), sparse.csr_array(X)
    weights = 10.0**log_weight * rng.normal(size=(60, 2)) * 10.0 ** rng.uniform(-3, 0, (60, 1))
    with np.errstate(over="ignore"):
        assert_bounded(kernel, basis, weights, X)


@pytest.mark.parametrize("kind", KINDS)
def test_the_bound_of_ordinary_rows_is_small(kind: str) -> None:
    rng = np.random.default_rng(0)
    basis, X = rng.normal(size=(300, 20)), rng.normal(size=(200, 20))
    kernel = make_kernel(kind, 0.05, 20, np.random.default_rng(1))
    weights = rng.uniform(-1, 1, (300, 1))
    bound = assert_bounded(kernel, basis, weights, X)
    largest = np.sqrt(kernel.diag(basis).max() * kernel.diag(X).max())
    assert bound.max() < 1e-4 * np.abs(weights).sum() * largest


def test_terms_that_cancel_are_bounded_by_their_sizes() -> None:
    basis = np.repeat(np.random.default_rng(0).normal(size=(40, 5)), 2, axis=0)
    weights = np.tile([1e6, -1e6], 40)[:, None]
    bound = assert_bounded(Gaussian(0.3), basis, weights, basis)
    assert (bound > 0.01).all()


def test_rows_that_leave_single_precision_have_no_bound() -> None:
    rows = np.random.default_rng(0).normal(size=(30, 3))
    cases = ((1e25, Polynomial(2, 1e-50)), (1e-25, Gaussian(1e50)), (1e8, Gaussian(1.0)))
    for scale, kernel in cases:
        bound = assert_bounded(kernel, scale * rows, np.ones((30, 1)), scale * rows)
        assert np.isinf(bound).all()


def test_only_built_in_kernels_that_are_not_linear_have_a_bound() -> None:
    rows = np.eye(3)
    plain = [Gaussian(0.1), Laplacian(0.1), Polynomial(2, 0.1), Sigmoid(0.1)]
    others = [Linear(), FunctionKernel(np.dot), plain[0] + plain[1]]
    assert all(has_bound(Expansion(kernel, rows, rows)) for kernel in plain)
    assert not any(has_bound(Expansion(kernel, rows, rows)) for kernel in others)
    assert not has_bound(Expansion(Precomputed(), np.arange(3), rows))
    assert not has_bound(Expansion(plain[0], rows.astype(np.uint8), rows))


def test_tiny_weights_of_a_polynomial_of_degree_zero_are_bounded() -> None:
    rng = np.random.default_rng(0)
    rows, weights = rng.normal(size=(60, 1)), 1e-36 * rng.normal(size=(60, 2))
    assert_bounded(Polynomial(0, 0.5, 1.0), rows, weights, rows)


def test_every_kind_of_leaf_has_a_bound_that_holds_or_none() -> None:
    rng = np.random.default_rng(0)
    rows, weights = rng.normal(size=(30, 4)), rng.normal(size=(30, 2))
    bounded = set()
    for kernel in NUMERIC.values():
        form = kernel.form()
        if isinstance(form, shapes.Leaf) and has_bound(Expansion(kernel, rows, weights)):
            assert np.isfinite(assert_bounded(kernel, rows, weights, rows + 0.1)).all()
            bounded.add(form.kind)
    assert bounded == set(shapes.COMPUTED_FROM) - {"linear"}


def test_a_kind_without_a_formula_has_no_bound() -> None:
    exact = Expansion(Gaussian(0.1), np.eye(3), np.eye(3))
    exact.form = shapes.Leaf(kind="cauchy", gamma=0.1)  # type: ignore[arg-type]
    assert not has_bound(exact)
    one = np.ones((2, 3))
    with pytest.raises(TypeError, match="cauchy"):
        BoundedExpansion(exact)._bound(exact.form, one, one[0], 1.0, 3)  # type: ignore[arg-type]
