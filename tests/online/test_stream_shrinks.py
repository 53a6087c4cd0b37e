"""What is kept becomes much less: a smaller budget in the middle, a budget below the classes."""

import numpy as np
import pytest
from streams import board, three

from mercer import OnlineSVC, OnlineSVR
from mercer.gram.cross import cross_block


def assert_consistent(machine):
    """Coefficients are feasible, and gradients those of the rows that are kept."""
    state = machine._learned.stream.state()
    terms = state["terms"].reshape(len(state["ids"]), -1, 3)
    assert (terms[..., 1] <= state["beta"]).all()
    assert (state["beta"] <= terms[..., 2]).all()
    np.testing.assert_allclose(state["beta"].sum(axis=0), 0.0, atol=1e-9)
    K = cross_block(machine.kernel_, machine._learned.stream.rows(), machine._learned.stream.rows())
    np.testing.assert_allclose(terms[..., 0] - K @ state["beta"], state["gradient"], atol=1e-7)


@pytest.mark.parametrize("kernel_cache", [None, 0.02])
@pytest.mark.parametrize("eviction", ["removal", "projection", "merging"])
@pytest.mark.parametrize("data", [board(400, noise=0.3), three(400)], ids=["board", "three"])
def test_a_budget_made_smaller_in_the_middle_is_kept_from_then_on(data, eviction, kernel_cache):
    X, y = data
    machine = OnlineSVC(C=5.0, gamma=2.0, eviction=eviction)
    if kernel_cache is not None:
        machine.set_params(cache_size=kernel_cache)
    machine.partial_fit(X[:200], y[:200], classes=np.unique(y))
    assert machine.n_kept_ > 80
    machine.set_params(max_support_vectors=25).partial_fit(X[200:201], y[200:201])
    assert machine.n_kept_ <= 25
    assert_consistent(machine)
    machine.partial_fit(X[201:], y[201:])
    assert machine.n_kept_ <= 25
    assert_consistent(machine)
    assert machine.score(X, y) > 1.0 / len(np.unique(y))


def test_a_regression_whose_budget_is_made_smaller_goes_on():
    rng = np.random.default_rng(0)
    X = rng.uniform(0, 6, (400, 1))
    y = np.sin(X[:, 0]) + 0.3 * rng.normal(size=400)
    machine = OnlineSVR(gamma=1.0, C=2.0).partial_fit(X[:200], y[:200])
    assert machine.n_kept_ > 80
    machine.set_params(max_support_vectors=30).partial_fit(X[200:], y[200:])
    assert machine.n_kept_ <= 30
    assert machine.finish().score(X, np.sin(X[:, 0])) > 0.7


@pytest.mark.parametrize("eviction", ["removal", "projection"])
def test_a_budget_below_the_number_of_classes_hands_coefficients_to_other_classes(eviction):
    """No row of the own class can take them over."""
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(60, 2)), np.arange(60) % 30
    machine = OnlineSVC(C=1.0, gamma=0.5, max_support_vectors=10, eviction=eviction)
    machine.partial_fit(X, y, classes=np.arange(30))
    assert machine.n_kept_ <= 10
    assert_consistent(machine)
