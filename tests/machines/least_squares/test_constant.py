"""Rows that are all alike leave the bias only."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.sparse as sp

from mercer import LSSVR, LowRank

RNG = np.random.default_rng(0)
ROWS, TARGETS = RNG.normal(size=(60, 2)), RNG.normal(size=60)
CASES = [
    (np.ones((60, 2)), {}),
    (np.full((60, 2), 0.3), {"kernel": "linear", "solver": "eigen"}),
    (np.full((60, 2), 0.3), {"kernel": "linear"}),
    (sp.csr_matrix(np.full((60, 2), 0.3)), {"kernel": "linear"}),
    (np.full((60, 2), 1e4), {"kernel": "poly"}),
    (ROWS, {"gamma": 1e-20}),
    (np.ones((60, 2)), {"low_rank": LowRank(5, random_state=0)}),
    (np.ones((60, 2)), {"low_rank": LowRank(basis=np.arange(60), method="subset")}),
]


@pytest.mark.parametrize("alpha", ["loo", "gcv"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("X", "parameters"), CASES)
def test_a_chosen_alpha_on_constant_rows_gives_the_mean(X, parameters, weighted, alpha):
    weight = RNG.uniform(0.1, 5.0, 60) if weighted else np.ones(60)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        machine = LSSVR(alpha=alpha, **parameters).fit(X, TARGETS, weight)
    mean = np.average(TARGETS, weights=weight)
    np.testing.assert_allclose(machine.predict(X), mean, atol=1e-9)
    assert machine.dof_ == pytest.approx(1.0)
