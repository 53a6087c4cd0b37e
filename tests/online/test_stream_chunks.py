"""What users do with a stream: bad chunks, interrupts, saving, finishing, forgetting."""

import _thread
import pickle
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from streams import board, learned, streamed, three

from mercer import SVC, OnlineSVC, OnlineSVR, certify
from mercer.formulations import svc
from mercer.gram import Gram
from mercer.io import load, save

X, Y = three(200)
NAN = np.where(np.arange(4) == 2, np.nan, X[:5])


def begun(**options):
    return streamed(OnlineSVC(gamma=0.3, **options), X, Y, [120])


BAD = {
    "wrong width": (X[:5, :3], Y[:5], {}),
    "not a number": (NAN, Y[:5], {}),
    "unseen class": (X[:5], [0, 1, 2, 7, 1], {}),
    "wrong length": (X[:5], Y[:4], {}),
    "no rows": (X[:0], Y[:0], {}),
    "negative weight": (X[:3], Y[:3], {"sample_weight": [1.0, -1.0, 1.0]}),
    "short weight": (X[:3], Y[:3], {"sample_weight": [1.0, 1.0]}),
    "weight that is no number": (X[:3], Y[:3], {"sample_weight": [1.0, np.nan, 1.0]}),
    "short weights of zero": (X[:3], Y[:3], {"sample_weight": np.zeros(2)}),
    "other classes": (X[:3], Y[:3], {"classes": [0, 1]}),
    "text": ([["a"] * 4] * 2, [0, 1], {}),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_chunk_is_refused_and_leaves_the_machine_as_it_was(name):
    rows, labels, options = BAD[name]
    machine, other = begun(keep_rows=True), begun(keep_rows=True)
    with pytest.raises(ValueError):
        machine.partial_fit(rows, labels, **options)
    assert learned(machine) == learned(other)
    assert machine.n_seen_ == 200
    machine.partial_fit(X[:20], Y[:20])
    other.partial_fit(X[:20], Y[:20])
    assert learned(machine) == learned(other)


def test_a_bad_first_chunk_leaves_nothing_behind():
    machine = OnlineSVC(gamma=0.3)
    for kind in (int, float, str):
        with pytest.raises(ValueError, match="classes"):
            machine.partial_fit(X[:5], np.zeros(5).astype(kind), classes=[kind(0)])
    assert vars(machine) == vars(OnlineSVC(gamma=0.3))
    with pytest.raises(NotFittedError):
        machine.predict(X)
    machine.partial_fit(X[:5, :2], Y[:5], classes=[0, 1, 2])


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({"C": np.inf}, "C"),
        ({"C": 0.0}, "C"),
        ({"kernel": "precomputed"}, "kernel"),
        ({"selection": "third-order"}, "selection"),
        ({"max_support_vectors": 3}, "max_support_vectors"),
        ({"max_support_vectors": 50, "keep_rows": True}, "keep_rows"),
        ({"max_support_vectors": 50, "eviction": "merging", "kernel": "linear"}, "merging"),
        ({"class_weight": "balanced"}, "balanced"),
        ({"n_epochs": 0}, "n_epochs"),
    ],
)
def test_bad_parameters_are_refused_by_name(options, word):
    machine = OnlineSVC(**options)
    before = dict(vars(machine))
    with pytest.raises(ValueError, match=word):
        machine.partial_fit(X, Y, classes=[0, 1, 2])
    assert vars(machine) == before


def test_rows_of_a_chunk_that_was_refused_were_counted():
    machine = begun()
    machine.set_params(tol="small")
    with pytest.raises(ValueError, match="small"):
        machine.partial_fit(X[:9], Y[:9])
    assert machine.n_seen_ == 200


@pytest.mark.parametrize("method", ["predict", "decision_function"])
def test_prediction_refuses_bad_rows(method):
    machine = begun()
    with pytest.raises(ValueError, match="features"):
        getattr(machine, method)(X[:, :2])
    with pytest.raises(ValueError, match="NaN"):
        getattr(machine, method)(NAN)


def test_gamma_comes_from_the_first_chunk_and_says_so():
    machine = OnlineSVC().partial_fit(X[:120], Y[:120], classes=[0, 1, 2])
    assert machine.gamma_source_ == "first 120 rows"
    gamma = machine.kernel_.gamma
    assert gamma == pytest.approx(1 / (4 * X[:120].var()))
    machine.partial_fit(X[120:], Y[120:])
    assert machine.kernel_.gamma == gamma
    assert begun().gamma_source_ == "given"
    assert OnlineSVC(gamma="auto").partial_fit(X[:9], Y[:9]).gamma_source_ == "given"


