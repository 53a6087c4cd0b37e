"""Pairs of small classes are solved many at a time, with the results of one after the other."""

from __future__ import annotations

import pickle
import signal
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from mercer import SVC, Gram, NuSVC, certify
from mercer.formulations import svc
from mercer.kernels import Gaussian
from mercer.machines.solving import Problems
from mercer.machines.svm import kernel_classifier
from mercer.machines.svm.one_vs_one import ClassPairs
from mercer.solvers import Progress

CASES: dict[str, dict[str, Any]] = {
    "default": {},
    "large C": {"C": 100.0},
    "hard margin": {"C": np.inf, "gamma": 1.0},
    "linear": {"kernel": "linear"},
    "poly": {"kernel": "poly", "coef0": 1.0, "degree": 2},
    "laplacian": {"kernel": "laplacian"},
    "squared hinge": {"loss": "squared_hinge"},
    "least squares": {"loss": "squared_error"},
    "pinball": {"loss": "pinball", "tau": 0.2},
    "huber": {"loss": "huber"},
    "no bias": {"fit_intercept": False},
    "penalized bias": {"fit_intercept": "penalized"},
    "class weights": {"class_weight": "balanced"},
    "no shrinking": {"shrinking": False},
    "double": {"precision": "double"},
}


def drawn(n_classes: int, n_rows: int, seed: int = 0) -> tuple[NDArray[Any], NDArray[Any]]:
    """Rows around one centre for each class, in no order, in classes of different sizes."""
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, n_rows - n_classes)])
    X = 1.5 * rng.normal(size=(n_classes, 4))[y] + rng.normal(size=(n_rows, 4))
    return X, y


