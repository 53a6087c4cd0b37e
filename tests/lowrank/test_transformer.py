"""LowRank as a step of a pipeline."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline

from mercer import LSSVR, LowRank
from mercer.kernels import Gaussian
from sampling import checks_of


@checks_of([LowRank()], [LowRank(5, basis="k-means++", n_models=2)])
def test_estimator_checks(estimator, check):
    check(estimator)


def test_a_linear_model_on_the_features_is_the_low_rank_machine():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(80, 3)), rng.normal(size=80)
    low_rank = LowRank(12, gamma=0.3, random_state=0)
    pipeline = make_pipeline(low_rank, Ridge(0.1)).fit(X, y)
    machine = LSSVR(alpha=0.1, gamma=0.3, low_rank=LowRank(12, random_state=0)).fit(X, y)
    np.testing.assert_allclose(pipeline.predict(X), machine.predict(X), atol=1e-8)


@pytest.mark.parametrize("kernel", ["rbf", "precomputed", Gaussian(0.3)])
def test_features_have_names(kernel):
    X = np.random.default_rng(0).normal(size=(30, 3))
    rows = Gaussian(0.3)(X) if kernel == "precomputed" else X
    gamma = 0.3 if kernel == "rbf" else "scale"
    low_rank = LowRank(4, kernel=kernel, gamma=gamma, random_state=0).set_output(transform="pandas")
    frame = low_rank.fit_transform(rows)
    assert list(frame.columns) == [f"lowrank{k}" for k in range(4)]
    basis = low_rank.basis_[0]
    values = frame.to_numpy()
    np.testing.assert_allclose(values @ values[basis].T, Gaussian(0.3)(X, X[basis]), atol=1e-9)


def test_sparse_rows_have_the_same_features():
    X = np.random.default_rng(0).normal(size=(30, 3))
    low_rank = LowRank(4, random_state=0).fit(sp.csr_matrix(X))
    np.testing.assert_allclose(low_rank.transform(X), low_rank.transform(sp.csr_matrix(X)))
