"""Where a whole interval of biases is optimal everybody takes its middle."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.model_selection import KFold, cross_val_score

from mercer import SVC, PathSVC, nu_svc_path, svc_grid, svc_path, svr_path

COSTS = [1e-3, 0.01, 0.1, 0.3]


def two_classes(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Classes of unequal size: balanced, their bounds add up to the same but for rounding."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(20, 3)), np.repeat([0, 1], 10)
    X[y == 1] += 0.5
    y[:3] = 1 - y[:3]
    return X, y


@pytest.mark.parametrize("seed", range(2, 8))
@pytest.mark.parametrize("class_weight", [None, "balanced", {0: 2.0, 1: 14 / 13}])
def test_a_grid_and_a_path_took_another_bias_than_svc(seed: int, class_weight: object) -> None:
    X, y = two_classes(seed)
    options = {"gamma": 0.5, "class_weight": class_weight}
    path = svc_path(X, y, **options)
    grid = svc_grid(X, y, Cs=COSTS, gammas=[0.5], class_weight=class_weight, tol=1e-9)
    assert path.first_event > COSTS[1]
    for j, C in enumerate(COSTS):
        wanted = path.intercept(C)
        assert grid.solutions[0, j].multiplier[0] == pytest.approx(wanted, abs=1e-8)
        for solver in ("smo", "active-set", "chunked"):
            machine = SVC(C=C, tol=1e-9, solver=solver, **options).fit(X, y)
            assert machine.intercept_[0] == pytest.approx(wanted, abs=1e-6)


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
@pytest.mark.parametrize("seed", range(12))
def test_a_path_took_an_end_of_the_interval_of_biases(seed: int, kernel: str) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(6, 40))
    X, y = rng.normal(size=(n, 2)), np.arange(n) % 2 if seed % 2 else (rng.random(n) < 0.4) * 1
    X, y[:2] = np.round(X) if seed % 3 == 0 else X, [0, 1]
    weight = rng.integers(1, 3, n) if seed % 4 == 0 else None
    kind = {"kernel": kernel} if kernel == "linear" else {"gamma": 0.5}
    svc = svc_path(X, y, C_max=50.0, sample_weight=weight, **kind)
    svr = svr_path(X, np.round(X[:, 0] + y, 1), C_max=50.0, sample_weight=weight, **kind)
    for path in (svc, svr):
        for C in np.exp(rng.uniform(np.log(1e-3), np.log(50.0), 15)):
            low, high = path.intercept_interval(C)
            assert path.intercept(C) == pytest.approx(0.5 * (low + high), abs=1e-7 * (1 + abs(low)))


def test_one_row_more_in_a_class_gave_another_bias_than_svc() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(65, 2)), np.repeat([0, 1], [33, 32])
    X += 0.5 * y[:, None]
    machine = SVC(C=0.05, gamma=0.5, tol=1e-9).fit(X, y)
    path = svc_path(X, y, gamma=0.5, C_max=1.0)
    assert path.intercept(0.05) == pytest.approx(machine.intercept_[0], abs=1e-7)


def test_cv_score_was_not_that_of_cross_val_score() -> None:
    rng = np.random.default_rng(16)
    X, y = rng.normal(size=(40, 2)), np.arange(40) % 2
    X += 0.7 * y[:, None]
    cv = KFold(5, shuffle=True, random_state=0)
    machine = PathSVC(gamma=0.5, cv=cv, C_max=10.0).fit(X, y)
    for C in (0.05, 0.2, 0.5, 3.0):
        wanted = cross_val_score(SVC(C=C, gamma=0.5, tol=1e-9), X, y, cv=cv).mean()
        assert machine.cv_score_(C) == pytest.approx(wanted)


def test_a_bend_of_the_bias_is_no_event_and_no_nu() -> None:
    rng = np.random.default_rng(11)
    X = rng.normal(size=(int(rng.integers(6, 14)), 1))
    y = (rng.random(len(X)) < 0.3) * 1
    y[:2] = [0, 1]
    path, over_C = nu_svc_path(X, y, gamma=0.5), svc_path(X, y, gamma=0.5, C_max=np.inf)
    assert over_C.C[0] < 0.99 * over_C.first_event
    assert over_C.first_event == pytest.approx(over_C.events["C"][0])
    assert path.solutions.C_at(path.begin) == pytest.approx(over_C.first_event)
