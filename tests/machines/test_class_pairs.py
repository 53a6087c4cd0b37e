"""Pairs of classes on one Gram: each is solved, certified and stopped as a problem of its own."""

from __future__ import annotations

import threading
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from sklearn.utils.multiclass import _ovr_decision_function

import mercer.formulations as fm
from mercer import SVC, Gram, NuSVC, certify, solve
from mercer.machines import solving
from mercer.machines.svm.one_vs_one import (
    pair_bounds,
    pair_classes,
    pair_decisions,
    scores,
    votes,
    winners,
)
from mercer.solvers import Progress, worker_threads
from mercer.training.classes import find_classes


def drawn(n: int, classes: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = np.r_[np.arange(classes), rng.integers(0, classes, n - classes)]
    return rng.normal(size=(n, 3)) + 0.8 * y[:, None], y


@pytest.mark.parametrize("n_classes", [3, 4, 9, 17])
def test_decisions_bounds_votes_and_scores_are_those_of_a_loop_over_pairs(n_classes: int) -> None:
    rng = np.random.default_rng(n_classes)
    pairs = list(combinations(range(n_classes), 2))
    by_class = np.round(rng.normal(size=(n_classes, 40, n_classes - 1)), 1)
    bias, bound = np.round(rng.normal(size=len(pairs)), 1), rng.random((n_classes, 40))
    wanted = [
        by_class[i, :, j - 1] + by_class[j, :, i] + b for (i, j), b in zip(pairs, bias, strict=True)
    ]
    found = pair_decisions(by_class, bias)
    np.testing.assert_array_equal(found, np.transpose(wanted))
    np.testing.assert_array_equal(
        pair_bounds(bound), np.transpose([bound[i] + bound[j] for i, j in pairs])
    )
    won = [np.where(found[:, k] < 0, j, i) for k, (i, j) in enumerate(pairs)]
    count = np.transpose([(np.array(won) == c).sum(axis=0) for c in range(n_classes)])
    np.testing.assert_array_equal(votes(found, n_classes), count)
    theirs = _ovr_decision_function(found < 0, -found, n_classes)
    np.testing.assert_array_equal(scores(found, n_classes), theirs)
    np.testing.assert_array_equal(scores(found[7:8], n_classes), theirs[7:8])

    most = votes(found, n_classes).argmax(axis=1)
    np.testing.assert_array_equal(pair_classes(by_class, bias, break_ties=False), most)
    best = winners(found, n_classes)
    np.testing.assert_array_equal(pair_classes(by_class, bias, break_ties=True), best)


@pytest.mark.parametrize("n", [30, 60, 900])
def test_machines_of_all_pairs_are_those_of_each_pair_alone(n: int) -> None:
    # 900 rows of three classes have segments of their own, fewer share one
    X, y = drawn(n, 3, n)
    machine = SVC(C=3.0).fit(X, y)
    for k, (i, j) in enumerate(combinations(range(3), 2)):
        rows = (y == i) | (y == j)
        problem = fm.svc(np.where(y[rows] == i, 1.0, -1.0), 3.0).problem
        gram = Gram(machine.kernel_, X[rows], precision="double")
        alone, found = solve(problem, gram), machine.solutions_[k]
        assert found.converged
        # pairs of up to 128 rows are taken to their last digits
        digits = 1e-10 if np.count_nonzero(rows) <= 128 else 1e-4
        assert found.objective == pytest.approx(alone.objective, rel=digits)
        assert found.violation <= min(machine.tol, 10.0 * digits)
        assert found.gap <= 10.0 * digits * found.objective


def test_pairs_with_matrices_of_their_own_are_the_same_machines() -> None:
    # 60 features: each pair computes its whole matrix; of a given solver all share one Gram
    rng = np.random.default_rng(0)
    y = np.arange(2000) % 10
    X = rng.normal(size=(2000, 60)) + 2.0 * rng.normal(size=(10, 60))[y]
    one, two = (SVC(gamma=0.01, n_threads=n).fit(X, y) for n in (1, 2))
    np.testing.assert_array_equal(one.dual_coef_, two.dual_coef_)
    np.testing.assert_array_equal(one.intercept_, two.intercept_)
    shared = SVC(gamma=0.01, solver="chunked").fit(X, y)
    assert one.fit_status_ == shared.fit_status_ == 0
    for alone, together in zip(one.solutions_, shared.solutions_, strict=True):
        assert alone.coef.shape == together.coef.shape == (400,)
        assert alone.objective == pytest.approx(together.objective, rel=1e-5)
    # 400 rows have 80,200 values
    assert max(solution.n_kernel for solution in one.solutions_) < 400**2


def test_the_certificate_of_a_pair_is_that_of_its_rows_alone() -> None:
    X, y = drawn(120, 8, 0)
    order = np.argsort(y, kind="stable")
    machine = SVC(C=2.0).fit(X, y)
    rows = order[(y[order] == 2) | (y[order] == 5)]
    k = list(combinations(range(8), 2)).index((2, 5))
    problem = fm.svc(np.where(y[rows] == 2, 1.0, -1.0), 2.0).problem
    solution = machine.solutions_[k]
    alone = certify(problem, Gram(machine.kernel_, X[rows], precision="double"), solution.coef)
    assert solution.violation == pytest.approx(alone.violation, abs=1e-12)
    assert solution.objective == pytest.approx(alone.objective, rel=1e-12)
    np.testing.assert_allclose(solution.gradient, alone.gradient, atol=1e-12)


@pytest.mark.parametrize("kind", [SVC, NuSVC])
def test_a_callback_ends_the_pairs_that_are_left(kind: type) -> None:
    X, y = load_iris(return_X_y=True)
    seen = []

    def stop(progress: object) -> bool:
        seen.append(progress)
        return len(seen) == 1

    with pytest.warns(match="callback"):
        machine = kind(callback=stop).fit(X, y)
    assert len(seen) == 1
    assert [solution.status for solution in machine.solutions_] == ["callback"] * 3


@settings(deadline=None, max_examples=60)
@given(
    labels=st.lists(st.integers(-3, 12), min_size=1, max_size=30),
    dtype=st.sampled_from(["int64", "int8", "uint8", "uint64", "float64", "U3"]),
)
@pytest.mark.filterwarnings("ignore:The number of unique classes")
def test_classes_are_counted_as_they_are_sorted(labels: list[int], dtype: str) -> None:
    y = np.array(labels).astype(dtype)
    wanted, inverse = np.unique(y, return_inverse=True)
    classes, found = find_classes(y)
    assert classes.dtype == wanted.dtype
    np.testing.assert_array_equal(classes, wanted)
    np.testing.assert_array_equal(found, inverse)


def test_whoever_watches_pairs_side_by_side_hears_of_all_and_gets_the_same_bits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Pairs were solved one after the other as soon as there was a callback."""
    monkeypatch.setattr(solving, "_MANY_ROWS", 1)
    monkeypatch.setattr(worker_threads, "_LOOK", 1e-4)
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(900, 4)), np.arange(900) % 3
    options = {"solver": "smo", "C": 1e3, "n_threads": 2}
    seen: list[Progress] = []
    threads: set[int] = set()

    def hear(progress: Progress) -> None:
        threads.add(threading.get_ident())
        seen.append(progress)

    watched = SVC(callback=hear, **options).fit(X, y)
    plain = SVC(**options).fit(X, y)
    np.testing.assert_array_equal(watched.dual_coef_, plain.dual_coef_)
    assert threads == {threading.get_ident()}, "not of the caller"
    assert seen[0].n_active <= 3 * 600
    left = [progress.n_active for progress in seen]
    assert left == sorted(left, reverse=True)
    with pytest.warns(match="callback"):
        ended = SVC(callback=lambda progress: True, **options | {"tol": 1e-12, "C": 1e6}).fit(X, y)
    assert "callback" in {solution.status for solution in ended.solutions_}
    assert max(solution.infeasibility for solution in ended.solutions_) <= 1e-9


def test_an_error_of_whoever_watches_pairs_side_by_side_ends_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(solving, "_MANY_ROWS", 1)
    monkeypatch.setattr(worker_threads, "_LOOK", 1e-4)
    X, y = np.random.default_rng(3).normal(size=(900, 4)), np.arange(900) % 3

    def broken(progress: Progress) -> None:
        raise RuntimeError("broken callback")

    with pytest.raises(RuntimeError, match="broken callback"):
        SVC(callback=broken, solver="smo", C=1e3, n_threads=2).fit(X, y)