@pytest.mark.parametrize("keep_rows", [False, True])
@pytest.mark.parametrize("selection", ["auto", "second-order"])
def test_gamma_was_taken_from_a_first_chunk_of_one_row(selection, keep_rows):
    machine = OnlineSVC(selection=selection, keep_rows=keep_rows)
    small = streamed(machine, X, Y, [1, 2, 9, 50, 99, 140, 150, 190])
    assert small.gamma_source_ == "first 100 rows"
    assert small.kernel_.gamma == pytest.approx(1 / (4 * X[:100].var()))
    plain = OnlineSVC(gamma=small.kernel_.gamma, selection="second-order")
    assert learned(small) == learned(streamed(plain, X, Y, []))
    assert (small._learned.history is not None) == keep_rows
    if selection != "auto":
        assert learned(small) == learned(streamed(OnlineSVC(selection=selection), X, Y, []))


def test_a_stream_that_waits_for_gamma_can_be_used_and_saved(tmp_path):
    weight = np.where(np.arange(200) % 4 == 0, 0.0, 1.0)
    machine = OnlineSVC(selection="second-order")
    machine.partial_fit(X[:30], Y[:30], classes=[0, 1, 2], sample_weight=weight[:30])
    assert machine.gamma_source_ == "first 22 rows"
    assert machine.score(X, Y) > 0.6
    assert machine.finish().violation_ <= machine.tol
    machine = pickle.loads(pickle.dumps(machine))
    save(machine, tmp_path / "m.mercer")
    machine = load(tmp_path / "m.mercer")
    machine.partial_fit(X[30:], Y[30:], sample_weight=weight[30:])
    assert machine.n_seen_ == 200
    whole = OnlineSVC(selection="second-order")
    assert learned(machine) == learned(whole.partial_fit(X, Y, sample_weight=weight))
    assert OnlineSVR().partial_fit(X[:50], X[:50, 0]).gamma_source_ == "first 50 rows"


@given(cut=st.integers(1, 199), case=st.sampled_from(["dense", "sparse", "single", "budget"]))
def test_a_stream_saved_in_the_middle_goes_on_with_the_same_result(cut, case):
    rows = {"sparse": sp.csr_matrix(X), "single": X.astype(np.float32)}.get(case, X)
    budget = 40 if case == "budget" else None
    machine = OnlineSVC(gamma=0.3, max_support_vectors=budget, eviction="projection")
    machine.partial_fit(rows[:cut], Y[:cut], classes=[0, 1, 2])
    other = pickle.loads(pickle.dumps(machine))
    assert learned(machine) == learned(other)
    for one in (machine, other):
        one.partial_fit(rows[cut:], Y[cut:])
    assert learned(machine) == learned(other)


@pytest.mark.parametrize("keep_rows", [False, True])
def test_a_machine_saved_after_finishing_goes_on_with_the_same_result(keep_rows):
    machine = begun(keep_rows=keep_rows).finish()
    other = pickle.loads(pickle.dumps(machine))
    assert other.violation_ == machine.violation_
    assert learned(machine) == learned(other)
    for one in (machine, other):
        one.partial_fit(X[:50] + 0.1, Y[:50])
        one.finish()
    np.testing.assert_allclose(machine.objective_, other.objective_, rtol=1e-9)


@contextmanager
def impatient_user() -> Iterator[None]:
    """Ctrl-C after 0.3 s, and again later: one may be lost inside a callback of the collector."""
    is_over = threading.Event()

    def press() -> None:
        wait = 0.3
        while not is_over.wait(wait):
            _thread.interrupt_main()
            wait = 5.0

    user = threading.Thread(target=press)
    user.start()
    try:
        yield
    finally:
        is_over.set()
        user.join()


@pytest.mark.usefixtures("interruptible")
def test_an_interrupt_leaves_the_machine_after_the_last_whole_example():
    rows, labels = board(60000, noise=0.2)
    machine = OnlineSVC(C=10.0, gamma=2.0, selection="second-order", n_threads=1).partial_fit(
        rows[:50], labels[:50]
    )
    with pytest.raises(KeyboardInterrupt), impatient_user():
        machine.partial_fit(rows[50:], labels[50:])
    n = machine.n_seen_
    assert 50 <= n < 60000
    other = streamed(
        OnlineSVC(C=10.0, gamma=2.0, selection="second-order"), rows[:n], labels[:n], []
    )
    assert learned(machine) == learned(other)


def test_max_time_ends_a_chunk_between_examples():
    rows, labels = board(60000, noise=0.2)
    machine = OnlineSVC(C=10.0, gamma=2.0, selection="second-order", max_time=0.1)
    with pytest.warns(ConvergenceWarning, match="n_seen_"):
        machine.partial_fit(rows, labels)
    n = machine.n_seen_
    assert 0 < n < 60000
    other = streamed(
        OnlineSVC(C=10.0, gamma=2.0, selection="second-order"), rows[:n], labels[:n], []
    )
    assert learned(machine) == learned(other)


