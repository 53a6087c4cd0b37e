"""The edges of streams: nothing seen, nothing left, nothing to support, and changes of mind."""

import pickle
import signal

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from streams import board, learned, streamed, three

from mercer import SVC, OnlineSVC, OnlineSVR
from mercer.io import load, save
from mercer.online import learning_curves
from mercer.online.kept_rows import KeptRows
from mercer.online.uninterrupted import uninterrupted

X, Y = three(120)


def kept(**options):
    return OnlineSVC(gamma=0.3, keep_rows=True, **options).partial_fit(X, Y)


def test_rows_of_weight_zero_are_passed_over_one_by_one_too():
    weight = np.where(np.arange(120) % 3 == 1, 0.0, 2.0)
    whole = OnlineSVC(gamma=0.3).partial_fit(X, Y, sample_weight=weight)
    single = streamed(OnlineSVC(gamma=0.3), X, Y, range(1, 120), sample_weight=weight)
    assert learned(single) == learned(whole)
    assert single.n_seen_ == 120


@pytest.mark.usefixtures("interruptible")
def test_ctrl_c_while_rows_are_put_away_loses_none(monkeypatch):
    tidy, rows = KeptRows.tidy, board(400, noise=0.2)

    def pressed(self, is_wanted):
        signal.raise_signal(signal.SIGINT)
        tidy(self, is_wanted)

    machine = OnlineSVC(
        C=10.0, gamma=2.0, selection="second-order", shuffle=False, finishing="none"
    )
    monkeypatch.setattr(KeptRows, "tidy", pressed)
    with pytest.raises(KeyboardInterrupt):
        machine.partial_fit(*rows)
    refitted = OnlineSVC(**machine.get_params())
    with pytest.raises(KeyboardInterrupt):
        refitted.fit(*rows)
    monkeypatch.undo()
    n = machine.n_seen_
    assert 0 < n < 400
    other = OnlineSVC(C=10.0, gamma=2.0, selection="second-order").partial_fit(
        rows[0][:n], rows[1][:n]
    )
    assert learned(machine) == learned(other)
    np.testing.assert_array_equal(refitted.predict(rows[0]), other.predict(rows[0]))


@pytest.mark.usefixtures("interruptible")
def test_an_interrupt_comes_after_what_must_not_be_cut():
    done = []

    def work():
        with uninterrupted():
            signal.raise_signal(signal.SIGINT)
            done.append(True)

    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            work()
    assert done == [True, True]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_machine_that_was_given_no_time_can_be_used(tmp_path):
    machine = OnlineSVC(gamma=0.3, max_time=1e-9)
    with pytest.warns(ConvergenceWarning, match="0 of 120"):
        machine.fit(X, Y)
    assert machine.fit_status_ == 1
    assert machine.violation_ == machine.objective_ == 0.0
    assert machine.support_vectors_.shape == (0, 4)
    save(machine, tmp_path / "m.mercer")
    assert (load(tmp_path / "m.mercer").predict(X) == machine.predict(X)).all()
    machine.set_params(max_time=None).partial_fit(X, Y)
    assert machine.finish().score(X, Y) > 0.8


def test_the_optimum_may_have_no_support_vector():
    y = 0.1 * X[:, 0]
    machine = OnlineSVR(gamma=0.3, epsilon=0.01, keep_rows=True).partial_fit(X, y)
    assert len(machine.support_ids_) > 0
    machine.forget(np.arange(1, 120))
    assert len(machine.support_ids_) == 0
    assert machine.dual_gap_ == 0.0
    assert machine.predict(X) == pytest.approx(y[0], abs=0.011)
    wide = OnlineSVR(gamma=0.3, epsilon=9.0).fit(X, y)
    assert (wide.dual_gap_, wide.fit_status_, wide.objective_) == (0.0, 0, 0.0)


def test_one_class_can_be_finished_before_the_other_comes():
    machine = OnlineSVC(gamma=0.3, keep_rows=True)
    machine.partial_fit(X[Y == 1], Y[Y == 1], classes=[1, 2]).finish()
    assert (machine.predict(X) == 1).all()
    assert machine.dual_gap_ == 0.0
    machine.partial_fit(X[Y == 2], Y[Y == 2]).finish()
    batch = SVC(gamma=0.3).fit(X[Y > 0], Y[Y > 0])
    np.testing.assert_allclose(machine.decision_function(X), batch.decision_function(X), atol=5e-3)


def test_a_whole_class_can_be_forgotten():
    machine = kept(tol=1e-6).forget(np.flatnonzero(Y == 0))
    assert set(machine.predict(X)) == {1, 2}
    batch = SVC(gamma=0.3, tol=1e-6).fit(X[Y > 0], Y[Y > 0])
    values = machine.decision_function(X)
    np.testing.assert_allclose(values[:, 2], batch.decision_function(X), atol=1e-5)
    assert machine.violation_ <= 1e-6


