"""Large chunks, each learned in one problem with what is kept."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from streams import board, learned, streamed, three

from mercer import SVC, SVR, OnlineSVC, OnlineSVR, certify
from mercer.gram import Gram
from mercer.online import chunks
from mercer.problem import Problem

CUTS = [200, 400, 600, 800]


def test_the_first_large_chunk_gives_the_machine_of_svc():
    X, y = board(300, noise=0.1)
    machine = OnlineSVC(C=3.0, gamma=2.0, tol=1e-5).partial_fit(X, y)
    batch = SVC(C=3.0, gamma=2.0, tol=1e-5).fit(X, y)
    assert machine.objective_ == pytest.approx(batch.objective_, rel=1e-6)
    np.testing.assert_allclose(machine.decision_function(X), batch.decision_function(X), atol=1e-3)


@pytest.mark.parametrize("data", [board(1000, noise=0.1), three(1000)], ids=["board", "three"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_the_dual_never_falls_and_the_kept_examples_are_optimal(data, dtype):
    X, y = data[0].astype(dtype), data[1]
    machine, last = OnlineSVC(C=3.0, gamma=1.0), 0.0
    for begin in range(0, 1000, 200):
        machine.partial_fit(X[begin : begin + 200], y[begin : begin + 200], classes=np.unique(y))
        assert machine.violation_ <= 2e-3
        assert machine.objective_ >= last - 1e-6
        last = machine.objective_
        state = machine._learned.stream.state()
        gram = Gram(machine.kernel_, machine._learned.stream.rows(), precision="double")
        terms = state["terms"].reshape(len(state["ids"]), -1, 3)
        for f in range(machine._learned.task.n_functions):
            found = certify(Problem(*terms[:, f].T), gram, state["beta"][:, f])
            assert found.infeasibility < 1e-9
            np.testing.assert_allclose(found.gradient, state["gradient"][:, f], atol=1e-4)


def test_a_noisy_stream_in_large_chunks_took_longer_than_refitting_and_a_kernel_matrix():
    X, y = board(1000, noise=0.2)
    machine = streamed(OnlineSVC(gamma=2.0), X, y, CUTS)
    assert (
        machine._learned.stream._learner is None
    )  # which keeps a kernel row of every kept example
    assert machine.kept_bytes_ == 0
    single = streamed(OnlineSVC(gamma=2.0, selection="second-order"), X, y, CUTS)
    batch = SVC(gamma=2.0).fit(X, y)
    assert single.objective_ < machine.objective_ <= batch.objective_ * (1 + 1e-6)
    assert machine.objective_ > 0.99 * batch.objective_


def test_small_chunks_are_learned_whole_where_kernel_rows_exceed_cache_size():
    X, y = board(400, noise=0.2)
    machine = OnlineSVC(gamma=2.0, cache_size=0.5)
    for i in range(0, 400, 40):
        machine.partial_fit(X[i : i + 40], y[i : i + 40])
        assert machine.kept_bytes_ <= 2**19
    assert machine.kept_bytes_ == 0
    assert machine.objective_ > 0.95 * SVC(gamma=2.0).fit(X, y).objective_


def test_chunks_below_the_limit_do_not_change_a_bit():
    X, y = board(400, noise=0.1)
    one = streamed(OnlineSVC(gamma=2.0), X, y, range(99, 400, 99))
    other = streamed(OnlineSVC(gamma=2.0), X, y, [*range(7, 400, 7)])
    assert learned(one) == learned(other)
    single = streamed(OnlineSVC(gamma=2.0, selection="second-order"), X, y, [])
    assert learned(one) == learned(single)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, "sparse"])
def test_a_stream_of_large_chunks_goes_on_from_a_pickle_with_the_same_bits(dtype):
    X, y = three(600)
    X = sp.csr_matrix(X) if dtype == "sparse" else X.astype(dtype)
    machine = streamed(OnlineSVC(gamma=0.3), X[:400], y[:400], [150])
    other = pickle.loads(pickle.dumps(machine))
    for one in (machine, other):
        one.partial_fit(X[400:], y[400:])
    assert learned(machine) == learned(other)
    for one in (machine, other):
        one.partial_fit(X[:20], y[:20])  # row by row
        one.partial_fit(X[:120], y[:120])
    assert learned(machine) == learned(other)


def test_a_chunk_of_one_class_waits_for_the_other():
    X, y = board(400)
    machine = OnlineSVC(C=10.0, gamma=2.0)
    machine.partial_fit(X[y > 0], y[y > 0], classes=[-1, 1])
    assert (machine.predict(X) == 1).all()
    assert machine.n_kept_ <= 5
    machine.partial_fit(X[y < 0], y[y < 0])
    machine.partial_fit(X[y > 0], y[y > 0])
    assert machine.score(X, y) > 0.8  # sorted by class: most of the first was forgotten


def test_a_very_large_chunk_is_taken_in_parts(monkeypatch):
    X, y = board(1000, noise=0.1)
    monkeypatch.setattr(chunks, "MOST_ROWS", 200)
    whole = streamed(OnlineSVC(gamma=2.0), X, y, [])
    assert learned(whole) == learned(streamed(OnlineSVC(gamma=2.0), X, y, CUTS))
    assert whole.n_seen_ == 1000


def test_an_interrupt_leaves_the_machine_as_before_the_chunk(monkeypatch):
    X, y = board(400, noise=0.1)
    machine = OnlineSVC(gamma=2.0).partial_fit(X[:200], y[:200])
    before = learned(machine)

    def pressed(*_args, **_options):
        raise KeyboardInterrupt

    monkeypatch.setattr(chunks, "finished", pressed)
    with pytest.raises(KeyboardInterrupt):
        machine.partial_fit(X[200:], y[200:])
    assert (learned(machine), machine.n_seen_) == (before, 200)
    monkeypatch.undo()
    machine.partial_fit(X[200:], y[200:])
    assert learned(machine) == learned(streamed(OnlineSVC(gamma=2.0), X, y, [200]))


def test_a_chunk_that_had_no_time_to_be_solved_says_so():
    X, y = board(3000, noise=0.2)
    machine = OnlineSVC(C=1e4, gamma=2.0, callback=lambda progress: True)
    with pytest.warns(ConvergenceWarning, match="finish"):
        machine.partial_fit(X, y)
    assert machine.n_seen_ == 3000


def test_large_chunks_of_a_regression_come_near_the_batch_machine():
    rng = np.random.default_rng(0)
    X = rng.uniform(0, 6, (1000, 1))
    y = np.sin(X[:, 0]) + 0.1 * rng.normal(size=1000)
    machine = streamed(OnlineSVR(C=5.0, gamma=1.0), X, y, CUTS)
    batch = SVR(C=5.0, gamma=1.0).fit(X, y)
    assert 0.97 * batch.objective_ < machine.objective_ <= batch.objective_ * (1 + 1e-6)
    np.testing.assert_allclose(machine.predict(X), batch.predict(X), atol=0.05)


def test_far_rows_of_a_linear_kernel_keep_their_digits_from_chunk_to_chunk():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(600, 3))
    y = X @ [1.0, -2.0, 0.5] + 0.3 * rng.normal(size=600) > 0
    near, far = (streamed(OnlineSVC(kernel="linear"), rows, y, [200, 400]) for rows in (X, X + 1e5))
    assert far.objective_ == pytest.approx(near.objective_, rel=1e-3)


def test_functions_as_kernels_are_learned_row_by_row():
    X, y = board(150)
    machine = OnlineSVC(kernel=lambda A, B: np.exp(-((A[:, None] - B) ** 2).sum(axis=2)))
    assert machine.partial_fit(X, y).kept_bytes_ > 0


def test_new_classes_of_an_interrupted_chunk_stayed_in_the_machine():
    X, y = three(3000)
    y[:60] %= 2
    machine = OnlineSVC(C=1e4, gamma=0.5, probability=True).partial_fit(X[:60], y[:60]).finish()
    before = pickle.dumps(machine)

    def pressed(progress):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        machine.set_params(callback=pressed).partial_fit(X[60:], y[60:])
    assert pickle.dumps(machine.set_params(callback=None)) == before
    assert machine.decision_function(X).shape == (3000,)
    with pytest.raises(KeyboardInterrupt):
        OnlineSVC(C=1e4, gamma=0.5, callback=pressed).partial_fit(X, y)
