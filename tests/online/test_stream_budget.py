"""A budget of kept examples, and what it does to the function."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from streams import board, learned, streamed, three

from mercer import OnlineSVC, OnlineSVR
from mercer.gram.cross import cross_block
from mercer.kernels import Gaussian

EVICTIONS = ("removal", "projection", "merging")


def norm(kernel, rows, coef):
    """|sum_i coef_i phi(x_i)|."""
    return np.sqrt(max(coef @ cross_block(kernel, rows, rows) @ coef, 0.0))


@pytest.mark.parametrize("eviction", EVICTIONS)
@pytest.mark.parametrize("data", [board(400, noise=0.2), three(400)], ids=["board", "three"])
def test_a_budget_is_kept_and_the_point_stays_feasible(eviction, data):
    X, y = data
    machine = OnlineSVC(C=5.0, gamma=1.0, max_support_vectors=30, eviction=eviction)
    for begin in range(0, 400, 25):
        some = slice(begin, begin + 25)
        machine.partial_fit(X[some], y[some], classes=np.unique(y))
        assert machine.n_kept_ <= 30
        assert len(machine.support_ids_) <= 30
        state = machine._learned.stream.state()
        terms = state["terms"].reshape(len(state["ids"]), -1, 3)
        assert (terms[..., 1] <= state["beta"]).all()
        assert (state["beta"] <= terms[..., 2]).all()
        np.testing.assert_allclose(state["beta"].sum(axis=0), 0.0, atol=1e-9)
        K = cross_block(
            machine.kernel_, machine._learned.stream.rows(), machine._learned.stream.rows()
        )
        np.testing.assert_allclose(terms[..., 0] - K @ state["beta"], state["gradient"], atol=1e-7)


def test_one_eviction_changes_the_function_little_and_merging_less_than_removal():
    X, y = board(200, noise=0.2)
    kernel = Gaussian(1.0)
    moved = {}
    for eviction in EVICTIONS:
        machine = OnlineSVC(C=5.0, kernel=kernel, n_reprocess=0).partial_fit(X, y)
        machine.finish()
        zeros = int((machine._learned.stream.state()["beta"] == 0.0).sum())
        # the next example, which is kept already, brings one eviction and nothing else
        machine.set_params(
            max_support_vectors=machine.n_kept_ - zeros - 1, eviction=eviction, tol=1e6
        )
        before = machine.support_vectors_, machine.dual_coef_[0]
        machine.partial_fit(X[:1], y[:1])
        rows = np.vstack([before[0], machine.support_vectors_])
        moved[eviction] = norm(kernel, rows, np.concatenate([-before[1], machine.dual_coef_[0]]))
    assert 0.0 < moved["projection"] < moved["removal"]
    assert 0.0 < moved["merging"] <= moved["removal"] * (1 + 1e-9)
    assert moved["removal"] < 0.1 * norm(kernel, *before)


def test_rows_without_a_coefficient_leave_first_and_for_nothing():
    X, y = board(300, noise=0.2)
    machine = OnlineSVC(C=5.0, gamma=1.0).partial_fit(X, y).finish()
    n, n_support = machine.n_kept_, len(machine.support_ids_)
    assert n_support < n
    machine.set_params(max_support_vectors=n_support, tol=1e6)
    before = machine.dual_coef_.copy()
    machine.partial_fit(X[:1], y[:1])
    np.testing.assert_array_equal(machine.dual_coef_, before)


@pytest.mark.parametrize("eviction", EVICTIONS)
def test_a_budget_costs_little_accuracy(eviction):
    X, y = board(3000, noise=0.05)
    test = board(2000, seed=9)
    machine = OnlineSVC(C=10.0, gamma=3.0, max_support_vectors=100, eviction=eviction)
    assert streamed(machine, X, y, [500, 1000]).finish().score(*test) > 0.8


@pytest.mark.parametrize("eviction", ["removal", "projection"])
def test_a_regression_keeps_its_budget(eviction):
    rng = np.random.default_rng(0)
    X = rng.uniform(0, 6, (1500, 1))
    y = np.sin(X[:, 0]) + 0.2 * rng.normal(size=1500)
    machine = OnlineSVR(gamma=1.0, C=2.0, max_support_vectors=40, eviction=eviction)
    machine.partial_fit(X, y)
    assert machine.n_kept_ <= 40
    assert machine.finish().score(X, np.sin(X[:, 0])) > 0.8


def test_a_long_noisy_stream_needs_no_more_memory_than_its_budget():
    machine = OnlineSVC(C=1.0, gamma=2.0, max_support_vectors=60)
    sizes = []
    for seed in range(8):
        X, y = board(2500, seed=seed, noise=0.2)
        machine.partial_fit(X, y)
        sizes.append((machine._learned.stream.learner.bytes, len(machine._learned.stream.kept)))
    assert max(size for size, _ in sizes) <= 61 * 100 * 8
    assert max(rows for _, rows in sizes) <= 4 * 60


def test_a_long_stream_without_noise_keeps_its_support_vectors_only():
    machine = OnlineSVC(C=100.0, gamma=2.0)
    kept = []
    for seed in range(8):
        machine.partial_fit(*board(2500, seed=seed))
        kept.append(
            (
                machine.n_kept_,
                len(machine._learned.stream.kept),
                machine._learned.stream.learner.n_slots,
            )
        )
    assert kept[-1][0] < 2 * kept[3][0]
    assert kept[-1][1] <= 2 * kept[-1][0] + 64
    assert kept[-1][2] <= 2 * kept[-1][0] + 64


def one_width(kind):
    """The same Gaussian kernel, by three ways of making rows between others."""
    gamma = {"plain": 0.7, "diagonal": np.full(2, 0.7), "full": 0.7 * np.eye(2)}[kind]
    return Gaussian(gamma)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.uint8])
def test_merging_does_not_depend_on_chunks_or_on_being_saved(dtype):
    X, y = board(300, noise=0.2)
    X = (20 * X).astype(dtype) if dtype == np.uint8 else X.astype(dtype)
    gamma = 0.005 if dtype == np.uint8 else 2.0
    machine = OnlineSVC(C=5.0, gamma=gamma, max_support_vectors=15, eviction="merging")
    whole = streamed(clone(machine), X, y, [])
    assert (whole.support_ids_ < 0).any()
    assert learned(streamed(clone(machine), X, y, [1, 2, 40, 41, 160])) == learned(whole)
    saved = pickle.loads(pickle.dumps(streamed(clone(machine), X[:150], y[:150], [])))
    assert learned(saved.partial_fit(X[150:], y[150:])) == learned(whole)


@pytest.mark.parametrize("kind", ["sparse", "diagonal", "full", "three"])
def test_rows_between_others_are_the_same_whoever_makes_them(kind):
    X, y = three(300) if kind == "three" else board(300, noise=0.2)
    kernel = one_width(kind if kind in ("diagonal", "full") else "plain")
    machine = OnlineSVC(C=5.0, kernel=kernel, max_support_vectors=20, eviction="merging")
    rows = sp.csr_matrix(X) if kind == "sparse" else X
    whole = streamed(clone(machine), rows, y, [])
    assert learned(streamed(clone(machine), rows, y, [3, 90])) == learned(whole)
    # of a short stream: rounding decides between pairs, and is another one here
    short = streamed(clone(machine), rows[:36], y[:36], [])
    assert (short.support_ids_ < 0).any()
    plain = streamed(clone(machine).set_params(kernel=one_width("plain")), X[:36], y[:36], [])
    np.testing.assert_allclose(short.decision_function(X), plain.decision_function(X), atol=1e-9)


def test_the_default_of_a_budget_lost_eight_points_of_accuracy():
    # noisy rows, budget 100: removal 0.63, merging 0.73, no budget 0.77
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4000, 12))
    y = np.sin(1.5 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.7 * rng.normal(size=4000) > 0
    scores = {}
    for eviction in ("auto", "removal"):
        machine = OnlineSVC(gamma=1 / 12, max_support_vectors=100, eviction=eviction)
        scores[eviction] = machine.partial_fit(X[:2500], y[:2500]).score(X[2500:], y[2500:])
    assert scores["auto"] > scores["removal"] + 0.05


def test_the_default_of_a_budget_suits_the_kernel():
    X, y = three(60)
    assert OnlineSVC(gamma=0.3).partial_fit(X, y)._learned.stream.rules.eviction == "merging"
    assert (
        OnlineSVC(kernel="laplacian", gamma=0.3).partial_fit(X, y)._learned.stream.rules.eviction
        == "removal"
    )
    assert OnlineSVR(gamma=0.3).partial_fit(X, X[:, 0])._learned.stream.rules.eviction == "removal"
