"""Bases and their features."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone

from mercer import Gram, LowRank
from mercer.kernels import Gaussian, Linear, Precomputed, Sigmoid
from mercer.lowrank import FeatureMap
from mercer.lowrank.landmarks import LANDMARKS, choose_landmarks
from mercer.lowrank.random_landmarks import leverage_scores

KERNEL = Gaussian(0.4)


@pytest.fixture
def X() -> np.ndarray:
    return np.random.default_rng(0).normal(size=(60, 3))


def nystrom(X, Z, basis):
    inverse = np.linalg.pinv(KERNEL(basis), rcond=1e-13)
    return KERNEL(X, basis) @ inverse @ KERNEL(basis, Z)


@pytest.mark.parametrize("basis", LANDMARKS)
def test_basis_is_distinct_rows(basis, X):
    chosen = choose_landmarks(basis, KERNEL, X, 10, np.random.default_rng(1))
    assert len(set(chosen)) == len(chosen) == 10
    assert chosen.min() >= 0
    assert chosen.max() < 60


@pytest.mark.parametrize("basis", LANDMARKS)
def test_basis_of_repeated_rows_stops_at_the_rank(basis):
    X = np.repeat(np.eye(3), 20, axis=0)
    low_rank = LowRank(10, basis=basis, random_state=0).choose(Linear(), X)
    values = low_rank.transform(X)
    assert values.shape[1] <= 3
    if basis not in ("random", "leverage"):
        np.testing.assert_allclose(values @ values.T, X @ X.T, atol=1e-12)


@pytest.mark.parametrize("basis", LANDMARKS)
def test_large_data_are_looked_at_in_part(basis, X, monkeypatch):
    monkeypatch.setattr("mercer.lowrank.landmarks.STORED", 200)
    chosen = choose_landmarks(basis, KERNEL, X, 10, np.random.default_rng(1))
    assert len(set(chosen)) == 10
    K = KERNEL(X)
    again = choose_landmarks(basis, Precomputed(), K, 10, np.random.default_rng(1))
    np.testing.assert_array_equal(again, chosen)


def test_features_are_the_nystrom_kernel(X):
    basis = np.array([4, 40, 7, 4, 22])
    features = FeatureMap(KERNEL, X, basis)
    assert features.rank == 4  # row 4 is there twice
    values = features(X)
    np.testing.assert_allclose(values @ values.T, nystrom(X, X, X[basis]), atol=1e-9)
    exact = values @ values[basis].T
    np.testing.assert_allclose(exact, KERNEL(X, X[basis]), atol=1e-9)
    weights = np.random.default_rng(0).normal(size=(4, 2))
    expansion = KERNEL(X, features.rows) @ features.coefficients(weights)
    np.testing.assert_allclose(expansion, values @ weights, atol=1e-8)


def test_features_do_not_depend_on_the_form_of_the_rows(X):
    basis = np.array([1, 2, 50])
    values = FeatureMap(KERNEL, X, basis)(X)
    sparse = FeatureMap(KERNEL, sp.csr_array(X), basis)(sp.csr_array(X))
    stored = FeatureMap(Precomputed(), KERNEL(X), basis)(KERNEL(X))
    np.testing.assert_allclose(sparse, values, atol=1e-12)
    np.testing.assert_allclose(stored, values, atol=1e-12)


def test_raw_features_are_kernel_values(X):
    features = FeatureMap(KERNEL, X, np.array([1, 1, 5]), whiten=False)
    np.testing.assert_allclose(features(X), KERNEL(X, X[[1, 1, 5]]), rtol=1e-12)


def test_a_kernel_without_values_has_no_features():
    low_rank = LowRank(3, random_state=0).choose(Linear(), np.zeros((5, 2)))
    assert low_rank.transform(np.ones((4, 2))).shape == (4, 0)


def test_several_models_average_their_kernels(X):
    low_rank = LowRank(6, n_models=3, random_state=0).choose(KERNEL, X)
    values = low_rank.transform(X)
    kernels = [nystrom(X, X, X[basis]) for basis in low_rank.basis_]
    np.testing.assert_allclose(values @ values.T, np.mean(kernels, axis=0), atol=1e-8)


def test_given_bases(X):
    by_place = LowRank(basis=[3, 9]).choose(KERNEL, X)
    by_rows = LowRank(basis=X[[3, 9]]).choose(KERNEL, X)
    np.testing.assert_array_equal(np.sort(by_place.basis_[0]), [3, 9])
    np.testing.assert_allclose(by_place.transform(X), by_rows.transform(X), atol=1e-12)
    with pytest.raises(ValueError, match=r"basis must lie in 0\.\.59"):
        LowRank(basis=[60]).choose(KERNEL, X)
    with pytest.raises(ValueError, match="positions of rows"):
        LowRank(basis=X[:2]).choose(Precomputed(), KERNEL(X))


def test_leverages_are_between_those_of_the_approximation_and_one(X):
    gram = Gram(KERNEL, X, precision="double")
    pilot = np.arange(8)
    scores = leverage_scores(gram, X, pilot)
    values = FeatureMap(KERNEL, X, pilot)(X)
    ridge = (60 - np.sum(values**2)) / 8
    own = np.diagonal(values @ np.linalg.solve(values.T @ values + ridge * np.eye(8), values.T))
    assert (scores >= own - 1e-12).all()
    assert (scores <= 1).all()


def test_seed_and_clone_give_the_same_basis(X):
    one = LowRank(5, random_state=3).choose(KERNEL, X)
    other = clone(one).choose(KERNEL, X)
    np.testing.assert_array_equal(one.basis_[0], other.basis_[0])
    state = np.random.RandomState(0)
    first, second = (LowRank(5, random_state=state).choose(KERNEL, X).basis_[0] for _ in range(2))
    assert set(first) != set(second)


def test_pickled(X):
    low_rank = LowRank(5, random_state=3).choose(KERNEL, X)
    copy = pickle.loads(pickle.dumps(low_rank))
    np.testing.assert_array_equal(copy.transform(X), low_rank.transform(X))


def test_indefinite_kernels_and_bad_parameters_are_refused(X):
    with pytest.raises(ValueError, match="positive semi-definite"):
        LowRank(5).choose(Sigmoid(1.0, -1.0), X)
    with pytest.raises(ValueError, match="rank"):
        LowRank(0).choose(KERNEL, X)
