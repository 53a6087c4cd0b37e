"""Several scores, scores by probabilities, and losses and weights that are searched."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.special import expit
from sklearn.base import clone
from sklearn.datasets import load_iris, make_classification
from sklearn.metrics import log_loss, make_scorer
from sklearn.model_selection import LeaveOneOut, StratifiedKFold, cross_val_score

from mercer import SVC, TunedRLSC, TunedSVC, TunedSVR, io

X, Y = make_classification(
    150, 5, n_informative=3, n_redundant=0, flip_y=0.1, weights=[0.8], random_state=0
)
BOTH = ["accuracy", "roc_auc"]


@pytest.mark.parametrize("make", [TunedSVC, TunedRLSC])
def test_several_scores_stand_in_the_table_and_the_first_decides(make: Any) -> None:
    machine = make(scoring=BOTH, cv=3, max_evals=8).fit(X, Y)
    alone = make(scoring="accuracy", cv=3, max_evals=8).fit(X, Y)
    table = machine.cv_results_
    assert machine.best_score_ == alone.best_score_ == table["mean_test_accuracy"].max()
    np.testing.assert_array_equal(table["mean_test_score"], table["mean_test_accuracy"])
    np.testing.assert_array_equal(table["split1_test_score"], table["split1_test_accuracy"])
    best = machine.best_index_
    fresh = clone(machine.best_estimator_)
    expected = cross_val_score(fresh, X, Y, cv=3, scoring="roc_auc").mean()
    assert table["mean_test_roc_auc"][best] == pytest.approx(expected, abs=2e-3)
    assert table["rank_test_roc_auc"].min() == 1


def test_refit_names_the_score_that_decides() -> None:
    machine = TunedSVC(scoring=BOTH, refit="roc_auc", cv=3).fit(X, Y)
    assert machine.best_score_ == machine.cv_results_["mean_test_roc_auc"].max()
    assert machine.best_score_ == TunedSVC(scoring="roc_auc", cv=3).fit(X, Y).best_score_
    named = TunedSVC(scoring={"area": "roc_auc", "right": "accuracy"}, cv=3).fit(X, Y)
    assert named.best_score_ == machine.best_score_
    assert "mean_test_area" in named.cv_results_


def test_numbers_and_many_rows_have_several_scores_too(tmp_path: Path) -> None:
    rows = np.random.default_rng(0).normal(size=(650, 3))
    target = np.sin(rows[:, 0]) + rows[:, 1]
    machine = TunedSVR(scoring=["r2", "neg_mean_absolute_error"], cv=3, kernel=["rbf", "linear"])
    table = machine.fit(rows, target).cv_results_
    assert np.isfinite(table["mean_test_neg_mean_absolute_error"]).all()
    assert machine.best_score_ > 0.95
    io.save(machine, tmp_path / "m")
    again = io.load(tmp_path / "m").cv_results_
    np.testing.assert_array_equal(again["mean_test_r2"], table["mean_test_r2"])


@pytest.mark.parametrize("n_rows", [99, 100])
def test_a_score_of_numbers_crashed_where_folds_were_of_unequal_size(n_rows: int) -> None:
    rows = np.random.default_rng(0).normal(size=(n_rows, 2))
    machine = TunedSVR(scoring="r2", cv=3, tol=1e-6).fit(rows, rows[:, 0])
    fresh = clone(machine.best_estimator_)
    expected = cross_val_score(fresh, rows, rows[:, 0], cv=3, scoring="r2").mean()
    assert machine.best_score_ == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("kernel", ["rbf", "ard"])
def test_the_log_loss_is_that_of_a_slope_from_the_other_splits(kernel: str) -> None:
    folds = StratifiedKFold(3)
    machine = TunedSVC(kernel=kernel, scoring="neg_log_loss", cv=folds, tol=1e-5).fit(X, Y)
    fresh, values = clone(machine.best_estimator_), np.empty(len(Y))
    splits = list(folds.split(X, Y))
    for train, test in splits:
        values[test] = fresh.fit(X[train], Y[train]).decision_function(X[test])
    found = []
    for train, test in splits:
        # the same slope as the maps of predict_proba: softmax(s (-f, f)) is 1 / (1 + exp(-2 s f))
        fit = minimize_scalar(
            lambda s, rows=train: log_loss(Y[rows], expit(2.0 * s * values[rows])),
            bounds=(1e-3, 50.0),
            method="bounded",
        )
        found.append(-log_loss(Y[test], expit(2.0 * fit.x * values[test])))
    assert machine.best_score_ == pytest.approx(np.mean(found), abs=5e-3)
    assert machine.honest_score_ <= machine.best_score_ + 1e-12


def test_scores_by_probabilities_of_many_classes() -> None:
    rows, labels = load_iris(return_X_y=True)
    scores = ["neg_log_loss", "roc_auc_ovr", "accuracy"]
    for make in (TunedSVC, TunedRLSC):
        machine = make(scoring=scores, cv=3).fit(rows, labels)
        assert -0.3 < machine.best_score_ < 0.0
        assert machine.cv_results_["mean_test_roc_auc_ovr"].max() > 0.99
    brier = make_scorer(_brier, response_method="predict_proba", greater_is_better=False)
    assert -0.1 < TunedSVC(scoring=brier, cv=3).fit(rows, labels == 2).best_score_ < 0.0


def _brier(truth: Any, probability: Any) -> float:
    return float(np.mean((np.asarray(truth) - probability) ** 2))


def test_the_brier_score_is_searched_by_name() -> None:
    machine = TunedSVC(scoring="neg_brier_score", cv=3).fit(X, Y)
    assert -0.25 < machine.best_score_ < 0.0


def test_the_log_loss_of_a_split_without_a_class_is_known() -> None:
    """scikit-learn's refuses it unless it is told the labels."""
    rows = np.random.default_rng(0).normal(size=(60, 2))
    labels = np.digitize(rows[:, 0], [-1.7, 0.3])
    assert np.bincount(labels)[0] < 5
    with pytest.warns(UserWarning, match="least populated"):
        machine = TunedSVC(scoring="neg_log_loss").fit(rows, labels)
    assert np.isfinite(machine.cv_results_["mean_test_score"]).all()
    alone = TunedSVC(kernel="linear", scoring="neg_log_loss", cv=LeaveOneOut())
    assert np.isfinite(alone.fit(rows[:30], labels[:30] > 1).best_score_)


