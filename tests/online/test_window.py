"""A sliding window, probabilities, and learning that is judged as it goes."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.linear_model import SGDClassifier
from sklearn.metrics import log_loss
from streams import board, streamed, three

from mercer import SVC, SVR, OnlineSVC, OnlineSVR
from mercer.io import load, save
from mercer.online import prequential


@pytest.mark.parametrize("cuts", [[150], [10, 20, 250], [*range(100, 300, 7)]], ids=len)
def test_a_window_forgets_the_oldest_exactly(cuts):
    X, y = board(300, noise=0.1)
    machine = streamed(OnlineSVC(C=3.0, gamma=2.0, window=120, tol=1e-6), X, y, cuts)
    batch = SVC(C=3.0, gamma=2.0, tol=1e-6).fit(X[180:], y[180:])
    assert machine.objective_ == pytest.approx(batch.objective_, rel=1e-7)
    np.testing.assert_allclose(machine.decision_function(X), batch.decision_function(X), atol=1e-4)
    assert machine.support_ids_.min() >= 180
    assert machine.n_seen_ == 300
    assert machine.violation_ <= 1e-6
    machine.forget([299])
    np.testing.assert_allclose(
        machine.decision_function(X),
        SVC(C=3.0, gamma=2.0, tol=1e-6).fit(X[180:299], y[180:299]).decision_function(X),
        atol=1e-4,
    )


def test_a_window_counts_examples_that_have_weight_and_can_be_saved(tmp_path):
    X, y = three(260)
    weight = np.where(np.arange(260) % 2 == 0, 0.0, 1.0)
    machine = OnlineSVC(window=50).partial_fit(X[:200], y[:200], sample_weight=weight[:200])
    assert machine.gamma_source_ == "first 100 rows"
    assert len(machine._learned.history) == 50
    save(machine, tmp_path / "m.mercer")
    for other in (pickle.loads(pickle.dumps(machine)), load(tmp_path / "m.mercer")):
        other.partial_fit(X[200:], y[200:], sample_weight=weight[200:])
        assert other.support_ids_.min() >= 160
    rows = sp.csr_matrix(X)
    sparse = OnlineSVC(gamma=0.3, window=50).partial_fit(rows, y).partial_fit(rows[:9], y[:9])
    assert sparse.support_ids_.min() >= 219


def test_a_window_of_a_regression_and_of_fit():
    rng = np.random.default_rng(0)
    X = rng.uniform(0, 6, (200, 1))
    y = np.sin(X[:, 0])
    batch = SVR(C=5.0, gamma=1.0, tol=1e-6).fit(X[-60:], y[-60:])
    machine = OnlineSVR(C=5.0, gamma=1.0, window=60, tol=1e-6)
    for fitted in (machine.partial_fit(X, y), machine.fit(X, y)):
        np.testing.assert_allclose(fitted.predict(X), batch.predict(X), atol=1e-4)


@pytest.mark.parametrize("options", [{"keep_rows": True}, {"max_support_vectors": 20}], ids=str)
def test_a_window_says_what_is_kept(options):
    X, y = board(20)
    with pytest.raises(ValueError, match=next(iter(options))):
        OnlineSVC(gamma=1.0, window=50, **options).partial_fit(X, y)
    machine = OnlineSVC(gamma=1.0, window=50).partial_fit(X, y)
    with pytest.raises(ValueError, match="window"):
        machine.set_params(window=60).partial_fit(X, y)


@pytest.mark.parametrize("data", [board(900, noise=0.2), three(900)], ids=["board", "three"])
@pytest.mark.parametrize("method", ["partial_fit", "fit", "window"])
def test_probabilities_agree_with_predictions_and_are_calibrated(data, method, tmp_path):
    X, y = data
    options = {"window": 400} if method == "window" else {}
    machine = OnlineSVC(gamma=1.0, probability=True, random_state=0, **options)
    if method == "fit":
        machine.fit(X[:600], y[:600])
    else:
        streamed(machine, X[:600], y[:600], [150, 160, 400])
    found = machine.predict_proba(X[600:])
    np.testing.assert_allclose(found.sum(axis=1), 1.0)
    np.testing.assert_array_equal(machine.classes_[found.argmax(axis=1)], machine.predict(X[600:]))
    share = np.bincount(np.searchsorted(machine.classes_, y[:600])) / 600
    assert log_loss(y[600:], found) < log_loss(y[600:], np.tile(share, (300, 1))) - 0.05
    save(machine, tmp_path / "m.mercer")
    np.testing.assert_array_equal(load(tmp_path / "m.mercer").predict_proba(X[600:]), found)


def test_probabilities_have_to_be_asked_for():
    X, y = board(60)
    assert not hasattr(OnlineSVC(gamma=1.0).partial_fit(X, y), "predict_proba")
    one = OnlineSVC(gamma=1.0, probability=True).partial_fit(X[:1], y[:1])
    assert one.predict_proba(X[:3]).tolist() == [[1.0]] * 3
    alone = OnlineSVC(gamma=1.0, probability=True).partial_fit(X[:1], y[:1], classes=[-1, 1])
    with pytest.raises(ValueError, match="predict_proba"):
        alone.predict_proba(X)
    grown = OnlineSVC(gamma=1.0, probability=True)
    grown.partial_fit(X[:30], y[:30]).partial_fit(X[30:], y[30:])
    grown.partial_fit(X[:20], np.full(20, 5))
    assert grown.predict_proba(X).shape == (60, 3)


def test_each_chunk_is_predicted_before_it_is_learned():
    X, y = board(1000)
    curve = prequential(OnlineSVC(C=100.0, gamma=2.0), X, y, chunk_size=90)
    assert curve.n_seen.tolist() == [*range(90, 1000, 90)]
    assert curve.n_rows.sum() == 910
    machine = OnlineSVC(C=100.0, gamma=2.0).partial_fit(X[:90], y[:90])
    assert curve.scores[0] == machine.score(X[90:180], y[90:180])
    assert curve.scores[-3:].mean() > curve.scores[:3].mean()
    assert curve.mean == pytest.approx(curve.cumulative[-1])
    assert curve.fading(1.0) == pytest.approx(curve.cumulative)
    assert curve.fading(1e-9) == pytest.approx(curve.scores)
    with pytest.raises(ValueError, match="factor"):
        curve.fading(0.0)


def test_any_machine_with_partial_fit_can_be_judged():
    X, y = three(300)
    parts = [(X[i : i + 50], y[i : i + 50]) for i in range(0, 300, 50)]
    sgd = prequential(SGDClassifier(random_state=0), iter(parts), classes=[0, 1, 2])
    loss = prequential(OnlineSVC(gamma=0.3, probability=True), iter(parts), scoring="neg_log_loss")
    assert len(sgd.scores) == len(loss.scores) == 5
    assert (loss.scores < 0).all()
    targets = prequential(OnlineSVR(gamma=0.3), X, X[:, 0], chunk_size=100)
    assert targets.scores[-1] > 0.8
    with pytest.raises(ValueError, match="two chunks"):
        prequential(OnlineSVC(), X, y, chunk_size=300)
    with pytest.raises(ValueError, match="chunk_size"):
        prequential(OnlineSVC(), X, y, chunk_size=0)
    with pytest.raises(ValueError, match="as many"):
        prequential(OnlineSVC(), X, y[:5])


def test_a_prequential_curve_can_be_drawn():
    pytest.importorskip("matplotlib").use("agg")
    X, y = board(300)
    ax = prequential(OnlineSVC(gamma=2.0), X, y).plot()
    assert ax.get_xlabel() == "examples learned"


def test_a_stream_without_probabilities_says_which_option_it_needs() -> None:
    machine = OnlineSVC()
    assert not hasattr(machine, "predict_proba")
    with pytest.raises(AttributeError, match="probability=True"):
        machine.predict_proba([[0.0]])


def test_a_second_class_came_after_a_window_of_one():
    X, y = board(120)
    order = np.argsort(y, kind="stable")
    machine = OnlineSVC(gamma=1.0, window=120)
    for rows in np.array_split(order, 4):
        machine.partial_fit(X[rows], y[rows])
    whole = OnlineSVC(gamma=1.0, window=120).fit(X[order], y[order])
    assert machine.classes_.tolist() == [-1, 1]
    assert machine.objective_ == pytest.approx(whole.objective_, rel=1e-3)
