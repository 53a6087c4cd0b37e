"""A path is optimal everywhere, whatever the data are."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mercer import Gram, formulations, solve
from mercer.kernels import Gaussian, Linear
from mercer.paths import svc_path
from paths.path_cases import path_of, solution_at, some_C, violation
from solvers.active_set_cases import random_case

seeds = st.integers(0, 10**9)


@pytest.mark.parametrize("first", range(0, 400, 100))
def test_hundreds_of_problems_are_followed_without_failure(first: int) -> None:
    """Lattices, duplicates, contradictory labels, unbalanced and weighted classes, low rank."""
    for seed in range(first, first + 100):
        case = random_case(seed)
        path = path_of(case)
        assert path.status in ("complete", "C_max", "trivial")
        for C in some_C(path, case.rng, 2):
            assert violation(path, C) <= 1e-8


@given(seeds)
@settings(max_examples=40)
def test_kkt_holds_at_breakpoints_and_between(seed: int) -> None:
    case = random_case(seed)
    path = path_of(case)
    for C in some_C(path, case.rng, 8):
        assert violation(path, C) <= 1e-8


@given(seeds)
@settings(max_examples=25)
def test_it_agrees_with_solutions_at_single_points(seed: int) -> None:
    case = random_case(seed, max_rows=20)
    path = path_of(case)
    for C in some_C(path, case.rng, 2):
        problem, _, found = solution_at(path, C)
        exact = solve(problem, path.gram, "active-set")
        assert found.objective == pytest.approx(exact.objective, rel=1e-9, abs=1e-12)
        rough = solve(problem, path.gram, "smo", tol=1e-6)
        assert found.objective == pytest.approx(rough.objective, rel=1e-4, abs=1e-9)


@given(seeds)
@settings(max_examples=40)
def test_one_row_changes_sides_at_a_time_and_one_is_always_free(seed: int) -> None:
    path = path_of(random_case(seed))
    segments = path.segments
    assert (np.diff(segments.parameter) <= 0).all()
    assert (np.diff(path.C) >= 0).all()
    assert segments.n_free.min() >= 1
    # where no row changes sides the bias bends
    changes = np.diff(segments.changes_end, prepend=0)
    assert changes[0] == 0
    assert set(changes) <= {0, 1}
    assert np.array_equal(np.abs(np.diff(segments.n_free)), changes[1:])
    assert len(path.events) == changes.sum()


@given(seeds)
@settings(max_examples=30)
def test_free_rows_are_affinely_independent(seed: int) -> None:
    case = random_case(seed)
    path = path_of(case)
    assert path.segments.n_free.max() <= case.rank + 1
    for C in some_C(path, case.rng, 2):
        free = path.free(C)
        K = path.gram.block(free, free)
        differences = K[1:, 1:] - K[1:, :1] - K[:1, 1:] + K[0, 0]
        assert (np.linalg.eigvalsh(differences) > 0).all()


@given(seeds)
@settings(max_examples=25)
def test_both_starts_lead_to_one_path(seed: int) -> None:
    case = random_case(seed)
    exact, other = path_of(case), path_of(case, start="artificial")
    assert other.start in ("exact", "artificial", "artificial, late")
    if other.start != "artificial, late":
        assert other.begin == 0
    for C in some_C(exact, case.rng, 3):
        if other.begin > C or other.end < C:
            continue
        wanted = solution_at(exact, C)[2].objective
        assert solution_at(other, C)[2].objective == pytest.approx(wanted, rel=1e-9, abs=1e-12)


def test_a_late_artificial_start_is_flagged(monkeypatch: pytest.MonkeyPatch) -> None:
    """An artificial point that is too near leaves too late, but never silently."""
    monkeypatch.setattr("mercer.paths.exact.artificial._FARNESS", (0.1,))
    late = 0
    for seed in range(70):
        case = random_case(seed)
        exact, other = path_of(case), path_of(case, start="artificial")
        if other.start != "artificial, late":
            assert other.first_event == pytest.approx(exact.first_event)
            continue
        late += 1
        assert other.begin > exact.first_event
        assert other.summary().start == "artificial, late"
        with pytest.raises(ValueError, match="where the path is known"):
            other.coef(0.9 * other.begin)
        for C in (other.begin, 2.0 * other.begin):
            if other.end >= C:
                assert violation(other, C) <= 1e-8
    assert late > 0


@given(seeds)
@settings(max_examples=20)
def test_it_can_begin_anywhere(seed: int) -> None:
    case = random_case(seed)
    whole = path_of(case)
    part = path_of(case, C_min=0.7)
    assert part.begin in (0.0, 0.7)
    for C in (0.7, 1.0, 33.0):
        wanted = solution_at(whole, C)[2].objective
        assert solution_at(part, C)[2].objective == pytest.approx(wanted, rel=1e-9, abs=1e-12)


# The start (Sentelle 2014, lemmas 1 and 2).


def test_before_the_start_nothing_changes() -> None:
    for seed in range(40):
        path = path_of(random_case(seed))
        if path.status == "trivial":
            continue
        share = [path.coef(C) / C for C in (0.01 * path.first_event, 0.9 * path.first_event)]
        assert share[0] == pytest.approx(share[1], rel=1e-12)
        for C in (1e-3 * path.first_event, 0.5 * path.first_event, path.first_event):
            assert violation(path, C) <= 1e-8


def test_equal_classes_begin_at_their_bounds() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20, 2)), np.repeat([1, -1], 10)
    path = svc_path(X, y)
    assert np.abs(path.coef(0.5 * path.first_event)) == pytest.approx(
        np.full(20, 0.5 * path.first_event)
    )


def test_the_smaller_class_begins_at_its_bounds() -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(30, 2))
    y = np.repeat([1, -1], [9, 21])
    X[:9] += 2.0
    path = svc_path(X, y)
    share = path.coef(0.5 * path.first_event) / (0.5 * path.first_event)
    assert share[:9] == pytest.approx(np.ones(9))
    assert share[9:].sum() == pytest.approx(-9.0)


def test_the_bias_is_known_where_a_path_was_asked_to_begin() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 2)), np.repeat([1, -1], [11, 19])
    for C in np.exp(rng.uniform(-1, 3, 40)):
        path = svc_path(X, y, C_min=C, C_max=100.0)
        assert np.isfinite(path.intercept(C))
        assert violation(path, C) <= 1e-8


def test_a_trivial_path_is_one_constant() -> None:
    # the mean of the smaller class lies inside the larger one
    X, y = np.array([[-1.0], [1.0], [0.0], [-2.0], [2.0]]), np.array([1, 1, -1, 1, 1])
    path = svc_path(X, y, kernel="linear")
    assert path.status == "trivial"
    assert path.first_event == np.inf
    assert path.summary().is_trivial
    assert not len(path.events)
    for C in (1e-3, 1.0, 1e5):
        problem, _, found = solution_at(path, C)
        assert found.objective == pytest.approx(2.0 * C)
        assert path.intercept(C) == pytest.approx(1.0)
        assert path.predict(X, C).tolist() == [1] * 5
    assert path.error(X, y).value.tolist() == [0.2]
    assert problem.n_variables == 5


def test_identical_rows_make_a_trivial_path() -> None:
    path = svc_path(np.ones((4, 2)), [1, -1, 1, -1], C_max=10.0)
    assert path.status == "trivial"
    assert violation(path, 3.0) <= 1e-12


# The end.


def test_a_complete_path_ends_with_the_hard_margin() -> None:
    rng = np.random.default_rng(2)
    X = rng.normal(size=(30, 2))
    y = np.where(X[:, 0] > 0, 1, -1)
    X[:, 0] += 0.2 * y
    path = svc_path(X, y, kernel="linear", C_max=np.inf)
    assert path.status == "complete"
    assert path.end == np.inf
    hard = solve(formulations.svc(y, 1e7).problem, Gram(Linear(), X), "active-set")
    assert path.coef(np.inf) == pytest.approx(hard.coef, rel=1e-6, abs=1e-9)
    assert np.array_equal(path.coef(1e9), path.coef(np.inf))


def test_a_path_that_never_ends_reaches_infinity() -> None:
    X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([1, -1, 1, -1])
    path = svc_path(X, y, kernel="linear", C_max=np.inf)
    assert path.status == "C_max"
    assert path.end == np.inf
    assert violation(path, 1e4) <= 1e-8
    with pytest.raises(ValueError, match="not complete"):
        path.coef(np.inf)


# Invariances.


def test_copies_of_rows_are_weights() -> None:
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(15, 2)), np.where(rng.random(15) < 0.5, 1, -1)
    y[:2] = 1, -1
    weight = rng.integers(1, 4, 15)
    rows = np.repeat(np.arange(15), weight)
    once = svc_path(X, y, gamma=0.5, sample_weight=weight)
    often = svc_path(X[rows], y[rows], gamma=0.5)
    Z = rng.normal(size=(20, 2))
    for C in (0.05, 0.7, 9.0, 300.0):
        low, high = once.intercept_interval(C)
        if high - low > 1e-9:
            continue
        wanted = often.decision_function(Z, C)
        assert once.decision_function(Z, C) == pytest.approx(wanted, abs=1e-8)


def test_rows_repeated_r_times_are_the_path_at_r_times_c() -> None:
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(12, 2)), np.repeat([1, -1], 6)
    once, thrice = svc_path(X, y, gamma=0.3), svc_path(np.tile(X, (3, 1)), np.tile(y, 3), gamma=0.3)
    for C in (0.1, 1.0, 20.0):
        values = once.decision_function(X, 3 * C), thrice.decision_function(X, C)
        assert values[0] == pytest.approx(values[1], abs=1e-8)
    # of equal rows one at most is free
    for k in range(len(thrice.segments)):
        free = np.flatnonzero(thrice.segments.sides(k) == 0) % 12
        assert len(np.unique(free)) == len(free)


def test_a_gram_can_be_shared() -> None:
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(25, 3)), np.where(rng.random(25) < 0.5, 1, -1)
    gram = Gram(Gaussian(0.2), X, precision="double")
    a, b = svc_path(gram, y), svc_path(X, y, kernel=Gaussian(0.2))
    assert np.array_equal(a.C, b.C)
    assert a.decision_function(X, 3.0) == pytest.approx(b.decision_function(X, 3.0))


def test_ties_go_to_the_smallest_index_whatever_the_pivoting() -> None:
    """All rules of pivoting give one function (docs/theory/paths.md#degeneracy-and-cycling)."""
    from mercer.paths.exact.follow import Limits, follow
    from mercer.paths.exact.start import exact_start
    from mercer.problem.family import Family

    for seed in (1, 7, 13, 19, 25, 31):
        case = random_case(seed)
        problem = formulations.svc(case.y, 1.0, case.weight).problem
        start = exact_start(problem, case.gram)
        if start.is_trivial:
            continue
        for bland_after in (0, 50, 10**6):
            run = follow(Family(problem), case.gram, start, Limits(100.0), bland_after=bland_after)
            assert run.status in ("complete", "C_max")
            assert run.violation <= 1e-8


def test_a_run_of_repeats_never_meets_a_partition_twice() -> None:
    for seed in range(0, 60, 6):
        case = random_case(seed + 1, max_rows=60)
        path = path_of(case)
        seen: set[bytes] = set()
        for k, parameter in enumerate(path.segments.parameter):
            if k and path.segments.parameter[k - 1] - parameter > 1e-9 * parameter:
                seen = set()
            partition = path.segments.sides(k).tobytes()
            assert partition not in seen
            seen.add(partition)
