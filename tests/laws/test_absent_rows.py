"""A row of weight 0 is not there: it decides nothing, wherever it lies and whatever its target."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from mercer import (
    LSSVR,
    RLSC,
    SVC,
    SVR,
    NuSVC,
    NuSVR,
    PathSVC,
    nu_svc_path,
    nu_svr_path,
    svc_grid,
    svc_path,
    svr_path,
)
from mercer.formulations import svc
from mercer.problem import Problem

RNG = np.random.default_rng(0)
BASE = np.round(RNG.normal(size=(40, 3)) * 1024) / 1024
TARGET = BASE[:, 0] + 0.5 * RNG.normal(size=40)
LABELS, THREE = (TARGET > 0).astype(int), np.digitize(TARGET, [-0.5, 0.5])
WEIGHT = np.r_[0.0, np.ones(40), 0.0]
# Where the rows are and where the absent ones.
PLACES = [(0.0, 1e9), (2.0**30, 0.0), (2.0**30, -(2.0**33))]
HALVES = [(np.arange(0, 40, 2), np.arange(1, 40, 2)), (np.arange(1, 40, 2), np.arange(0, 40, 2))]

Machine = Callable[[], Any]
CLASSIFIERS: dict[str, Machine] = {
    "svc": lambda: SVC(kernel="linear"),
    "squared": lambda: SVC(kernel="linear", loss="squared_hinge", solver="active-set"),
    "polynomial": lambda: SVC(kernel="poly", degree=2, gamma=1.0),
    "nu-svc": lambda: NuSVC(kernel="linear", nu=0.4),
    "least squares": lambda: RLSC(kernel="linear", alpha=1.0),
}
REGRESSORS: dict[str, Machine] = {
    "svr": lambda: SVR(kernel="linear"),
    "nu-svr": lambda: NuSVR(kernel="linear"),
    "least squares": lambda: LSSVR(kernel="linear", alpha=1.0),
}


def between(ends: Any, middle: Any) -> Any:
    return np.concatenate([ends[:1], middle, ends[1:]])


def assert_same(make: Machine, X: Any, y: Any, place: float, ends: Any, store: Any) -> None:
    one = make().fit(store(X), y)
    rows = between(np.full((2, X.shape[1]), place), X)
    other = make().fit(store(rows), between(np.asarray(ends), y), sample_weight=WEIGHT)
    for found, expected in zip(solutions(other), solutions(one), strict=True):
        assert found.status == expected.status
        assert found.rounding <= 1.1 * expected.rounding
    if all(solution.converged for solution in solutions(one)):
        values = [getattr(m, "decision_function", m.predict)(store(X)) for m in (one, other)]
        np.testing.assert_allclose(*values, rtol=1e-9, atol=1e-9 + 3e-15 * np.abs(X).max())


def solutions(machine: Any) -> tuple[Any, ...]:
    return getattr(machine, "solutions_", ())


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.filterwarnings("ignore::scipy.linalg.LinAlgWarning")
@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize(("offset", "place"), PLACES)
def test_rows_without_weight_decided_whether_the_origin_moves(
    offset: float, place: float, store: Any
) -> None:
    X = BASE + offset
    for make in CLASSIFIERS.values():
        assert_same(make, X, LABELS, place, [0, 1], store)
    assert_same(CLASSIFIERS["svc"], X, THREE, place, [0, 2], store)
    for make in REGRESSORS.values():
        assert_same(make, X, TARGET, place, [1e20, -1e20], store)


@pytest.mark.parametrize(("offset", "place"), PLACES)
def test_a_path_ended_where_it_began_because_of_a_row_without_weight(
    offset: float, place: float
) -> None:
    X, rows = BASE + offset, between(np.full((2, 3), place), BASE + offset)
    labels, targets = between([0, 1], LABELS), between([1e6, -1e6], TARGET)
    linear: dict[str, Any] = {"kernel": "linear", "sample_weight": WEIGHT}
    pairs: list[tuple[Any, Any]] = [
        (
            svc_path(X, LABELS, kernel="linear", C_max=10.0).decision_function(X, 5.0),
            svc_path(rows, labels, C_max=10.0, **linear).decision_function(X, 5.0),
        ),
        (
            svr_path(X, TARGET, kernel="linear", C_max=1.0).decision_function(X, 0.5),
            svr_path(rows, targets, C_max=1.0, **linear).decision_function(X, 0.5),
        ),
        (
            nu_svc_path(X, LABELS, kernel="linear").decision_function(X, 0.5),
            nu_svc_path(rows, labels, **linear).decision_function(X, 0.5),
        ),
        (
            nu_svr_path(X, TARGET, kernel="linear", C=1.0).predict(X, 0.5),
            nu_svr_path(rows, targets, C=1.0, **linear).predict(X, 0.5),
        ),
    ]
    for expected, found in pairs:
        assert found.tobytes() == expected.tobytes()


@pytest.mark.parametrize(("offset", "place"), PLACES)
def test_given_splits_see_no_rows_without_weight(offset: float, place: float) -> None:
    X, rows = BASE + offset, between(np.full((2, 3), place), BASE + offset)
    labels = between([0, 1], LABELS)
    shifted = [(train + 1, test + 1) for train, test in HALVES]
    one = PathSVC(kernel="linear", cv=HALVES, C_max=10.0).fit(X, LABELS)
    other = PathSVC(kernel="linear", cv=shifted, C_max=10.0).fit(rows, labels, WEIGHT)
    assert other.C_ == one.C_
    assert other.decision_function(X).tobytes() == one.decision_function(X).tobytes()
    small = svc_grid(X, LABELS, kernel="linear", Cs=[0.1, 1.0], cv=HALVES)
    large = svc_grid(rows, labels, kernel="linear", Cs=[0.1, 1.0], cv=shifted, sample_weight=WEIGHT)
    np.testing.assert_array_equal(large.scores, small.scores)
    for found, expected in zip(large.solutions[0], small.solutions[0], strict=True):
        assert found.objective == pytest.approx(expected.objective, rel=1e-12)


def test_a_problem_knows_which_variables_are_there() -> None:
    assert svc(np.array([1.0, -1.0]), 1.0).problem.present == slice(None)
    problem = Problem([1.0, 9.0, -2.0], [0.0, 0.0, -1.0], [1.0, 0.0, 0.0])
    assert np.array_equal(problem.present, [True, False, True])
    assert problem.linear_size == 2.0