def test_the_callback_sees_progress_and_can_stop():
    seen = []

    def callback(progress):
        seen.append(progress)
        return len(seen) == 2

    rows, labels = board(60000, noise=0.2)
    machine = OnlineSVC(C=10.0, gamma=2.0, selection="second-order", callback=callback)
    with pytest.warns(ConvergenceWarning, match="callback"):
        machine.partial_fit(rows, labels)
    assert [p.iteration for p in seen] == sorted(p.iteration for p in seen)
    assert seen[-1].iteration == machine.n_seen_ < 60000
    assert seen[1].objective > seen[0].objective > 0


def test_verbose_prints(capsys):
    began = time.perf_counter()
    rows, labels = board(3000, noise=0.2)
    OnlineSVC(gamma=2.0, verbose=True).partial_fit(rows, labels)
    assert time.perf_counter() > began
    assert "OnlineSVC" in capsys.readouterr().out


def test_finishing_is_optimal_on_the_kept_examples():
    machine = begun()
    kept = machine.n_kept_
    before = machine.objective_
    machine.finish()
    assert machine.objective_ >= before
    assert machine.violation_ <= 1e-3
    assert machine.fit_status_ == 0
    assert machine.dual_gap_ < 1e-3
    assert machine.n_kept_ == kept
    assert len(machine.solutions_) == 3
    machine.partial_fit(X[:5], Y[:5])
    assert not hasattr(machine, "solutions_")


@pytest.mark.parametrize("rows", [X, sp.csr_array(X)], ids=["dense", "sparse"])
def test_finishing_with_all_rows_is_the_batch_optimum(rows):
    machine = streamed(OnlineSVC(gamma=0.3, keep_rows=True), rows, Y, [30, 31, 150]).finish()
    gram = Gram(machine.kernel_, rows, precision="double")
    for k, solution in enumerate(machine.solutions_):
        formulation = svc(np.where(k == Y, 1.0, -1.0), 1.0)
        coef = np.zeros(200)
        coef[machine.support_ids_] = machine.dual_coef_[k]
        certificate = certify(formulation.problem, gram, coef)
        assert certificate.violation <= 1e-3
        assert certificate.objective == pytest.approx(solution.objective)
    batch = OnlineSVC(gamma=0.3, random_state=0).fit(rows, Y)
    assert batch.objective_ == pytest.approx(machine.objective_, rel=1e-5)
    np.testing.assert_allclose(batch.decision_function(X), machine.decision_function(X), atol=5e-3)


def test_fit_is_the_machine_of_svc_for_two_classes():
    rows, labels = board(300, noise=0.05)
    one = OnlineSVC(C=3.0, gamma=2.0, tol=1e-6, random_state=0).fit(rows, labels)
    other = SVC(C=3.0, gamma=2.0, tol=1e-6).fit(rows, labels)
    assert one.objective_ == pytest.approx(other.objective_, rel=1e-8)
    np.testing.assert_allclose(
        one.decision_function(rows), other.decision_function(rows), atol=1e-4
    )


def test_forgetting_is_never_having_seen():
    machine = begun(keep_rows=True, tol=1e-5)
    gone = np.array([3, 77, 150, 151, 199])
    machine.forget(gone)
    left = np.setdiff1d(np.arange(200), gone)
    assert not np.isin(gone, machine.support_ids_).any()
    assert machine.violation_ <= 1e-5
    assert machine.solver_.startswith("active-set")
    other = OnlineSVC(gamma=0.3, tol=1e-5, random_state=0).fit(X[left], Y[left])
    assert machine.objective_ == pytest.approx(other.objective_, rel=1e-7)
    np.testing.assert_allclose(machine.decision_function(X), other.decision_function(X), atol=1e-3)
    with pytest.raises(ValueError, match="77"):
        machine.forget([77])
    machine.partial_fit(X[:10], Y[:10])
    assert machine.n_seen_ == 210
    machine.forget([205]).finish()


def test_forgetting_asks_for_what_it_needs():
    with pytest.raises(ValueError, match="keep_rows"):
        begun().forget([0])
    machine = begun(keep_rows=True)
    before = learned(machine)
    with pytest.raises(ValueError, match="200"):
        machine.forget([200])
    with pytest.raises(TypeError, match="integers"):
        machine.forget([0.5])
    with pytest.raises(NotFittedError):
        OnlineSVC(keep_rows=True).forget([0])
    assert learned(machine) == before
    assert machine.forget([]).violation_ <= machine.tol


def test_data_frames_keep_their_names():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(X, columns=list("abcd"))
    machine = OnlineSVC(gamma=0.3, selection="second-order").partial_fit(
        frame[:100], Y[:100], classes=[0, 1, 2]
    )
    assert machine.feature_names_in_.tolist() == list("abcd")
    with pytest.raises(ValueError, match="feature names"):
        machine.partial_fit(frame[list("dcba")], Y)
    machine.partial_fit(frame[100:], Y[100:])
    assert learned(machine) == learned(
        streamed(OnlineSVC(gamma=0.3, selection="second-order"), X, Y, [])
    )
