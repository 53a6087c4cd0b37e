"""Curves of errors and scores along C count what the machines do."""

from __future__ import annotations

import numpy as np
from sklearn.model_selection import StratifiedKFold

from mercer import PathSVC, svc_path


def test_a_score_on_a_trivial_path_has_no_zip_error() -> None:
    y = np.array([0, 0, 1, 1, 0, 1, 0, 1])
    machine = PathSVC(kernel="linear", cv=2, scoring="accuracy").fit(np.ones((8, 1)), y)
    assert machine.cv_score_.value.tolist() == [0.5]
    assert machine.cv_error_.value.tolist() == [0.5]


def tiny_problem(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows of small integers with many ties, both classes among them."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 8))
    y = rng.permutation(np.r_[0, 1, rng.integers(0, 2, n - 2)])
    return rng.integers(-2, 3, (n, 1)).astype(float), y


def test_the_error_of_tied_rows_below_the_first_breakpoint_is_counted() -> None:
    X, y = np.array([[0.0], [2.0], [2.0], [2.0], [-2.0]]), np.array([1, 1, 0, 0, 1])
    path = svc_path(X, y, kernel="linear")
    assert path.C_start == 0.25
    assert path.error(X, y)(0.01) == np.mean(path.predict(X, 0.01) != y) == 0.4


def test_the_error_is_what_counting_finds_where_no_value_is_zero() -> None:
    for seed in range(100):
        X, y = tiny_problem(seed)
        path = svc_path(X, y, kernel="linear", C_max=100.0)
        error = path.error(X, y)
        for C in (0.001, 0.01, 0.1, 0.2, 0.4, 0.7, 1.5, 10.0, 90.0):
            if np.abs(path.decision_function(X, C)).min() > 1e-6:
                assert abs(error(C) - np.mean(path.predict(X, C) != y)) < 1e-12


def test_the_errors_of_splits_are_what_counting_finds_where_no_value_is_zero() -> None:
    for seed in range(60):
        X, y = (
            np.concatenate(two)
            for two in zip(tiny_problem(seed), tiny_problem(seed + 1), strict=True)
        )
        cv = StratifiedKFold(2)
        machine = PathSVC(kernel="linear", cv=cv, C_max=100.0).fit(X, y)
        for (train, test), error in zip(cv.split(X, y), machine.cv_errors_, strict=True):
            path = svc_path(X[train], y[train], kernel="linear", C_max=100.0)
            for C in (0.003, 0.03, 0.2, 0.7, 5.0, 80.0):
                if np.abs(path.decision_function(X[test], C)).min() > 1e-6:
                    assert abs(error(C) - np.mean(path.predict(X[test], C) != y[test])) < 1e-12