@pytest.fixture
def one_by_one(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Fits a machine without batches."""

    def fit(machine: SVC, *data: Any) -> SVC:
        with monkeypatch.context() as patch:
            patch.setattr(kernel_classifier, "subproblem_plan", lambda *arguments: None)
            return machine.fit(*data)

    return fit


def assert_same(machine: SVC, other: SVC, X: NDArray[Any]) -> None:
    """The same optimum, with a certificate for every pair."""
    assert len(machine.solutions_) == len(other.solutions_)
    for a, b in zip(machine.solutions_, other.solutions_, strict=True):
        assert set(vars(a)) == set(vars(b))
        assert a.status == b.status
        size = max(abs(b.objective), 1.0)
        assert a.objective == pytest.approx(b.objective, rel=1e-12, abs=a.gap + b.gap)
        assert max(a.violation, b.violation) <= machine.tol
        assert a.gap <= 1e-7 * size or a.gap <= 2.0 * b.gap
        assert a.primal == a.objective + a.gap
        assert a.infeasibility <= 1e-14
        assert 0.0 < a.rounding <= 1e-10 * size
        assert a.error >= a.rounding
        assert a.definiteness == b.definiteness
        np.testing.assert_allclose(a.multiplier, b.multiplier, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(
        machine.machine_decisions(X), other.machine_decisions(X), rtol=1e-5, atol=1e-5
    )


@pytest.mark.parametrize("name", CASES)
def test_a_batch_finds_what_one_solve_after_the_other_finds(name: str, one_by_one: Any) -> None:
    X, y = drawn(8, 120)
    machine = SVC(**CASES[name]).fit(X, y)
    assert_same(machine, one_by_one(SVC(**CASES[name]), X, y), X)


def test_no_pair_of_small_classes_is_solved_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = drawn(12, 150, seed=1)
    monkeypatch.delattr(Problems, "solve")
    assert len(SVC().fit(X, y).solutions_) == 66


def test_the_certificate_is_that_of_the_pair() -> None:
    X, y = drawn(6, 90, seed=2)
    machine = SVC(C=3.0).fit(X, y)
    order = np.argsort(y, kind="stable")
    for pair, found in zip(ClassPairs(y[order], 6), machine.solutions_, strict=True):
        gram = Gram(Gaussian(machine.kernel_.gamma), X[order][pair.rows])
        wanted = certify(svc(pair.sign, 3.0).problem, gram, found.coef)
        np.testing.assert_allclose(found.gradient, wanted.gradient, rtol=0, atol=1e-13)
        np.testing.assert_allclose(found.multiplier, wanted.multiplier, rtol=1e-12, atol=1e-13)
        assert found.objective == pytest.approx(wanted.objective, rel=1e-12)
        assert found.gap == pytest.approx(wanted.gap, abs=1e-12 * wanted.objective)
        assert found.violation == pytest.approx(wanted.violation, abs=1e-12)


def test_one_thread_and_two_find_the_same_bits() -> None:
    X, y = drawn(15, 300, seed=3)
    one, two = (SVC(n_threads=n).fit(X, y) for n in (1, 2))
    for name in ("dual_coef_", "intercept_", "support_", "n_iter_"):
        np.testing.assert_array_equal(getattr(one, name), getattr(two, name))
    for a, b in zip(one.solutions_, two.solutions_, strict=True):
        np.testing.assert_array_equal(a.gradient, b.gradient)
        assert (a.objective, a.gap, a.violation) == (b.objective, b.gap, b.violation)


def test_pairs_that_the_cache_has_no_room_for_are_solved_alone(one_by_one: Any) -> None:
    # 0.2 MB are the matrix of 158 rows
    X, y = drawn(8, 320, seed=4)
    y[:150] = 0
    machine = SVC(cache_size=0.2, n_threads=1).fit(X, y)
    assert {solution.solver for solution in machine.solutions_} > {"parts"}
    assert_same(machine, one_by_one(SVC(), X, y), X[:50])


def test_small_classes_beside_large_ones(one_by_one: Any) -> None:
    X, y = drawn(7, 600, seed=5)
    y[150:] = np.where(y[150:] < 5, y[150:] % 2, y[150:])
    machine, other = SVC().fit(X, y), one_by_one(SVC(), X, y)
    assert machine.objective_ == pytest.approx(other.objective_, rel=1e-6)
    assert max(machine.violation_, other.violation_) <= 1e-3
    np.testing.assert_array_equal(machine.predict(X), other.predict(X))


def test_classes_of_one_row_and_of_equal_rows() -> None:
    X = np.array([[0.0], [1.0], [2.0], [3.0], [4.0], [4.0], [4.0]])
    y = np.array([0, 1, 2, 3, 4, 4, 5])
    machine = SVC(gamma=1.0, C=2.0).fit(X, y)
    assert all(solution.converged for solution in machine.solutions_)
    assert machine.violation_ <= 1e-9
    np.testing.assert_array_equal(machine.predict(X[:4]), y[:4])


def test_a_weight_of_zero_is_absence_and_one_of_two_a_repetition() -> None:
    X, y = drawn(7, 70, seed=6)
    weight = np.where(np.arange(70) < 7, 2.0, np.arange(70) % 3.0)
    machine = SVC(gamma=0.3).fit(X, y, weight)
    copies = np.repeat(np.arange(70), weight.astype(int))
    other = SVC(gamma=0.3).fit(X[copies], y[copies])
    assert machine.objective_ == pytest.approx(other.objective_, rel=1e-12)
    np.testing.assert_allclose(
        machine.decision_function(X), other.decision_function(X), rtol=1e-6, atol=1e-6
    )


def test_the_order_of_rows_does_not_matter() -> None:
    X, y = drawn(7, 90, seed=7)
    order = np.random.default_rng(0).permutation(90)
    machine, other = SVC().fit(X, y), SVC().fit(X[order], y[order])
    assert machine.objective_ == pytest.approx(other.objective_, rel=1e-12)
    np.testing.assert_allclose(machine.machine_decisions(X), other.machine_decisions(X), atol=1e-7)


def test_the_end_of_the_time_leaves_a_machine_for_every_pair() -> None:
    X, y = drawn(20, 200, seed=8)
    with pytest.warns(ConvergenceWarning, match="190 of 190 class pairs are unfinished"):
        machine = SVC(max_time=1e-9).fit(X, y)
    assert {solution.status for solution in machine.solutions_} == {"max-time"}
    assert all(solution.gap >= solution.violation > 1e-3 for solution in machine.solutions_)
    assert machine.predict(X).shape == (200,)


def test_time_enough_changes_nothing() -> None:
    X, y = drawn(8, 80, seed=9)
    machine, other = SVC(max_time=1e6).fit(X, y), SVC().fit(X, y)
    np.testing.assert_array_equal(machine.dual_coef_, other.dual_coef_)


def test_solutions_survive_pickling() -> None:
    X, y = drawn(8, 80, seed=10)
    machine = SVC().fit(X, y)
    copy = pickle.loads(pickle.dumps(machine))
    np.testing.assert_array_equal(machine.decision_function(X), copy.decision_function(X))
    for a, b in zip(machine.solutions_, copy.solutions_, strict=True):
        np.testing.assert_array_equal(a.coef, b.coef)
        assert (a.gap, a.trace) == (b.gap, b.trace)
        assert len(a.coef) == len(a.gradient) <= 80


INTERRUPTED = """
import signal, threading, time
import numpy as np
from mercer import SVC
from mercer.solvers import parts

rng = np.random.default_rng(0)
y = np.repeat(np.arange(100), 60)
X = rng.normal(size=(len(y), 20))
main, inside = threading.main_thread().ident, threading.Event()
solve = parts._core.solve_parts

def watched(*arguments):
    inside.set()
    return solve(*arguments)

parts._core.solve_parts = watched

def interrupt():
    inside.wait()
    signal.pthread_kill(main, signal.SIGINT)

threading.Thread(target=interrupt).start()
try:
    SVC(C=100, n_threads=2, max_time=60).fit(X, y)
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.mark.usefixtures("interruptible")
def test_a_batch_can_be_interrupted() -> None:
    command = [sys.executable, "-c", INTERRUPTED]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode in (0, -signal.SIGINT), result.stderr
    assert result.stdout.strip() == "interrupted", result.stderr


@pytest.mark.parametrize("is_sorted", [True, False])
def test_lists_of_rows_are_those_of_the_pairs(is_sorted: bool) -> None:
    _, labels = drawn(5, 40, seed=11)
    pairs = ClassPairs(np.sort(labels) if is_sorted else labels, 5)
    which = np.array([8, 0, 3])
    lists = pairs.row_lists(which)
    for k, pair in enumerate(pairs[int(k)] for k in which):
        own = slice(lists.offsets[k], lists.offsets[k + 1])
        np.testing.assert_array_equal(lists.rows[own], pair.rows)
        np.testing.assert_array_equal(lists.sign[own], pair.sign)


def test_who_asks_for_a_solver_gets_one_solve_after_the_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    X, y = drawn(6, 60, seed=12)
    plain = SVC().fit(X, y)
    monkeypatch.delattr("mercer.solvers.parts._core.solve_parts")
    machine = SVC(solver="smo").fit(X, y)
    assert machine.objective_ == pytest.approx(plain.objective_, rel=1e-4)


@pytest.mark.parametrize("kind", [SVC, NuSVC])
@pytest.mark.parametrize("n_threads", [1, 2])
def test_whoever_watches_gets_the_same_bits(kind: Any, n_threads: int, capsys: Any) -> None:
    X, y = drawn(6, 90, seed=12)
    seen: list[Progress] = []
    options = {"nu": 0.1} if kind is NuSVC else {}
    machine = kind(callback=seen.append, verbose=True, n_threads=n_threads, **options).fit(X, y)
    other = kind(n_threads=n_threads, **options).fit(X, y)
    np.testing.assert_array_equal(machine.dual_coef_, other.dual_coef_)
    assert {solution.solver for solution in machine.solutions_} == {"parts"}
    # told of the start, of all problems together
    assert (seen[0].iteration, seen[0].n_active) == (0, 5 * 90)
    assert (seen[0].violation, seen[0].objective) == (np.inf, 0.0)


def slow(n_rows: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Three classes that are hard to tell apart: a fit takes several reports."""
    rng = np.random.default_rng(17)
    return rng.normal(size=(n_rows, 4)), np.arange(n_rows) % 3


def test_a_callback_hears_how_far_all_pairs_are_and_ends_them() -> None:
    X, y = slow(1200)
    seen: list[Progress] = []

    def third(progress: Progress) -> bool:
        seen.append(progress)
        return len(seen) == 3

    with pytest.warns(ConvergenceWarning, match="The callback returned a true value"):
        machine = SVC(C=1e5, tol=1e-6, callback=third).fit(X, y)
    assert len(seen) == 3
    for name in ("iteration", "objective", "seconds"):
        assert getattr(seen[0], name) <= getattr(seen[1], name) <= getattr(seen[2], name)
    assert seen[0].n_active >= seen[2].n_active > 0
    left = [s for s in machine.solutions_ if s.status == "callback"]
    assert left
    order = np.argsort(y, kind="stable")
    for pair, found in zip(ClassPairs(y[order], 3), machine.solutions_, strict=True):
        gram = Gram(Gaussian(machine.kernel_.gamma), X[order][pair.rows])
        wanted = certify(svc(pair.sign, 1e5).problem, gram, found.coef)
        assert found.objective == pytest.approx(wanted.objective, rel=1e-5, abs=1e-9)
        assert found.infeasibility <= 1e-12


def test_an_error_of_a_callback_reaches_the_caller_of_many_pairs() -> None:
    X, y = drawn(6, 90, seed=12)

    def broken(progress: Progress) -> None:
        raise RuntimeError("broken callback")

    for n_threads in (1, 2):
        with pytest.raises(RuntimeError, match="broken callback"):
            SVC(callback=broken, n_threads=n_threads).fit(X, y)


def test_a_callback_that_ends_a_fit_at_once_leaves_the_start_of_every_pair() -> None:
    X, y = drawn(6, 90, seed=12)
    with pytest.warns(ConvergenceWarning, match="15 of 15 class pairs are unfinished"):
        machine = NuSVC(nu=0.1, callback=lambda progress: True).fit(X, y)
    assert {solution.status for solution in machine.solutions_} == {"callback"}
    assert max(solution.infeasibility for solution in machine.solutions_) <= 1e-12
    assert all(0.0 < s.gap < np.inf and s.violation > 0.0 for s in machine.solutions_)


@pytest.mark.parametrize("options", [{"max_iter": 10**6}, {"precision": "single"}])
def test_limits_and_precisions_take_the_same_way(options: dict[str, Any]) -> None:
    X, y = drawn(6, 60, seed=12)
    machine, plain = SVC(**options).fit(X, y), SVC().fit(X, y)
    np.testing.assert_array_equal(machine.dual_coef_, plain.dual_coef_)


def test_a_bound_on_the_iterations_holds_for_every_pair() -> None:
    X, y = drawn(4, 900, seed=13)
    with pytest.warns(ConvergenceWarning, match="6 of 6 class pairs are unfinished"):
        machine = SVC(C=10.0, max_iter=3).fit(X, y)
    assert machine.n_iter_.tolist() == [3] * 6
    assert {solution.status for solution in machine.solutions_} == {"max-iter"}
    order = np.argsort(y, kind="stable")
    for pair, found in zip(ClassPairs(y[order], 4), machine.solutions_, strict=True):
        gram = Gram(Gaussian(machine.kernel_.gamma), X[order][pair.rows])
        wanted = certify(svc(pair.sign, 10.0).problem, gram, found.coef)
        assert found.violation == pytest.approx(wanted.violation, rel=1e-9)
        assert found.gap == pytest.approx(wanted.gap, rel=1e-9)


def test_a_warm_start_goes_on_from_every_pair() -> None:
    X, y = drawn(5, 700, seed=14)
    machine = SVC(C=10.0, warm_start=True).fit(X, y)
    before = machine.objective_
    machine.fit(X, y)
    assert machine.n_iter_.max() <= 2
    assert machine.objective_ == pytest.approx(before, rel=1e-9)
    # solutions that a smaller box has no room for are none to start from
    machine.set_params(C=0.1).fit(X, y)
    assert machine.objective_ == pytest.approx(SVC(C=0.1).fit(X, y).objective_, rel=1e-4)


def test_a_precomputed_matrix_takes_the_same_way() -> None:
    X, y = drawn(5, 90, seed=15)
    K = Gaussian(0.3)(X, X)
    machine, other = SVC(kernel="precomputed").fit(K, y), SVC(gamma=0.3).fit(X, y)
    assert {solution.solver for solution in machine.solutions_} == {"parts"}
    np.testing.assert_allclose(
        machine.decision_function(K), other.decision_function(X), rtol=1e-6, atol=1e-6
    )


def test_solutions_are_a_sequence() -> None:
    X, y = drawn(4, 60, seed=16)
    found = SVC().fit(X, y).solutions_
    assert len(found) == len(list(found)) == 6
    assert [s.n_iter for s in found[1:3]] == [found[1].n_iter, found[2].n_iter]
    assert found[-1].objective == found[5].objective
    with pytest.raises(IndexError):
        found[6]
