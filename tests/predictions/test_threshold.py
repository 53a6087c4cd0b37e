"""Thresholds that cost least for rows that were left out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.metrics import f1_score, make_scorer

from mercer import RLSC, SVC, CalibratedSVC, ThresholdSVC, choose_threshold, out_of_sample
from sampling import checks_of

RNG = np.random.default_rng(0)
X = RNG.normal(size=(90, 3))
Y = np.where(X[:, 0] + 0.7 * RNG.normal(size=90) > 0.8, "rare", "common")
WEIGHT = RNG.integers(0, 3, size=90).astype(float)


@checks_of([ThresholdSVC()], [ThresholdSVC(RLSC(), cost=[[0, 1], [3, 0]], cv="loo")])
def test_estimator_checks(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.mark.parametrize("weight", [None, WEIGHT])
def test_no_other_threshold_costs_less(weight: Any) -> None:
    costs = np.array([[0.0, 1.0], [8.0, 0.5]])
    machine = choose_threshold(SVC(), X, Y, costs, sample_weight=weight)
    values = out_of_sample(SVC(), X, Y, 5, weight).values
    own = np.ones(90) if weight is None else weight
    labels = (machine.classes_[1] == Y).astype(int)

    def cost(threshold: float) -> float:
        return float(np.average(costs[labels, (values > threshold).astype(int)], weights=own))

    assert -machine.best_score_ == pytest.approx(cost(machine.threshold_))
    assert all(cost(machine.threshold_) <= cost(t) + 1e-12 for t in np.linspace(-3, 3, 301))
    assert len(machine.thresholds_) == 5
    assert machine.spread_ >= 0.0


def test_scores_are_thresholds_too_and_predictions_use_them() -> None:
    scorer = make_scorer(f1_score, pos_label="rare")
    machine = choose_threshold(SVC(), X, Y, scorer, cv="loo")
    values = out_of_sample(SVC(), X, Y, "loo").values
    found = f1_score(
        Y, machine.classes_[(values > machine.threshold_).astype(int)], pos_label="rare"
    )
    assert machine.best_score_ == pytest.approx(found)
    assert found >= f1_score(Y, machine.classes_[(values > 0).astype(int)], pos_label="rare")
    raised = machine.estimator_.decision_function(X) > machine.threshold_
    assert (machine.predict(X) == machine.classes_[raised.astype(int)]).all()


def test_wrong_costs_and_classes_are_named() -> None:
    with pytest.raises(ValueError, match="cost must be a score or 2 x 2"):
        choose_threshold(SVC(), X, Y, np.eye(3))
    for wrong in (
        "roc_auc",
        "neg_log_loss",
        make_scorer(f1_score, response_method="predict_proba"),
    ):
        with pytest.raises(ValueError, match="cost must be a score of predicted labels"):
            choose_threshold(SVC(), X, Y, wrong)
    with pytest.raises(ValueError, match=r"cost must be a score of predicted labels.*decision"):
        choose_threshold(SVC(), X, Y, lambda machine, X, y: machine.decision_function(X).mean())
    with pytest.raises(ValueError, match="cost must be a score of scikit-learn, got 'nonsense'"):
        choose_threshold(SVC(), X, Y, "nonsense")
    with pytest.raises(ValueError, match="cost must be finite, got"):
        choose_threshold(SVC(), X, Y, [[0, np.nan], [1, 0]])
    with pytest.raises(ValueError, match="cost must not be negative, got"):
        choose_threshold(SVC(), X, Y, [[0, 1], [-10, 0]])
    with pytest.raises(ValueError, match="y must have 2 classes"):
        choose_threshold(SVC(), X, np.arange(90) % 3)


def test_a_threshold_of_a_calibrated_machine_is_one_of_its_values() -> None:
    """Predicted labels, which are no values, were parted: an error, or 0.5 between 0 and 1."""
    machine = ThresholdSVC(CalibratedSVC(SVC(), cv=3), cost=[[0, 1], [9, 0]], cv=3).fit(X, Y)
    values = machine.estimator_.estimator_.decision_function(X)
    np.testing.assert_allclose(machine.decision_function(X), values - machine.threshold_)
    assert machine.threshold_ < 0
    np.testing.assert_array_equal(machine.predict_proba(X), machine.estimator_.predict_proba(X))
