"""Rows of leverage near 1: left out by formula as by training without them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import LinAlgWarning

from mercer import LSSVR


def own_features(n: int, n_own: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows of which the first have a feature that no other row has."""
    rng = np.random.default_rng(0)
    X = np.c_[rng.normal(size=(n, 3)), np.eye(n, n_own) * 30.0]
    return X, X[:, 0] + rng.normal(size=n), rng.choice([0.5, 1.0, 3.0], n)


def left_out(machine: LSSVR, X: np.ndarray, y: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Values of all rows, each by a machine trained without it."""
    values = []
    for i in range(len(y)):
        others = np.arange(len(y)) != i
        machine.fit(X[others], y[others], weight[others])
        values.append(machine.predict(X[[i]])[0])
    return np.array(values)


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("alpha", [1e-4, [1e-4, 1e-4]])
@pytest.mark.parametrize("n_own", [1, 25, 40])
def test_many_rows_of_leverage_near_one_are_left_out_exactly(n_own, alpha, fit_intercept):
    """Beyond 16 such rows their values were differences without a digit."""
    X, y, weight = own_features(40, n_own)
    if n_own == 40:
        X = X[:, 3:]
    machine = LSSVR(kernel="linear", solver="primal", alpha=alpha, fit_intercept=fit_intercept).fit(
        X, y, weight
    )
    plain = LSSVR(kernel="linear", alpha=1e-4, fit_intercept=fit_intercept, loo=False)
    np.testing.assert_allclose(machine.loo_values_, left_out(plain, X, y, weight), atol=1e-7)


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_a_lone_row_of_leverage_near_one_counts_as_zero(fit_intercept):
    machine = LSSVR(kernel="linear", solver="primal", alpha=1e-9, fit_intercept=fit_intercept)
    with pytest.warns(LinAlgWarning, match="goes through its rows"):
        machine.fit([[30.0]], [2.0])
    assert machine.loo_values_.tolist() == [0.0]
