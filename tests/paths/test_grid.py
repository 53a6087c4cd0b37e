"""The warm-started grid gives what independent solves give."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, make_classification
from sklearn.model_selection import StratifiedKFold, cross_val_score

from mercer import SVC, Gram, certify, formulations, solve, svc_grid
from mercer.kernels import Gaussian, Linear
from solvers.active_set_cases import random_case


def sample(n: int = 120) -> tuple[np.ndarray, np.ndarray]:
    return make_classification(n, 5, n_informative=3, flip_y=0.1, weights=[0.6], random_state=0)


def agree(a: float, b: float, tolerance: float) -> bool:
    return abs(a - b) <= tolerance * max(1e-9, abs(a), abs(b))


@given(st.integers(0, 10**9))
@settings(max_examples=25, deadline=None)
def test_warm_equals_cold(seed: int) -> None:
    case = random_case(seed)
    Cs = [0.01, 0.5, 3.0, 200.0]
    grid = svc_grid(case.X, case.y, Cs=Cs, gammas=[0.03, 2.0], sample_weight=case.weight, tol=1e-8)
    for i, gamma in enumerate(grid.gamma):
        gram = Gram(Gaussian(gamma), case.X, precision="double")
        for j, C in enumerate(Cs):
            problem = formulations.svc(case.y, C, case.weight).problem
            cold = solve(problem, gram, "active-set")
            warm = grid.solutions[i, j]
            assert agree(warm.objective, cold.objective, 1e-7)
            assert warm.violation <= 1e-8 or warm.status == "precision-limit"


def test_every_solution_carries_its_own_certificate() -> None:
    X, y = sample()
    grid = svc_grid(X, y, Cs=[10.0, 0.1, 1.0], gammas=[0.5, 0.05])
    assert grid.C.tolist() == [0.1, 1.0, 10.0]
    assert grid.gamma.tolist() == [0.05, 0.5]
    assert grid.scores is None
    for i, gamma in enumerate(grid.gamma):
        gram = Gram(Gaussian(gamma), X, precision="double")
        for j, C in enumerate(grid.C):
            problem = formulations.svc(2 * y - 1, C).problem
            found, solution = (
                certify(problem, gram, grid.solutions[i, j].coef),
                grid.solutions[i, j],
            )
            assert solution.status == "converged"
            assert solution.violation == pytest.approx(found.violation, abs=1e-9)
            assert solution.gap == pytest.approx(found.gap, abs=1e-9)
            assert solution.violation <= 1e-3


def test_scores_are_those_of_cross_validated_machines() -> None:
    X, y = sample()
    cv = StratifiedKFold(4)
    grid = svc_grid(X, y, Cs=[0.2, 2.0, 30.0], gammas=[0.05, 0.7], cv=cv, tol=1e-8)
    for i, gamma in enumerate(grid.gamma):
        for j, C in enumerate(grid.C):
            machine = SVC(C=C, gamma=gamma, solver="active-set", tol=1e-8)
            wanted = cross_val_score(machine, X, y, cv=cv).mean()
            assert grid.scores[i, j] == pytest.approx(wanted)
    i, j = grid.best
    assert grid.scores[i, j] == grid.scores.max()


def test_weighted_rows_count_as_often_in_the_scores() -> None:
    X, y = sample(60)
    weight = np.random.default_rng(0).integers(1, 4, 60)
    group = np.arange(60) % 3
    rows = np.repeat(np.arange(60), weight)
    splits = [(np.flatnonzero(group != g), np.flatnonzero(group == g)) for g in range(3)]
    copied = [
        (np.flatnonzero(group[rows] != g), np.flatnonzero(group[rows] == g)) for g in range(3)
    ]
    options = {"Cs": [0.3, 3.0], "gammas": [0.1], "tol": 1e-8}
    a = svc_grid(X, y, cv=splits, sample_weight=weight, **options)
    b = svc_grid(X[rows], y[rows], cv=copied, **options)
    assert a.scores == pytest.approx(b.scores)


def test_predictions_are_those_of_the_machine() -> None:
    X, y = sample()
    labels = np.array(["no", "yes"])[y]
    grid = svc_grid(X[:90], labels[:90], Cs=[0.5, 5.0], gammas=[0.1, 1.0], tol=1e-8)
    machine = SVC(C=5.0, gamma=0.1, solver="active-set", tol=1e-8).fit(X[:90], labels[:90])
    values = machine.decision_function(X)
    assert grid.decision_function(X, 0, 1) == pytest.approx(values, abs=1e-6)
    scores = grid.score(X[90:], labels[90:])
    assert scores.shape == (2, 2)
    assert scores[0, 1] == pytest.approx(machine.score(X[90:], labels[90:]))
    with pytest.raises(ValueError, match="no scores"):
        _ = grid.best


@pytest.mark.parametrize("kernel", ["linear", "poly", "laplacian", "precomputed"])
def test_other_kernels(kernel: str) -> None:
    X, y = sample(60)
    rows = X @ X.T if kernel == "precomputed" else X
    grid = svc_grid(rows, y, Cs=[0.1, 1.0], kernel=kernel, coef0=1.0, tol=1e-7)
    assert grid.solutions.shape == (1, 2)
    machine = SVC(C=1.0, kernel=kernel, coef0=1.0, solver="active-set", tol=1e-7).fit(rows, y)
    assert agree(grid.solutions[0, 1].objective, machine.objective_, 1e-6)
    assert grid.score(rows, y)[0, 1] == pytest.approx(machine.score(rows, y))


def test_warm_starts_save_most_of_the_steps() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    y = np.where(np.random.default_rng(0).random(len(y)) < 0.1, 1 - y, y)
    Cs = 4.0 ** np.arange(-4, 6)
    grid = svc_grid(X, y, Cs=Cs, kernel="linear", solver="active-set")
    gram, sign = Gram(Linear(), X, precision="double"), 2.0 * y - 1.0
    cold = [solve(formulations.svc(sign, C).problem, gram, "active-set").n_iter for C in Cs]
    assert sum(s.n_iter for s in grid.solutions[0]) < 0.2 * sum(cold)


def test_time_ends_it_with_what_there_is() -> None:
    X, y = sample()
    grid = svc_grid(X, y, Cs=[0.1, 1.0], gammas=[0.1], cv=2, max_time=1e-9)
    assert grid.solutions.tolist() == [[None, None]]
    assert np.isnan(grid.scores).all()
    assert np.isnan(grid.score(X, y)).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"Cs": []}, "Cs must be positive"),
        ({"Cs": [1.0, -2.0]}, "Cs must be positive"),
        ({"Cs": [1.0], "gammas": [0.0]}, "gammas must be positive"),
        ({"Cs": [1.0], "kernel": "sigmoid"}, "positive semi-definite"),
    ],
)
def test_bad_arguments_are_named(options: dict, message: str) -> None:
    X, y = sample(20)
    with pytest.raises(ValueError, match=message):
        svc_grid(X, y, **options)


def test_a_gram_is_refused() -> None:
    X, y = sample(20)
    with pytest.raises(TypeError, match="X must be rows"):
        svc_grid(Gram(Linear(), X), y, Cs=[1.0])


def test_the_callback_sees_each_solution_and_can_end_the_grid() -> None:
    X, y = sample(60)
    seen = []
    grid = svc_grid(
        X, y, Cs=[0.1, 1.0], gammas=[0.1, 1.0], callback=lambda p: seen.append(p) or len(seen) == 3
    )
    assert [progress.iteration for progress in seen] == [1, 2, 3]
    assert [progress.value for progress in seen] == [0.1, 1.0, 0.1]
    assert grid.status == "callback"
    assert [solution is not None for solution in grid.solutions.flat] == [True, True, True, False]
    assert svc_grid(X, y, Cs=[1.0], gammas=[0.1], verbose=True).status == "complete"
