"""Classes that nobody announced."""

import pickle

import numpy as np
import pytest
from streams import board, learned, streamed, three

from mercer import OnlineSVC
from mercer.gram import Gram
from mercer.io import load, save
from mercer.problem import Problem, certify

X, Y = three(240)
OTHERS = np.argsort(Y == 1, kind="stable")  # class 1 comes last
NAMES = np.array(["cat", "horse", "giraffe"])


@pytest.mark.parametrize("size", [1, 30, 120])
def test_a_class_that_was_not_announced_is_learned(size):
    machine = OnlineSVC(gamma=0.3)
    for begin in range(0, 240, size):
        rows = OTHERS[begin : begin + size]
        machine.partial_fit(X[rows], Y[rows])
    assert machine.classes_.tolist() == [0, 1, 2]
    assert machine.decision_function(X).shape == (240, 3)
    machine.partial_fit(X, Y)
    assert machine.score(X, Y) > 0.8


def test_the_weight_of_a_class_that_had_not_come_yet_was_refused():
    weights = {0: 1.0, 1: 5.0, 2: 2.0}
    options = {"gamma": 0.3, "class_weight": weights, "selection": "second-order"}
    new, known = OnlineSVC(**options), OnlineSVC(**options)
    for rows in (OTHERS[:160], OTHERS[160:]):
        new.partial_fit(X[rows], Y[rows])
        known.partial_fit(X[rows], Y[rows], classes=[0, 1, 2])
    assert new.class_weight_.tolist() == known.class_weight_.tolist() == [1.0, 5.0, 2.0]
    assert new.finish().objective_ == pytest.approx(known.finish().objective_, rel=0.05)
    with pytest.raises(ValueError, match="not in class_weight"):
        OnlineSVC(class_weight={3: 1.0}).partial_fit(X, Y, classes=[0, 1, 2])


@pytest.mark.parametrize("size", [40, 150])
def test_what_was_learned_stays_when_a_class_is_added(size):
    two = Y != 1
    machine = OnlineSVC(gamma=0.3).partial_fit(X[two], Y[two])
    before = machine.decision_function(X)
    rows = np.flatnonzero(Y == 1)[:1]
    machine.partial_fit(X[rows], Y[rows], sample_weight=[0.0])
    values = machine.decision_function(X)
    np.testing.assert_allclose(values[:, 2], before, atol=1e-9)
    np.testing.assert_allclose(values[:, 0], -before, atol=1e-9)
    np.testing.assert_allclose(values[:, 1], -1.0)
    machine.partial_fit(X[:size], Y[:size])
    state = machine._learned.stream.state()
    gram = Gram(machine.kernel_, machine._learned.stream.rows(), precision="double")
    terms = state["terms"].reshape(len(state["ids"]), -1, 3)
    for f in range(3):
        found = certify(Problem(*terms[:, f].T), gram, state["beta"][:, f])
        assert found.infeasibility < 1e-9
        np.testing.assert_allclose(found.gradient, state["gradient"][:, f], atol=1e-7)


def test_classes_may_come_one_by_one_and_be_saved_in_between(tmp_path):
    machine = OnlineSVC(gamma=0.3, keep_rows=True)
    for k in (2, 0, 1):
        machine.partial_fit(X[k == Y], NAMES[Y[k == Y]])
        assert machine.score(X[k == Y], NAMES[Y[k == Y]]) > 0.7
        machine = pickle.loads(pickle.dumps(machine))
        save(machine, tmp_path / "m.mercer")
        machine = load(tmp_path / "m.mercer")
    assert machine.classes_.tolist() == ["cat", "giraffe", "horse"]
    order = np.concatenate([np.flatnonzero(k == Y) for k in (2, 0, 1)])
    batch = OnlineSVC(gamma=0.3, keep_rows=True).partial_fit(X[order], NAMES[Y[order]]).finish()
    assert machine.finish().objective_ == pytest.approx(batch.objective_, rel=1e-4)


def test_one_class_alone_is_predicted_until_the_other_comes():
    rows, labels = board(60)
    machine = OnlineSVC(gamma=2.0).partial_fit(rows[:1], labels[:1])
    assert (machine.predict(rows) == labels[0]).all()
    machine = streamed(machine, rows[1:], labels[1:], range(1, 59))
    announced = OnlineSVC(gamma=2.0).partial_fit(rows, labels, classes=[-1, 1])
    assert learned(machine) == learned(announced)


def test_classes_that_were_announced_are_all_there_are():
    machine = OnlineSVC(gamma=0.3).partial_fit(X[:9], Y[:9], classes=[0, 1, 2])
    with pytest.raises(ValueError, match="7"):
        machine.partial_fit(X[:1], [7])
    with pytest.raises(ValueError, match="classes"):
        OnlineSVC(gamma=0.3).partial_fit(X[:5], np.zeros(5), classes=[0])
    open_one = OnlineSVC(gamma=0.3).partial_fit(X[:9], Y[:9])
    with pytest.raises(ValueError, match="classes"):
        open_one.partial_fit(X[:1], [0], classes=[0, 1])
    with pytest.raises(ValueError, match="names"):
        open_one.partial_fit(X[:1], ["cat"])
    open_one.partial_fit(X[:1], [0], classes=[0, 1, 2, 3])
    with pytest.raises(ValueError, match="4"):
        open_one.partial_fit(X[:1], [4])


def test_a_budget_and_a_window_take_new_classes_too():
    for options in ({"max_support_vectors": 20}, {"window": 150}):
        machine = OnlineSVC(gamma=0.3, **options)
        for part in np.array_split(OTHERS, 8):
            machine.partial_fit(X[part], Y[part])
        machine.partial_fit(X, Y)
        assert machine.classes_.tolist() == [0, 1, 2]
        assert machine.score(X, Y) > 0.7
