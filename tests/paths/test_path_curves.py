"""Curves of errors and scores along C count what the machines do."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold

from mercer import PathSVC, kernel_path, svc_grid, svc_path, svr_path


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
    assert path.first_event == 0.25
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


@pytest.mark.parametrize("size", [1e307, 1.7e308, 5e-324])
def test_huge_weights_do_not_make_errors_zero_or_nan(size: float) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 2))
    y, w = (X[:, 0] + rng.normal(size=20) > 0).astype(int), np.full(20, size)
    three = rng.integers(0, 3, 20)
    path, pairs = svc_path(X, y, C_max=10.0), PathSVC(C_max=10.0, cv=2).fit(X, three).path_
    widths = kernel_path(X, y, gamma_min=0.1, gamma_max=0.5, accuracy=0.1)
    grid = svc_grid(X, y, Cs=[0.5, 5.0], gammas=[0.1])
    regression = svr_path(X, X[:, 1], C_max=10.0)
    np.testing.assert_allclose(path.error(X, y, w).value, path.error(X, y).value)
    np.testing.assert_allclose(pairs.error(X, three, w).value, pairs.error(X, three).value)
    np.testing.assert_allclose(
        path.leave_one_out(sample_weight=w).value, path.leave_one_out().value
    )
    np.testing.assert_allclose(widths.score(X, y, w), widths.score(X, y))
    np.testing.assert_allclose(grid.score(X, y, w), grid.score(X, y))
    for loss in ("squared_error", "absolute_error"):
        weighted = regression.error(X, y, w, loss=loss)
        np.testing.assert_allclose(weighted.start, regression.error(X, y, loss=loss).start)
