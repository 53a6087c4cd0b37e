"""Approximate paths keep their promise at every C, with fewer breakpoints."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer

from mercer import PathSVC, svc_path
from mercer.io import load, save
from mercer.paths.approximate.march import march
from paths.path_cases import path_of, some_C
from solvers.active_set_cases import random_case

seeds = st.integers(0, 10**9)


def cancer() -> tuple[np.ndarray, np.ndarray]:
    X, y = load_breast_cancer(return_X_y=True)
    return (X - X.mean(axis=0)) / X.std(axis=0), y


@given(seeds, st.sampled_from([1e-4, 1e-2, 0.3]))
@settings(max_examples=60, deadline=None)
def test_the_gap_is_kept_everywhere(seed: int, accuracy: float) -> None:
    case = random_case(seed)
    path = path_of(case, accuracy=accuracy)
    assert path.status in ("complete", "C_max", "trivial")
    assert path.accuracy <= accuracy
    for C in some_C(path, case.rng, 6):
        found = path.certificate(C)
        assert found.relative_gap <= accuracy * (1 + 1e-6) + 1e-9
        assert found.infeasibility <= 1e-9 * max(1.0, np.abs(path.coef(C)).sum())


@given(seeds)
@settings(max_examples=20, deadline=None)
def test_at_its_breakpoints_it_is_exact(seed: int) -> None:
    path = path_of(random_case(seed), accuracy=0.1)
    if path.status == "trivial":
        return
    for C in path.C[:: max(len(path.C) // 5, 1)]:
        assert path.certificate(float(C)).relative_gap <= 1e-9


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_coarser_paths_have_fewer_breakpoints(kernel: str) -> None:
    X, y = cancer()
    counts = [len(svc_path(X, y, kernel=kernel, C_max=100.0).C)]
    rng = np.random.default_rng(0)
    for accuracy in (1e-4, 1e-3, 1e-2, 1e-1):
        path = svc_path(X, y, kernel=kernel, C_max=100.0, accuracy=accuracy)
        counts.append(len(path.C))
        for C in np.exp(rng.uniform(np.log(path.first_event), np.log(min(path.end, 100)), 12)):
            assert path.certificate(C).relative_gap <= accuracy
    assert (np.diff(counts) < 0).all()
    assert counts[1] < 0.25 * counts[0]


def test_it_begins_and_ends_where_the_exact_one_does() -> None:
    for seed in range(30):
        case = random_case(seed)
        exact, rough = path_of(case), path_of(case, accuracy=0.05)
        assert exact.status == rough.status
        assert rough.first_event == pytest.approx(exact.first_event)
        assert rough.end == pytest.approx(exact.end)


def test_its_error_is_that_of_its_own_decisions() -> None:
    X, y = cancer()
    path = svc_path(X[:300], y[:300], C_max=50.0, accuracy=1e-2)
    error = path.error(X[300:], y[300:])
    rng = np.random.default_rng(1)
    for C in np.exp(rng.uniform(np.log(1e-3), np.log(49.0), 40)):
        wrong = (path.predict(X[300:], C) != y[300:]).mean()
        assert error(C) == pytest.approx(wrong)


def test_it_is_saved_and_read(tmp_path: object) -> None:
    X, y = cancer()
    path = svc_path(X[:200], y[:200], C_max=50.0, accuracy=1e-2)
    save(path, f"{tmp_path}/path.mercer")
    again = load(f"{tmp_path}/path.mercer")
    assert again.accuracy == path.accuracy > 0
    assert np.array_equal(again.coef(3.3), path.coef(3.3))


def test_it_can_be_stopped() -> None:
    X, y = cancer()
    path = svc_path(X, y, accuracy=1e-4, max_events=7)
    assert (path.status, len(path.C)) == ("max-events", 7)
    path = svc_path(X, y, accuracy=1e-4, max_time=1e-9)
    assert path.status == "max-time"
    seen = []
    path = svc_path(X, y, accuracy=1e-4, callback=lambda p: seen.append(p) or len(seen) == 3)
    assert path.status == "callback"
    assert seen[2].value > seen[1].value
    assert path.end == pytest.approx(seen[2].value)


def test_choosing_c_on_approximate_paths() -> None:
    X, y = cancer()
    exact = PathSVC(C_max=100.0).fit(X[:250], y[:250])
    rough = PathSVC(C_max=100.0, accuracy=1e-3).fit(X[:250], y[:250])
    assert len(rough.path_.C) < 0.5 * len(exact.path_.C)
    assert rough.cv_error_.minimum == pytest.approx(exact.cv_error_.minimum, abs=0.01)
    loo = PathSVC(C_max=10.0, accuracy=1e-2, cv="loo").fit(X[:60], y[:60])
    assert loo.cv_error_(loo.C_) == loo.cv_error_.minimum


# Solutions as far apart as an accuracy allows.


def test_a_march_halves_what_is_too_long_and_covers_everything() -> None:
    asked: list[float] = []

    def solve(x: float) -> float:
        asked.append(x)
        return x**3

    def error(left: float, right: float) -> float:
        return abs(right - left)

    pieces = list(march(0.0, 0.0, 2.0, solve=solve, error=error, accuracy=0.5, step=1.5))
    assert pieces[0].left == 0.0
    assert pieces[-1].end == 2.0
    assert all(a.right == b.left for a, b in itertools.pairwise(pieces))
    assert all(piece.error <= 0.5 for piece in pieces)
    assert len(pieces) < 40
    assert len(set(asked)) == len(asked)


def test_a_march_gets_past_a_jump() -> None:
    pieces = list(
        march(
            0.0, 0.0, 2.0, solve=lambda x: float(x > 1), error=lambda a, b: b - a,
            accuracy=0.5, step=0.1,
        )
    )  # fmt: skip
    assert [piece.error for piece in pieces].count(1.0) == 1
    assert pieces[-1].end == 2.0
