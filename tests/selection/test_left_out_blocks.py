"""Least squares judged by splits: the machines of all splits come from one inverse."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.model_selection import GroupKFold, KFold, LeaveOneOut, ShuffleSplit, cross_val_predict

from mercer import LSSVR, RLSC, TunedRLSC, TunedSVC
from mercer.kernels import Gaussian
from mercer.selection import make_objective
from mercer.selection.objectives.least_squares import _sandwiched
from mercer.selection.objectives.left_out_blocks import LeftOutBlocks

RNG = np.random.default_rng(3)
GROUPS = np.repeat(np.arange(20), 4)
X = 3.0 * RNG.normal(size=(20, 3))[GROUPS] + 0.05 * RNG.normal(size=(80, 3))
CHANCE = RNG.permutation(np.arange(20) % 2)[GROUPS]  # one label a group, nothing to be learned
THREE = np.digitize(X[:, 0] + RNG.normal(size=80), [-1.5, 1.5])
WEIGHT = RNG.integers(0, 3, size=80).astype(float)


def test_groups_of_least_squares_stay_together() -> None:
    """The leave-one-out error of rows with near copies was reported, whatever cv and groups."""
    machine = TunedRLSC(cv=GroupKFold(5)).fit(X, CHANCE, groups=GROUPS)
    assert machine.best_score_ < -0.5
    assert "split4_test_score" in machine.cv_results_
    values = cross_val_predict(
        machine.best_estimator_, X, CHANCE, groups=GROUPS, cv=GroupKFold(5),
        method="decision_function",
    )  # fmt: skip
    squares = np.square(2 * CHANCE - 1 - values)
    assert machine.best_score_ == pytest.approx(-squares.mean(), rel=1e-6)
    assert TunedRLSC().fit(X, CHANCE).best_score_ > -0.1


@pytest.mark.parametrize("machine", [TunedRLSC(cv=KFold(2)), TunedSVC(cv=2, max_evals=1)])
@pytest.mark.parametrize("groups", [GROUPS[:-1], np.append(GROUPS, 0)])
def test_groups_of_a_wrong_length_are_refused(machine: Any, groups: Any) -> None:
    with pytest.raises(ValueError, match="groups must have 80 entries"):
        machine.fit(X, CHANCE, groups=groups)


def test_groups_that_nothing_looks_at_are_refused() -> None:
    with pytest.raises(ValueError, match="groups need a cv"):
        TunedRLSC().fit(X, CHANCE, groups=GROUPS)
    with pytest.raises(ValueError, match="cv must be None with objective='gcv'"):
        TunedRLSC(objective="gcv", cv=GroupKFold(5)).fit(X, CHANCE, groups=GROUPS)
    with pytest.raises(ValueError, match="groups must be None with objective='span'"):
        TunedSVC(objective="span").fit(X, CHANCE, groups=GROUPS)


def test_single_rows_left_out_are_leave_one_out() -> None:
    one, other = (TunedRLSC(cv=cv).fit(X, THREE > 0) for cv in (None, LeaveOneOut()))
    assert other.best_score_ == pytest.approx(one.best_score_, rel=1e-6)
    assert other.alpha_ == pytest.approx(one.alpha_, rel=1e-2)


def test_weights_of_classes_weighed_errors_without_cv_and_not_with_splits() -> None:
    y = (THREE > 0) * 1
    machine = RLSC(alpha=0.3, kernel=Gaussian(0.5), class_weight={0: 1.0, 1: 20.0})
    alone = make_objective("gcv", machine, X, y, method="loo")
    splits = make_objective("cv", machine, X, y, cv=LeaveOneOut(), loss="squared")
    theta = alone.space.start
    assert alone.value(theta) == pytest.approx(splits.value(theta), rel=1e-8)
    np.testing.assert_allclose(alone(theta)[1], splits(theta)[1], rtol=1e-6)
    for class_weight in ("balanced", {0: 1.0, 1: 20.0}):
        options = {"class_weight": class_weight}
        one, other = (TunedRLSC(cv=cv, **options).fit(X, y) for cv in (None, LeaveOneOut()))
        assert other.best_score_ == pytest.approx(one.best_score_, rel=0.02)


@pytest.mark.parametrize("fit_intercept", [True, False, "penalized"])
@pytest.mark.parametrize("cv", [KFold(4), ShuffleSplit(3, test_size=0.1, random_state=0)])
@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["plain", "weights"])
@pytest.mark.parametrize(
    ("kind", "y", "loss"), [(RLSC, THREE, "logistic"), (LSSVR, X[:, 0] ** 2, "squared")]
)
def test_left_out_blocks_are_machines_of_the_other_rows(
    kind: Any, y: Any, loss: str, weight: Any, cv: Any, fit_intercept: Any
) -> None:
    machine = kind(kernel=Gaussian(0.05), fit_intercept=fit_intercept, alpha=0.3)
    one, other = (
        make_objective("cv", machine, X, y, sample_weight=weight, cv=cv, loss=loss)
        for _ in range(2)
    )
    other._blocks = (None,)  # type: ignore[attr-defined]
    theta = one.space.start
    (value, gradient), (expected, slope) = one(theta), other(theta)
    assert one.n_trainings == 1 < other.n_trainings
    assert value == pytest.approx(expected, rel=1e-9)
    np.testing.assert_allclose(gradient, slope, rtol=1e-7, atol=1e-9)


def test_splits_that_change_weights_are_trained() -> None:
    balanced = RLSC(class_weight="balanced")
    twice = [(np.r_[0:40, 0:10], np.r_[40:80])]
    own = [(np.r_[0:60], np.r_[50:80])]  # tested with rows trained on
    most = [(np.r_[0:20], np.r_[20:80])]
    plain = [(np.r_[0:60], np.r_[60:70])]  # ten rows play no part
    for machine, cv in ((balanced, 3), (RLSC(), twice), (RLSC(), own), (RLSC(), most)):
        objective: Any = make_objective("cv", machine, X, THREE, cv=cv)
        assert LeftOutBlocks.of(objective.task, objective._splits()) is None
    objective = make_objective("cv", RLSC(), X, THREE, cv=plain)
    assert LeftOutBlocks.of(objective.task, objective._splits()) is not None


def test_splits_of_a_sample_are_those_of_all_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mercer.selection.least_squares_search._MOST_ROWS", 40)
    machine = TunedRLSC(cv=GroupKFold(5)).fit(X, CHANCE, groups=GROUPS)
    assert machine.history_[0].n_rows <= 42
    assert machine.best_score_ < -0.5
    assert machine.best_estimator_.shape_fit_ == X.shape
    # a split that tests with no row of the sample needs all rows; what is read once will do
    once = iter([(np.arange(80) != 1, np.array([1]))])
    assert TunedRLSC(cv=once, max_evals=2).fit(X, CHANCE).history_[0].n_rows == 80


def test_products_around_a_diagonal_of_either_sign_are_the_same() -> None:
    P = RNG.normal(size=(30, 30))
    P = P + P.T
    for diagonal in (RNG.normal(size=30), -np.abs(RNG.normal(size=30)), np.zeros(30)):
        np.testing.assert_allclose(_sandwiched(P, diagonal), P @ np.diag(diagonal) @ P, atol=1e-12)
