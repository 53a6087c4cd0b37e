"""``max_time`` and ``max_iter`` hold in every least squares fit, and what was left out is said."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from machines.least_squares.test_solvers import data
from mercer import LSSVR, LowRank, ReducedSVC
from mercer.solvers import ConjugateGradient
from mercer.solvers.linear_system import dual_system

NO_TIME = 1e-9


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"solver": "cg"}, "cg stopped after 0 iterations"),
        ({"solver": ConjugateGradient()}, "cg stopped after 0 iterations"),
        ({"solver": "smo"}, "smo stopped after 0 iterations"),
        ({"kernel": "linear", "solver": "cg"}, "cg stopped after 0 iterations"),
        ({"kernel": "linear", "solver": "lsqr"}, "lsqr stopped after 0 iterations"),
        ({"sparse": "prune"}, "pruned stopped after 0 iterations"),
        ({"sparse": "l0"}, "l0 stopped after 1 iterations"),
        ({"robust": "huber"}, "weights of robust='huber' still change"),
        ({}, "there are no loo_values_"),
        ({"solver": "eigen"}, "there are no loo_values_"),
        ({"low_rank": 10}, "there are no loo_values_"),
    ],
    ids=str,
)
def test_a_fit_without_time_ends_and_says_so(parameters, message):
    X, Y, weight = data()
    with pytest.warns(ConvergenceWarning, match=message):
        machine = LSSVR(alpha=1e-3, max_time=NO_TIME, **parameters).fit(X, Y[:, 0], weight)
    assert machine.loo_values_ is None
    assert np.isfinite(machine.predict(X)).all()


def test_the_spectrum_of_one_alpha_does_not_begin_late():
    X, Y, _ = data()
    with pytest.warns(ConvergenceWarning, match="max_time"):
        assert LSSVR(alpha=1.0, solver="eigen", max_time=NO_TIME).fit(X, Y).solver_ == "direct"
    assert LSSVR(alpha=1.0, solver="eigen").fit(X, Y).solver_ == "eigen"


def test_a_choice_made_on_some_of_the_rows_is_said():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 2)), rng.normal(size=300)
    alphas = np.logspace(-3, 3, 70_000)  # blocks of 64 rows
    machine = LSSVR(kernel="linear", alpha=alphas, max_time=NO_TIME)
    with pytest.warns(ConvergenceWarning, match="those of 64 of 300 rows when left out"):
        machine.fit(X, y)
    left_out = LSSVR(kernel="linear", alpha=machine.alpha_).fit(X, y).loo_values_
    np.testing.assert_allclose(machine.loo_values_[:64], left_out[:64], atol=1e-9)
    assert np.isnan(machine.loo_values_[64:]).all()


@pytest.mark.parametrize("parameters", [{"solver": "smo"}, {"kernel": "linear", "solver": "lsqr"}])
def test_the_number_of_iterations_is_bounded(parameters):
    X, Y, _ = data()
    with pytest.warns(ConvergenceWarning, match="Increase max_iter, tol or alpha"):
        assert LSSVR(alpha=1e-4, max_iter=2, **parameters).fit(X, Y).n_iter_ <= 2


def test_a_fit_without_left_out_values_inverts_no_factor(monkeypatch):
    """It took twice as long as needed."""
    inverted = []
    plain = dual_system.triangular_inverse
    monkeypatch.setattr(
        dual_system, "triangular_inverse", lambda L: inverted.append(len(L)) or plain(L)
    )
    X, Y, _ = data()
    fast = LSSVR(alpha=0.3, loo=False).fit(X, Y)
    assert not inverted
    slow = LSSVR(alpha=0.3).fit(X, Y)
    assert inverted == [len(X)]
    np.testing.assert_allclose(fast.predict(X), slow.predict(X), atol=1e-10)


@pytest.mark.parametrize("basis", ["incomplete-cholesky", "greedy", "k-means++"])
@pytest.mark.parametrize("method", ["rectangle", "subset", "nystrom"])
def test_max_time_holds_while_landmarks_are_chosen(basis, method):
    """It took 11 seconds of a tenth with 800 landmarks of 3,000 rows."""
    X, Y, _ = data()
    low_rank = LowRank(20, basis=basis, method=method, n_models=3, random_state=0)
    with pytest.warns(ConvergenceWarning, match="when 1 of 60 landmarks of low_rank were chosen"):
        machine = LSSVR(low_rank=low_rank, max_time=NO_TIME).fit(X, Y)
    assert [len(positions) for positions in machine.low_rank_.basis_] == [1]
    assert np.isfinite(machine.predict(X)).all()


def test_leverages_that_there_is_no_time_for_give_way_to_chance():
    X, Y, _ = data()
    low_rank = LowRank(20, basis="leverage", random_state=0)
    with pytest.warns(ConvergenceWarning, match="max_time"):
        machine = LSSVR(low_rank=low_rank, max_time=NO_TIME).fit(X, Y)
    chance = LSSVR(low_rank=LowRank(20, random_state=0)).fit(X, Y)
    np.testing.assert_allclose(machine.predict(X), chance.predict(X), atol=1e-9)


def test_a_reduced_machine_counts_the_choice_of_landmarks_in_max_time():
    X, Y, _ = data()
    low_rank = LowRank(20, basis="greedy", random_state=0)
    machine = ReducedSVC(low_rank=low_rank, max_time=NO_TIME)
    with pytest.warns(ConvergenceWarning, match="when 1 of 20 landmarks"):
        machine.fit(X, Y[:, 0] > 0)
    assert machine.fit_status_ == 1
