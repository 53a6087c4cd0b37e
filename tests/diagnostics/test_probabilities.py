"""Probabilities from leave-one-out values."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.metrics import log_loss

from mercer import LSSVC, RLSC
from mercer.diagnostics import LooProbability


def overlapping(n, seed):
    """Two Gaussians; the true probability is known."""
    rng = np.random.default_rng(seed)
    y = rng.integers(2, size=n)
    X = rng.normal(size=(n, 2)) + 1.2 * y[:, None]
    return X, y, 1 / (1 + np.exp(-(1.2 * X.sum(axis=1) - 1.44)))


@pytest.mark.parametrize("method", ["temperature", "sigmoid"])
def test_probabilities_are_near_the_truth(method):
    X, y, _ = overlapping(400, 0)
    Z, _, truth = overlapping(500, 1)
    machine = LSSVC(alpha=3.0).fit(X, y)
    estimate = LooProbability(machine, y, method=method).predict_proba(Z)
    np.testing.assert_allclose(estimate.sum(axis=1), 1.0)
    assert np.abs(estimate[:, 1] - truth).mean() < 0.07


def test_training_values_would_be_too_sure():
    X, y, _ = overlapping(150, 0)
    Z, labels, _ = overlapping(2000, 1)
    machine = RLSC(alpha=1e-2, gamma=2.0).fit(X, y)
    honest = LooProbability(machine, y).predict_proba(Z)
    machine.loo_values_ = machine.decision_function(X)
    seen = LooProbability(machine, y).predict_proba(Z)
    assert log_loss(labels, honest) < log_loss(labels, seen)


def test_temperature_agrees_with_the_prediction():
    X, y = load_iris(return_X_y=True)
    for labels in (y, y == 2):
        machine = RLSC(alpha=0.1).fit(X, labels)
        chosen = LooProbability(machine, labels).predict_proba(X).argmax(axis=1)
        np.testing.assert_array_equal(machine.classes_[chosen], machine.predict(X))


def test_weights_count():
    X, y, _ = overlapping(100, 0)
    weight = np.random.default_rng(0).integers(1, 4, 100)
    machine = RLSC().fit(X, y)
    weighted = LooProbability(machine, y, weight, method="sigmoid")
    machine.loo_values_ = np.repeat(machine.loo_values_, weight)
    repeated = LooProbability(machine, np.repeat(y, weight), method="sigmoid")
    np.testing.assert_allclose(weighted.slope_, repeated.slope_, rtol=1e-4)


def test_separable_values_have_a_finite_slope():
    X = np.array([[-2.0], [-1.0], [1.0], [2.0]])
    machine = RLSC(alpha=0.1).fit(X, [0, 0, 1, 1])
    for method in ("temperature", "sigmoid"):
        assert np.isfinite(LooProbability(machine, [0, 0, 1, 1], method=method).slope_).all()


def test_what_cannot_be_calibrated_is_refused():
    X, y, _ = overlapping(30, 0)
    with pytest.raises(ValueError, match="leave-one-out values"):
        LooProbability(RLSC(solver="cg").fit(X, y), y)
    with pytest.raises(ValueError, match="method"):
        LooProbability(RLSC().fit(X, y), y, method="magic")
