"""The reduced-basis support vector machine (Rifkin 2002, section 3.7.2)."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.metrics.pairwise import rbf_kernel

from mercer import SVC, LowRank, ReducedSVC
from mercer.kernels import Gaussian


@pytest.fixture
def problem():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    return X, np.where(X[:, 0] * X[:, 1] + 0.2 * rng.normal(size=60) > 0, 1, -1)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("bias", [False, True, "penalized"])
@pytest.mark.parametrize("weighted", [False, True])
def test_all_rows_as_basis_is_the_ordinary_machine(loss, bias, weighted, problem):
    X, y = problem
    weight = np.random.default_rng(1).choice([0.5, 1.0, 2.0], 60) if weighted else None
    settings = {"C": 2.0, "gamma": 0.5, "loss": loss, "fit_intercept": bias, "tol": 1e-8}
    reduced = ReducedSVC(low_rank=60, **settings).fit(X, y, weight)
    full = SVC(**settings).fit(X, y, weight)
    np.testing.assert_allclose(reduced.decision_function(X), full.decision_function(X), atol=1e-5)


@pytest.mark.parametrize("bias", [False, True])
def test_primal_of_the_basis_equals_the_dual(bias, problem):
    X, y = problem
    machine = ReducedSVC(C=2.0, gamma=0.5, low_rank=8, fit_intercept=bias, tol=1e-9).fit(X, y)
    K_mm = Gaussian(0.5)(machine.support_vectors_)
    coef = machine.dual_coef_[0]
    slack = np.maximum(1.0 - y * machine.decision_function(X), 0.0)
    primal = 0.5 * coef @ K_mm @ coef + 2.0 * slack.sum()
    assert primal == pytest.approx(machine.objective_, rel=1e-6)
    assert len(coef) == 8
    assert machine.violation_ <= 1e-9


def test_true_kernel_with_the_same_coefficients_is_the_ablation(problem):
    X, y = problem
    basis = LowRank(basis=X[:8], method="nystrom")
    machine = ReducedSVC(C=2.0, gamma=0.5, low_rank=basis, tol=1e-8).fit(X, y)
    coef = np.zeros(60)
    coef[machine.support_] = machine.dual_coef_[0]
    values = Gaussian(0.5)(X) @ coef + machine.intercept_
    np.testing.assert_allclose(machine.decision_function(X), values, atol=1e-9)
    with pytest.raises(ValueError, match="subset"):
        ReducedSVC(low_rank=LowRank(method="subset")).fit(X, y)


def test_classes_rows_and_models():
    X, y = load_iris(return_X_y=True)
    weight = np.ones(150)
    weight[::10] = 0.0
    low_rank = LowRank(12, n_models=2, random_state=0)
    machine = ReducedSVC(C=5.0, gamma=0.3, low_rank=low_rank).fit(X, y, weight)
    assert machine.score(X, y) > 0.95
    assert machine.decision_function(X).shape == (150, 3)
    assert machine.dual_coef_.shape == (3, 24)
    stored = clone(machine).set_params(kernel="precomputed")
    K = rbf_kernel(X, gamma=0.3)
    basis = np.arange(0, 150, 13)
    stored.set_params(low_rank=LowRank(basis=basis)).fit(K, y)
    plain = clone(machine).set_params(low_rank=LowRank(basis=basis)).fit(X, y)
    np.testing.assert_allclose(stored.decision_function(K), plain.decision_function(X), atol=1e-4)


def test_rows_without_weight_are_not_in_the_basis_of_a_stored_kernel():
    X, y = load_iris(return_X_y=True)
    weight = np.ones(150)
    weight[::10] = 0.0
    K = rbf_kernel(X, gamma=0.3)
    low_rank = LowRank(12, n_models=2, random_state=0)
    plain = ReducedSVC(C=5.0, gamma=0.3, low_rank=low_rank, tol=1e-6).fit(X, y, weight)
    stored = clone(plain).set_params(kernel="precomputed").fit(K, y, weight)
    for one, other in zip(plain.low_rank_.basis_, stored.low_rank_.basis_, strict=True):
        np.testing.assert_array_equal(one, other)
        assert (weight[one] > 0).all()
    np.testing.assert_allclose(stored.decision_function(K), plain.decision_function(X), atol=1e-4)
