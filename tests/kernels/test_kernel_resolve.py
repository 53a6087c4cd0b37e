from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kernel_cases import rows
from scipy import sparse
from scipy.spatial.distance import pdist

from mercer.kernels import Constant, Gaussian, Laplacian, Linear, Normalized, Polynomial, Sigmoid

X = rows(12, 0)
RULES = [(Gaussian, r) for r in ("scale", "auto", "median")]
RULES += [(Laplacian, r) for r in ("scale", "auto", "median")]
RULES += [(k, r) for k in (Polynomial, Sigmoid) for r in ("scale", "auto")]

every_rule = pytest.mark.parametrize(("kind", "rule"), RULES)


def test_rules_are_what_they_say() -> None:
    assert Gaussian("scale").resolve(X).gamma == pytest.approx(1 / (X.shape[1] * X.var()))
    assert Gaussian("auto").resolve(X).gamma == 1 / X.shape[1]
    distances = pdist(X, "sqeuclidean")
    assert Gaussian("median").resolve(X).gamma == pytest.approx(
        1 / np.median(distances[distances > 0])
    )
    distances = pdist(X, "cityblock")
    assert Laplacian("median").resolve(X).gamma == pytest.approx(
        1 / np.median(distances[distances > 0])
    )


@every_rule
@given(seed=st.integers(0, 1000), n=st.integers(1, 12))
@settings(deadline=None, max_examples=20)
def test_weights_are_repetitions(kind, rule: str, seed: int, n: int) -> None:
    generator = np.random.default_rng(seed)
    data = generator.integers(-2, 3, size=(n, 3)).astype(float)
    weights = generator.integers(0, 4, size=n)
    weights[0] += 1
    for as_rows in (np.asarray, sparse.csr_array):
        weighted = kind(gamma=rule).resolve(as_rows(data), weights)
        repeated = kind(gamma=rule).resolve(as_rows(np.repeat(data, weights, axis=0)))
        assert weighted.gamma == pytest.approx(repeated.gamma, rel=1e-12)


@every_rule
@pytest.mark.parametrize("to_sparse", [sparse.csr_array, sparse.csc_matrix])
def test_sparse_rows_resolve_as_dense_rows(kind, rule: str, to_sparse) -> None:
    dense, other = (kind(gamma=rule).resolve(data) for data in (X, to_sparse(X)))
    assert other.gamma == pytest.approx(dense.gamma, rel=1e-12)


@every_rule
def test_equal_rows_resolve_to_a_number(kind, rule: str) -> None:
    gamma = kind(gamma=rule).resolve(np.full((5, 4), 3.0)).gamma
    assert gamma == (0.25 if rule == "auto" else 1.0)


def test_the_median_of_many_rows_is_that_of_a_sample() -> None:
    data = np.random.default_rng(0).normal(size=(5000, 2))
    gamma = Gaussian("median").resolve(data).gamma
    assert gamma == Gaussian("median").resolve(data).gamma
    # |x - z|^2 / 2 is chi-squared with two degrees of freedom, of median 2 log 2.
    assert gamma == pytest.approx(1 / (4 * np.log(2)), rel=0.1)
    weights = np.ones(5000)
    weights[::2] = 3
    weighted = Gaussian("median").resolve(data, weights).gamma
    repeated = Gaussian("median").resolve(np.repeat(data, weights.astype(int), axis=0)).gamma
    assert weighted == pytest.approx(repeated, rel=1e-12)


def test_rows_far_from_the_origin_keep_their_median_distance() -> None:
    near, far = Gaussian("median").resolve(X), Gaussian("median").resolve(X + 1e6)
    assert far.gamma == pytest.approx(near.gamma, rel=1e-6)
    near, far = Gaussian("scale").resolve(X), Gaussian("scale").resolve(X + 1e6)
    assert far.gamma == pytest.approx(near.gamma, rel=1e-6)


@pytest.mark.parametrize("gamma", [0.5, "scale"])
def test_numbers_are_spread_to_the_metric(gamma) -> None:
    number = Gaussian(gamma).resolve(X).gamma
    diagonal, full = (Gaussian(gamma, metric=m).resolve(X) for m in ("diagonal", "full"))
    np.testing.assert_array_equal(diagonal.gamma, np.full(4, number))
    np.testing.assert_array_equal(full.gamma, number * np.eye(4))
    assert diagonal.n_dims == 4
    assert full.n_dims == 10


def test_composites_resolve_their_parts() -> None:
    kernel = Normalized(2.0 * Gaussian("scale") + Linear() * Laplacian("auto"))
    expected = Normalized(2.0 * Gaussian("scale").resolve(X) + Linear() * Laplacian(0.25))
    assert kernel.resolve(X) == expected


def test_what_is_resolved_stays_the_same_object() -> None:
    for kernel in (Gaussian(2.0), Gaussian(np.ones(4)), 2.0 * Gaussian(np.eye(4)) + Constant(2.0)):
        assert kernel.resolve(X) is kernel


@pytest.mark.parametrize("kernel", [Gaussian("scale"), Sigmoid(gamma="auto"), Laplacian("median")])
def test_kernels_say_that_they_are_not_resolved(kernel) -> None:
    for use in (
        lambda: kernel(X),
        lambda: kernel.theta,
        lambda: kernel.bounds,
        lambda: (kernel + 1.0).gradient(X, X, np.ones(12), np.ones(12)),
        kernel.form,
    ):
        with pytest.raises(ValueError, match=r"is not a number yet: .*resolve\(X\)"):
            use()


def test_a_metric_says_that_its_size_is_not_known() -> None:
    kernel = Gaussian(0.5, metric="full")
    with pytest.raises(ValueError, match=r"number of features .* resolve\(X\)"):
        kernel.gradient(X, X, np.ones(12), np.ones(12))
    with pytest.raises(ValueError, match=r"number of features .* resolve\(X\)"):
        _ = kernel.theta


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (np.ones(3), r"sample_weight must have shape \(12,\), got \(3,\)"),
        (np.zeros(12), "with a positive sum"),
        (-np.ones(12), "not negative"),
        (np.full(12, np.nan), "must be finite"),
    ],
)
def test_impossible_weights_are_refused(weights, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Gaussian("scale").resolve(X, weights)


def test_impossible_rows_are_refused() -> None:
    with pytest.raises(ValueError, match="at least one row"):
        Gaussian("scale").resolve(X[:0])
    with pytest.raises(ValueError, match="gamma is for 2 features, but the rows have 4"):
        Gaussian([1.0, 2.0]).resolve(X)


@every_rule
@pytest.mark.parametrize("factor", [1e308, 1e-300])
def test_rules_do_not_overflow_with_weights_of_any_size(kind, rule: str, factor: float) -> None:
    weight = np.linspace(0.1, 1.0, len(X))
    expected = kind(gamma=rule).resolve(X, sample_weight=weight).gamma
    found = kind(gamma=rule).resolve(X, sample_weight=factor * weight).gamma
    assert found == pytest.approx(expected, rel=1e-12)