def test_a_log_loss_was_refused_for_want_of_probabilities() -> None:
    TunedSVC(scoring="neg_log_loss", cv=3, max_evals=2).fit(X, Y)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"scoring": []}, "at least one"),
        ({"scoring": {"score": "r2"}}, "not 'score'"),
        ({"scoring": BOTH, "refit": "f1"}, "refit must be one of"),
        ({"scoring": "f1", "refit": "f1"}, "one of several scores"),
        ({"scoring": ["accuracy", "foo"]}, "foo"),
    ],
)
def test_wrong_scores_are_named(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        TunedSVC(**options).fit(X, Y)


def test_a_loss_is_searched() -> None:
    machine = TunedSVC(loss="search", cv=3).fit(X, Y)
    table = machine.cv_results_
    assert set(table["param_loss"]) == {"hinge", "squared_hinge"}
    assert machine.best_params_["loss"] == machine.best_estimator_.loss
    alone = TunedSVC(cv=3).fit(X, Y)
    assert machine.best_score_ >= alone.best_score_
    row = int(np.flatnonzero(table["param_loss"] == "squared_hinge")[0])
    again = SVC().set_params(**table["params"][row])
    expected = cross_val_score(again, X, Y, cv=3).mean()
    assert table["mean_test_score"][row] == pytest.approx(expected, abs=0.01)


def test_a_class_weight_is_searched_by_balanced_accuracy() -> None:
    random = np.random.default_rng(0)
    rows = random.normal(size=(300, 2))
    rare = (rows[:, 0] + 0.8 * random.normal(size=300) > 1.8).astype(int)
    machine = TunedSVC(class_weight="search", cv=3).fit(rows, rare)
    assert machine.best_params_["class_weight"] == "balanced"
    assert machine.best_estimator_.class_weight == "balanced"
    both = TunedSVC(class_weight="balanced", cv=3).fit(rows, rare)
    assert machine.best_score_ == pytest.approx(both.best_score_, abs=0.05)
    row = int(np.flatnonzero(machine.cv_results_["param_class_weight"] == "balanced")[0])
    again = SVC().set_params(**machine.cv_results_["params"][row])
    expected = cross_val_score(again, rows, rare, cv=3, scoring="balanced_accuracy").mean()
    assert machine.cv_results_["mean_test_score"][row] == pytest.approx(expected, abs=1e-9)


def test_kernels_losses_and_weights_are_searched_together(tmp_path: Path) -> None:
    machine = TunedSVC(kernel=["rbf", "linear"], loss="search", class_weight="search", cv=3)
    machine.fit(X, Y)
    table = machine.cv_results_
    kinds = {type(kernel).__name__ for kernel in table["param_kernel"]}
    found = set(zip(table["param_loss"], map(str, table["param_class_weight"]), strict=True))
    assert (len(kinds), len(found)) == (2, 4)
    io.save(machine, tmp_path / "m")
    again = io.load(tmp_path / "m")
    assert again.best_params_ == machine.best_params_
    np.testing.assert_array_equal(again.cv_results_["param_loss"], table["param_loss"])


def test_a_search_of_losses_needs_a_score_they_share() -> None:
    with pytest.raises(ValueError, match="losses or class weights"):
        TunedSVC(loss="search", objective="span_like").fit(X, Y)


def test_weights_of_classes_count_in_the_choice_and_find_rare_rows() -> None:
    random = np.random.default_rng(0)
    rows = random.normal(size=(400, 2))
    rare = np.zeros(400, dtype=int)
    rare[:36] = 1
    rows[:36] += 1.2
    machine = TunedSVC(class_weight={0: 1, 1: 10}, cv=3).fit(rows, rare)
    held_out, found = map(np.concatenate, (machine.held_out_.rows, machine.held_out_.predicted))
    weight = np.where(rare[held_out] == 1, 10.0, 1.0)
    right = np.average(found == rare[held_out], weights=weight)
    assert machine.best_score_ == pytest.approx(right, abs=0.01)  # means over folds
    assert (found[rare[held_out] == 1] == 1).mean() > 0.5
    plain = TunedSVC(class_weight={0: 1, 1: 10}, cv=3, scoring="accuracy").fit(rows, rare)
    assert plain.best_score_ > machine.best_score_


def test_a_score_spelt_wrong_is_told_with_the_one_meant() -> None:
    with pytest.raises(ValueError, match="got 'acuracy'; did you mean 'accuracy'"):
        TunedSVC(scoring="acuracy").fit(*load_iris(return_X_y=True))
    with pytest.raises(ValueError, match="got 'recal'; did you mean 'recall'"):
        TunedSVC(scoring=["accuracy", "recal"]).fit(*load_iris(return_X_y=True))
