"""Machines that tune themselves."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import GroupKFold, TimeSeriesSplit, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mercer import SVC, TunedRLSC, TunedSVC, TunedSVR
from mercer.kernels import Gaussian, Linear

RNG = np.random.default_rng(0)
X = RNG.normal(size=(90, 4))
Y = np.where(X[:, 0] ** 2 + X[:, 1] ** 2 + 0.2 * RNG.normal(size=90) > 1.4, "far", "near")
QUICK: dict[str, Any] = {"max_evals": 12, "cv": 3}


def test_the_best_score_is_that_of_cross_validation() -> None:
    machine = TunedSVC(cv=4, tol=1e-6).fit(X, Y)
    expected = cross_val_score(SVC(C=machine.C_, kernel=machine.kernel_, tol=1e-6), X, Y, cv=4)
    assert machine.best_score_ == pytest.approx(expected.mean(), abs=1e-12)
    table = machine.cv_results_
    best = table["mean_test_score"].argmax()
    assert machine.best_score_ == pytest.approx(table["mean_test_score"][best])
    by_split = [table[f"split{k}_test_score"][best] for k in range(4)]
    np.testing.assert_allclose(by_split, expected)
    again = SVC(tol=1e-6).set_params(**table["params"][best])
    np.testing.assert_allclose(cross_val_score(again, X, Y, cv=4), expected)
    assert table["param_C"][best] == machine.C_
    assert table["param_kernel__gamma"][best] == machine.kernel_.gamma
    assert table["rank_test_score"][best] == 1


@pytest.mark.parametrize(
    "machine",
    [
        TunedSVC(cv=3),
        TunedSVC(kernel=Gaussian("scale", metric="diagonal"), cv=3),
        TunedSVC(objective="alignment", cv=3),
        TunedRLSC(),
    ],
)
def test_the_best_index_is_the_row_that_was_chosen(machine: Any) -> None:
    table, best = machine.fit(X, Y).cv_results_, machine.best_index_
    assert table["mean_test_score"][best] == machine.best_score_
    # many widths may be the best without being clearly so, and one is chosen
    assert table["rank_test_score"][best] <= (1 if machine.kernel == "rbf" else 2)
    penalty = "alpha" if isinstance(machine, TunedRLSC) else "C"
    assert table["params"][best][penalty] == machine.best_params_[penalty]
    np.testing.assert_allclose(table["params"][best]["kernel"].theta, machine.kernel_.theta)


def test_a_tuned_machine_is_an_estimator_like_others() -> None:
    machine = clone(TunedSVC(**QUICK)).fit(X, Y)
    assert set(machine.predict(X)) <= {"far", "near"}
    assert machine.decision_function(X).shape == (90,)
    pipeline = make_pipeline(StandardScaler(), TunedSVC(**QUICK))
    assert cross_val_score(pipeline, X, Y, cv=2).mean() > 0.6
    frame = pd.DataFrame(X, columns=list("abcd"))
    assert list(TunedSVC(**QUICK).fit(frame, Y).feature_names_in_) == list("abcd")


@pytest.mark.parametrize(
    "objective", ["cv", "holdout", "likelihood", "posterior", "alignment", "span_like", "bootstrap"]
)
def test_every_objective_tunes(objective: str) -> None:
    machine = TunedSVC(objective=objective, max_evals=4, random_state=0).fit(X[:50], Y[:50])
    assert machine.C_ > 0
    assert np.isfinite(machine.best_score_)


def test_widths_of_useless_features_shrink() -> None:
    random = np.random.default_rng(1)
    rows = random.normal(size=(200, 12))
    near = np.hypot(rows[:, 0], rows[:, 1]) < 1.2
    machine = TunedSVC(kernel=Gaussian("scale", metric="diagonal"), cv=3).fit(rows, near)
    assert machine.relevance_ is not None
    assert machine.relevance_[:2].min() > machine.relevance_[2:].max()
    assert len(machine.history_) == 2


@pytest.mark.parametrize("make", [TunedSVC, TunedSVR, TunedRLSC])
def test_ard_is_one_width_for_each_feature(make: Any) -> None:
    target = X[:, 0] if make is TunedSVR else Y
    widths = Gaussian("scale", metric="diagonal")
    one, other = (make(kernel=kernel, max_evals=3).fit(X, target) for kernel in ("ard", widths))
    assert one.kernel_ == other.kernel_
    assert np.shape(one.kernel_.gamma) == (X.shape[1],)
    assert clone(one).kernel == "ard"
    with pytest.raises(ValueError, match="kernel"):
        SVC(kernel="ard").fit(X, Y)


def test_splits_and_groups_are_those_given() -> None:
    groups = np.arange(90) // 5
    with pytest.raises(ValueError, match="groups"):
        TunedSVC(cv=GroupKFold(3), max_evals=2).fit(X, Y)
    TunedSVC(cv=GroupKFold(3), max_evals=2).fit(X, Y, groups=groups)
    TunedSVC(cv=TimeSeriesSplit(3), max_evals=2).fit(X, Y)


def test_regression_and_least_squares_tune() -> None:
    target = np.sin(X[:, 0])
    machine = TunedSVR(epsilon=0.01, cv=3).fit(X, target)
    assert machine.score(X, target) > 0.9
    iris = load_iris(return_X_y=True)
    assert TunedRLSC(max_evals=10).fit(*iris).score(*iris) > 0.95


def test_a_kernel_without_parameters_tunes_c() -> None:
    machine = TunedSVC(kernel=Linear(), cv=3).fit(X, Y)
    assert machine.history_[0].names == ["log C"]


def test_weights_are_repetitions() -> None:
    weight = RNG.integers(1, 3, size=90)
    folds = [(np.arange(0, 60), np.arange(60, 90)), (np.arange(30, 90), np.arange(0, 30))]
    place = np.repeat(np.arange(90), weight)
    repeated = [tuple(np.flatnonzero(np.isin(place, part)) for part in pair) for pair in folds]
    kernel = Gaussian(0.3)
    one = TunedSVC(kernel=kernel, cv=folds, tol=1e-8).fit(X, Y, sample_weight=weight)
    two = TunedSVC(kernel=kernel, cv=repeated, tol=1e-8).fit(X[place], Y[place])
    np.testing.assert_allclose(one.C_, two.C_)
    np.testing.assert_allclose(one.kernel_.gamma, two.kernel_.gamma)
    np.testing.assert_allclose(
        one.cv_results_["mean_test_score"], two.cv_results_["mean_test_score"], atol=1e-12
    )


def test_limits_end_a_search_with_its_best_point() -> None:
    assert TunedSVC(max_evals=3).fit(X, Y).search_status_ == "max-evals"
    assert TunedSVC(max_time=1e-6).fit(X, Y).search_status_ == "max-time"
    ended = TunedSVC(callback=lambda history: len(history) > 4).fit(X, Y)
    assert ended.search_status_ == "callback"


@pytest.mark.filterwarnings("ignore:.*every row:UserWarning")
def test_a_flat_criterion_is_told() -> None:
    rows = np.zeros((20, 1))
    labels = np.arange(20) % 2
    with pytest.warns(UserWarning, match="the same everywhere"):
        TunedSVC(cv=2).fit(rows, labels)


def test_the_search_draws_itself() -> None:
    axes = TunedSVC(**QUICK).fit(X, Y).plot()
    assert axes.get_xlabel() == "C"


@pytest.mark.parametrize("make", [TunedSVC, TunedSVR, TunedRLSC])
def test_a_careful_choice_is_simpler_and_within_a_standard_error(make: Any) -> None:
    noisy = np.where(np.random.default_rng(1).random(len(Y)) < 0.25, Y[::-1], Y)
    target = X[:, 0] ** 2 if make is TunedSVR else noisy
    best, simple = (make(cv=3, choice=choice).fit(X, target) for choice in ("best", "one-se"))
    table, chosen = simple.cv_results_, simple.best_index_
    scores = [table[f"split{k}_test_score"][best.best_index_] for k in range(3)]
    allowed = best.best_score_ - np.std(scores, ddof=1) / np.sqrt(3)
    assert allowed - 1e-9 <= simple.best_score_ <= best.best_score_ + 1e-9
    assert simple.best_score_ == pytest.approx(table["mean_test_score"][chosen])
    assert simple.kernel_.gamma <= best.kernel_.gamma * (1 + 1e-9)
    log_C = table["theta_log C"]
    assert log_C[chosen] <= log_C[best.best_index_] + 1e-9
    wider = table["theta_gamma"] <= table["theta_gamma"][best.best_index_] + 1e-9
    good = wider & (table["mean_test_score"] >= allowed)
    assert log_C[chosen] == pytest.approx(log_C[good].min())
    if make is TunedSVC:
        assert log_C[chosen] < log_C[best.best_index_]
        assert simple.predict_proba(X).shape == (len(X), 2)


@pytest.mark.parametrize(
    "machine", [TunedSVC(objective="span_like", choice="one-se"), TunedRLSC(choice="one-se")]
)
def test_a_careful_choice_needs_splits(machine: Any) -> None:
    with pytest.raises(ValueError, match="choice='one-se' needs splits"):
        machine.fit(X, Y)


def test_balanced_weights_were_undone_by_the_choice() -> None:
    random = np.random.default_rng(0)
    rare = random.random(160) < 0.12
    rows = random.normal(size=(160, 2)) + 1.2 * rare[:, None]
    machine = TunedSVC(class_weight="balanced", cv=3).fit(rows, rare)
    asked = TunedSVC(class_weight="balanced", cv=3, scoring="balanced_accuracy").fit(rows, rare)
    assert machine.best_score_ == asked.best_score_
    assert machine.C_ == asked.C_
    by_rows = TunedSVC(class_weight="balanced", cv=3, scoring="accuracy").fit(rows, rare)
    assert balanced_accuracy_score(rare, machine.predict(rows)) >= 0.7
    assert by_rows.best_score_ != machine.best_score_
