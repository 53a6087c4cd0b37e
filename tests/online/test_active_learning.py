"""Asking for labels."""

import matplotlib
import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import NotFittedError
from streams import board, three

from mercer import OnlineSVC
from mercer.gram.cross import cross_block
from mercer.online import learning_curves
from mercer.online.query import STRATEGIES, uncertainty

matplotlib.use("Agg")
X, Y = three(300)
POOL = three(200, seed=1)[0]


@pytest.fixture(scope="module")
def machine():
    return OnlineSVC(gamma=0.3, random_state=0).partial_fit(X, Y)


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("rows", [POOL, sp.csr_matrix(POOL)], ids=["dense", "sparse"])
def test_queries_are_different_rows_of_the_pool(machine, strategy, rows):
    chosen = machine.query(rows, 17, strategy)
    assert len(np.unique(chosen)) == 17
    assert ((chosen >= 0) & (chosen < 200)).all()
    np.testing.assert_array_equal(chosen, machine.query(rows, 17, strategy))
    assert len(machine.query(rows, 999, strategy)) == 200
    assert len(machine.query(rows, 3, strategy, n_candidates=20)) == 3


def test_the_margin_strategy_takes_the_nearest(machine):
    near = uncertainty(machine.decision_function(POOL))
    assert machine.query(POOL)[0] == near.argmin()
    chosen = machine.query(POOL, 10, diversity=0.0)
    np.testing.assert_array_equal(np.sort(near[chosen]), np.sort(near)[:10])


def test_uncertainty_of_two_functions_is_that_of_one():
    f = np.array([0.5, -2.0, 0.0])
    np.testing.assert_allclose(uncertainty(np.c_[f, -f]), uncertainty(f[:, None]))


def test_autoactive_takes_rows_nearer_than_random_ones(machine):
    near = uncertainty(machine.decision_function(POOL))
    assert near[machine.query(POOL, 20, "autoactive")].mean() < 0.7 * near.mean()


def test_max_min_margin_prefers_near_the_boundary_and_far_from_what_is_known(machine):
    chosen = machine.query(POOL, 20, "max-min-margin", diversity=0.0)
    near = uncertainty(machine.decision_function(POOL))
    nearest = cross_block(machine.kernel_, POOL, machine.support_vectors_).max(axis=1)
    assert near[chosen].mean() < near.mean()
    assert nearest[chosen].mean() < nearest.mean()
    gain = (1 + near) ** 2 / (2 - 2 * nearest)
    np.testing.assert_allclose(np.sort(gain[chosen]), np.sort(gain)[:20])


def test_diverse_queries_are_less_alike():
    rows, labels = board(400)
    machine = OnlineSVC(gamma=2.0, C=10.0, random_state=0).partial_fit(rows, labels)
    pool = np.repeat(board(60, seed=5)[0], 5, axis=0)  # five copies of each
    alike = machine.query(pool, 10, diversity=0.0)
    different = machine.query(pool, 10, diversity=0.7)
    assert len(np.unique(alike // 5)) < 10
    assert len(np.unique(different // 5)) == 10


def test_active_learning_asks_for_no_more_than_its_budget():
    asked = []

    def oracle(rows):
        asked.extend(rows.tolist())
        return Y[rows]

    machine = OnlineSVC(gamma=0.3, random_state=0)
    machine.active_fit(X, oracle, 60, batch_size=7, classes=[0, 1, 2], stopping=None)
    assert machine.stop_reason_ == "budget"
    assert len(asked) == len(set(asked)) == len(machine.queried_) == 60
    np.testing.assert_array_equal(asked, machine.queried_)
    assert machine.n_seen_ == 60
    assert machine.violation_ <= 1e-3
    assert machine.score(X, Y) > 0.8


def test_active_learning_goes_on_from_a_machine():
    machine = OnlineSVC(gamma=0.3, random_state=0).partial_fit(X[:50], Y[:50])
    machine.active_fit(POOL, three(200, seed=1)[1], 30)
    assert machine.n_seen_ == 80


def test_active_learning_stops_where_nothing_is_inside_the_margin():
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, 500)
    rows = rng.normal(size=(500, 2)) * 0.3 + 3.0 * labels[:, None]
    machine = OnlineSVC(kernel="linear", C=100.0, random_state=0).active_fit(rows, labels, 400)
    assert machine.stop_reason_ == "margin"
    assert len(machine.queried_) < 100
    assert machine.score(rows, labels) == 1.0


def test_active_learning_ends_with_the_pool_or_by_the_monitor():
    machine = OnlineSVC(gamma=0.3, random_state=0).active_fit(X[:30], Y[:30], 99, stopping=None)
    assert machine.stop_reason_ == "pool"
    assert sorted(machine.queried_) == list(range(30))
    machine = OnlineSVC(gamma=0.3).active_fit(X, Y, 99, monitor=lambda fitted: True)
    assert machine.stop_reason_ == "monitor"


def test_the_first_labels_have_two_classes_if_they_can():
    labels = (np.arange(300) == 299).astype(int)
    machine = OnlineSVC(gamma=0.3, random_state=0)
    machine.active_fit(X, lambda rows: labels[rows], 300, n_initial=2)
    assert 299 in machine.queried_
    assert machine.classes_.tolist() == [0, 1]


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({"strategy": "best"}, "strategy"),
        ({"diversity": 2.0}, "diversity"),
        ({"n_candidates": 0}, "n_candidates"),
        ({"budget": 0}, "budget"),
        ({"batch_size": 0.5}, "batch_size"),
        ({"stopping": "never"}, "stopping"),
        ({"oracle": Y[:5]}, "oracle"),
        ({"oracle": lambda rows: [1]}, "oracle"),
        ({"X": np.full((300, 4), np.nan)}, "NaN"),
    ],
)
def test_bad_arguments_are_refused_by_name(options, word):
    machine = OnlineSVC(gamma=0.3)
    before = dict(vars(machine))
    with pytest.raises(ValueError, match=word):
        machine.active_fit(**({"X": X, "oracle": Y, "budget": 20} | options))
    assert vars(machine) == before


def test_queries_refuse_bad_rows(machine):
    with pytest.raises(NotFittedError):
        OnlineSVC().query(POOL)
    with pytest.raises(ValueError, match="features"):
        machine.query(POOL[:, :2])
    with pytest.raises(ValueError, match="n must be"):
        machine.query(POOL, -1)


def test_learning_curves_show_that_asking_pays():
    rows, labels = board(600, seed=2)
    test = board(600, seed=3)
    prototype = OnlineSVC(gamma=2.0, C=100.0)
    curves = learning_curves(
        prototype, rows, labels, *test, 80, n_repeats=2, random_state=0, batch_size=10
    )
    margin, chance = curves.scores["margin"], curves.scores["random"]
    assert margin.shape[0] == chance.shape[0] == 2
    assert margin[:, -1].mean() > chance[:, -1].mean()
    assert len(curves.plot().lines) == 2