def test_everything_can_be_forgotten_and_learning_goes_on():
    machine = kept().forget(np.arange(120))
    assert machine.n_kept_ == 0
    with pytest.raises(ValueError, match="ids"):
        machine.forget([3])
    machine = pickle.loads(pickle.dumps(machine)).partial_fit(X, Y).finish()
    assert machine.support_ids_.min() >= 120
    assert machine.objective_ == pytest.approx(kept().finish().objective_)


@pytest.mark.parametrize(
    "change",
    [
        {"C": 2.0},
        {"gamma": 0.4},
        {"kernel": "linear"},
        {"keep_rows": False},
        {"class_weight": {0: 1.0, 1: 2.0, 2: 1.0}},
        {"precision": "single"},
    ],
    ids=str,
)
def test_the_problem_of_a_stream_stays_the_same(change):
    machine = kept()
    before = learned(machine)
    machine.set_params(**change)
    for call in (lambda: machine.partial_fit(X, Y), machine.finish, lambda: machine.forget([0])):
        with pytest.raises(ValueError, match=next(iter(change))):
            call()
    assert learned(machine) == before
    machine.fit(X, Y)


def test_how_a_stream_is_learned_may_change():
    machine = kept().set_params(tol=1e-6, n_reprocess=2, selection="most-violating", gamma=0.3)
    assert machine.partial_fit(X, Y).finish().violation_ <= 1e-6


def test_reprocessing_ends_where_nothing_is_left_to_do():
    few = OnlineSVC(gamma=0.3, n_reprocess=10**4).partial_fit(X, Y)
    many = OnlineSVC(gamma=0.3, n_reprocess=10**12).partial_fit(X, Y)
    assert learned(few) == learned(many)


def test_labels_that_were_given_are_told_when_the_oracle_fails():
    machine, asked = OnlineSVC(gamma=0.3, random_state=0), []

    def oracle(rows):
        if len(asked) >= 20:
            raise RuntimeError("gone home")
        asked.extend(rows.tolist())
        return Y[rows]

    with pytest.raises(RuntimeError, match="home"):
        machine.active_fit(X, oracle, 60, classes=[0, 1, 2], stopping=None)
    assert machine.queried_.tolist() == asked
    assert machine.n_seen_ == len(asked)
    assert not hasattr(machine, "stop_reason_")


@pytest.mark.parametrize(
    "options", [{"n_repeats": 0}, {"strategies": ()}, {"strategies": "margin"}], ids=str
)
def test_learning_curves_refuse_what_gives_none(options):
    with pytest.raises(ValueError, match=next(iter(options))):
        learning_curves(OnlineSVC(gamma=0.3), X, Y, X, Y, 20, **options)


def test_diversity_must_be_a_number():
    with pytest.raises(ValueError, match="diversity"):
        kept().query(X, 3, diversity="much")


def test_a_second_epoch_in_which_every_row_was_kept_could_not_reshape_an_array():
    rng = np.random.default_rng(0)
    rows, labels = rng.normal(size=(200, 4)), rng.integers(0, 2, 200)
    machine = OnlineSVC(gamma=10.0, n_epochs=2).fit(rows, labels)
    assert machine.objective_ == pytest.approx(SVC(gamma=10.0).fit(rows, labels).objective_)


FOUR = [[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1]


def test_a_window_without_an_example_gave_an_index_error():
    machine = OnlineSVC(gamma=1.0, window=10, probability=True)
    machine.partial_fit(*FOUR, sample_weight=[0, 0, 1, 1])
    assert machine.n_seen_ == 4
    assert machine.support_ids_.tolist() == [2, 3]


@pytest.mark.parametrize("gamma", [1.0, "scale"])
@pytest.mark.parametrize("options", [{"keep_rows": True}, {"window": 20}], ids=str)
def test_a_chunk_of_weight_zero_was_refused_after_everything_was_forgotten(gamma, options):
    machine = OnlineSVC(gamma=gamma, **options).partial_fit(*FOUR).forget([0, 1, 2, 3])
    machine.partial_fit([[0.0]], [0], sample_weight=[0.0])
    assert (machine.n_seen_, machine.n_kept_) == (5, 0)
    machine.partial_fit(*FOUR)
    assert machine.support_ids_.min() >= 5
    again = OnlineSVC(gamma=gamma, **options).partial_fit(*FOUR)
    np.testing.assert_allclose(machine.decision_function(FOUR[0]), again.decision_function(FOUR[0]))
