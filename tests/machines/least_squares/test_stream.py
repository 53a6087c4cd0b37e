"""Blocks of a stream give the machine of all rows together."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone

from mercer import LSSVC, LSSVR, RLSC, LowRank
from mercer.least_squares import moments
from mercer.machines.least_squares.streaming import Stream


def rows(n=90, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, np.sin(X[:, 0]) + 0.1 * rng.normal(size=n), rng.choice([0.0, 1.0, 2.0], n)


@pytest.mark.parametrize("bias", [False, True, "penalized"])
@pytest.mark.parametrize("kind", ["low rank", "averaged", "linear", "sparse linear"])
def test_blocks_are_the_whole(kind, bias):
    X, y, weight = rows()
    basis = LowRank(basis=X[:8], n_models=2 if kind == "averaged" else 1)
    linear = "linear" in kind
    machine = LSSVR(
        alpha=[0.03, 0.3, 3.0],
        gamma=0.4,
        kernel="linear" if linear else "rbf",
        low_rank=None if linear else basis,
        fit_intercept=bias,
    )
    form = sp.csr_matrix if kind == "sparse linear" else np.asarray
    streamed = clone(machine)
    for start in range(0, 90, 25):
        part = slice(start, start + 25)
        streamed.partial_fit(form(X[part]), y[part], weight[part])
    whole = clone(machine).set_params(alpha=streamed.alpha_).fit(form(X), y, weight)
    np.testing.assert_allclose(streamed.predict(X), whole.predict(X), atol=1e-8)
    assert streamed.n_samples_seen_ == 90
    assert streamed.dof_ == pytest.approx(whole.dof_)
    if kind != "averaged":
        assert streamed.gcv_ == pytest.approx(whole.gcv_)
    if not linear:
        assert streamed.low_rank_.trace_error_ == pytest.approx(whole.low_rank_.trace_error_)


@pytest.mark.parametrize("machine", [RLSC, LSSVC])
def test_classes_may_come_one_by_one(machine):
    X, y, _ = rows()
    labels = np.digitize(y, [-0.5, 0.5])
    order = np.argsort(labels, kind="stable")
    settings = {"alpha": 0.3, "gamma": 0.4, "low_rank": LowRank(basis=X[:8])}
    whole = machine(**settings, class_weight={0: 2.0}).fit(X, labels)
    streamed = machine(**settings, class_weight={0: 2.0})
    for part in np.array_split(order, 5):
        streamed.partial_fit(X[part], labels[part], classes=[0, 1, 2])
    np.testing.assert_allclose(streamed.decision_function(X), whole.decision_function(X), atol=1e-8)
    with pytest.raises(ValueError, match="classes"):
        streamed.partial_fit(X, np.full(90, 7))


def test_later_blocks_may_be_shorter_than_the_basis_reaches():
    X, y, weight = rows()
    machine = LSSVR(gamma=0.4, low_rank=LowRank(8, random_state=0))
    machine.partial_fit(X[:70], y[:70], weight[:70])
    basis = machine.low_rank_.basis_[0]
    assert (weight[basis] > 0).all()
    for start in range(70, 90, 5):
        machine.partial_fit(X[start : start + 5], y[start : start + 5])
    np.testing.assert_array_equal(machine.low_rank_.basis_[0], basis)
    np.testing.assert_array_equal(machine.support_vectors_, X[basis])


def test_a_memory_map_is_read_in_blocks(tmp_path, monkeypatch):
    X, y, _ = rows(500)
    stored = np.lib.format.open_memmap(
        tmp_path / "rows.npy", mode="w+", dtype=np.float32, shape=X.shape
    )
    stored[:] = X
    largest = []
    add = moments.Moments.add
    monkeypatch.setattr(
        moments.Moments, "add", lambda self, *a: largest.append(a[0].shape[0]) or add(self, *a)
    )
    monkeypatch.setattr(
        "mercer.lowrank.low_rank.row_slices",
        lambda n, *_: [slice(start, min(start + 64, n)) for start in range(0, n, 64)],
    )
    settings = {"alpha": 0.3, "gamma": 0.4, "low_rank": LowRank(basis=X[:8])}
    machine = LSSVR(**settings).fit(np.load(tmp_path / "rows.npy", mmap_mode="r"), y)
    assert max(largest) == 64
    expected = LSSVR(**settings).fit(X.astype(np.float32), y)
    np.testing.assert_allclose(machine.predict(X), expected.predict(X), atol=1e-9)


def test_a_stream_survives_pickling_and_a_fit_ends_it():
    X, y, _ = rows()
    machine = LSSVR(low_rank=LowRank(basis=X[:8]), gamma=0.4)
    once = clone(machine).partial_fit(X[:50], y[:50])
    again = pickle.loads(pickle.dumps(once)).partial_fit(X[50:], y[50:])
    expected = clone(machine).fit(X, y)
    np.testing.assert_allclose(again.predict(X), expected.predict(X), atol=1e-9)
    once.fit(X[:10], y[:10])
    once.partial_fit(X, y)
    np.testing.assert_allclose(once.predict(X), expected.predict(X), atol=1e-9)


def test_a_stream_is_solved_when_it_is_looked_at(monkeypatch):
    X, y, _ = rows()
    solved = []
    fit = Stream.fit
    monkeypatch.setattr(Stream, "fit", lambda self, alphas: solved.append(1) or fit(self, alphas))
    machine = LSSVR(low_rank=LowRank(basis=X[:8]), gamma=0.4)
    for start in range(0, 90, 10):
        machine.partial_fit(X[start : start + 10], y[start : start + 10])
    assert not solved
    values, solver = machine.predict(X), machine.solver_
    assert (len(solved), solver, hasattr(machine, "coef_")) == (1, "rectangle", False)
    machine.partial_fit(X, y)
    assert np.abs(machine.predict(X) - values).max() > 0
    assert len(solved) == 2
    with pytest.raises(AttributeError, match="'LSSVR' object has no attribute 'nothing_'"):
        machine.nothing_  # noqa: B018


def test_a_stream_forgets_the_fit_before_it():
    X, y, _ = rows()
    machine = LSSVR(gamma=0.4).fit(X, y)
    assert len(machine.support_) == 90
    machine.set_params(low_rank=LowRank(basis=X[:8])).partial_fit(X, y)
    assert not hasattr(machine, "support_")
    assert machine.loo_values_ is None
    assert machine.dual_coef_.shape == (1, 8)


def test_what_cannot_be_streamed_is_refused():
    X, y, _ = rows()
    assert not hasattr(LSSVR(), "partial_fit")
    assert not hasattr(LSSVR(low_rank=5, sparse="l0"), "partial_fit")
    with pytest.raises(ValueError, match="alpha must be numbers"):
        LSSVR(alpha="loo", low_rank=5).partial_fit(X, y)
    assert not hasattr(LSSVR(low_rank=LowRank(5, method="subset")), "partial_fit")
    with pytest.raises(ValueError, match="robust"):
        LSSVR(low_rank=5, robust="huber").partial_fit(X, y)
    with pytest.raises(ValueError, match="balanced"):
        RLSC(low_rank=5, class_weight="balanced").partial_fit(X, y > 0)
    with pytest.raises(ValueError, match="precomputed"):
        LSSVR(kernel="precomputed", low_rank=5).partial_fit(np.eye(5), np.arange(5.0))
    machine = LSSVR(low_rank=5).partial_fit(X, y)
    with pytest.raises(ValueError, match="features"):
        machine.partial_fit(X[:, :2], y)


@pytest.mark.parametrize(
    ("parameters", "reason"),
    [
        ({}, "kernel='linear' or low_rank, got kernel='rbf' and low_rank=None"),
        ({"low_rank": LowRank(3, method="nystrom")}, "needs method='rectangle'"),
        ({"kernel": "linear", "sparse": "l0"}, "needs sparse=None"),
    ],
)
def test_a_machine_that_cannot_stream_says_why(parameters, reason):
    for machine in (RLSC, LSSVR):
        fitted = machine(**parameters)
        assert not hasattr(fitted, "partial_fit")
        with pytest.raises(AttributeError, match="has no attribute 'partial_fit'") as error:
            fitted.partial_fit([[0.0], [1.0]], [0, 1])
        assert reason in str(error.value.__cause__)
