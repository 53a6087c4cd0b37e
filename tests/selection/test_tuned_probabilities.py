"""Probabilities of machines that tune themselves."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.metrics import log_loss
from sklearn.model_selection import GroupKFold, ShuffleSplit

from mercer import SVC, CalibratedSVC, TunedSVC

RNG = np.random.default_rng(0)
X = RNG.normal(size=(120, 3))
NOISE = RNG.normal(size=120)
TWO = np.where(X[:, 0] + 0.7 * NOISE > 0, "b", "a")
THREE = np.digitize(X[:, 0] + 0.7 * NOISE, [-0.5, 0.5])
Z = RNG.normal(size=(60, 3))


@pytest.mark.parametrize("y", [TWO, THREE])
@pytest.mark.parametrize("objective", ["auto", "likelihood"])
def test_probabilities_agree_with_predictions(y: Any, objective: str) -> None:
    machine = TunedSVC(objective=objective, max_evals=10, random_state=0).fit(X, y)
    p = machine.predict_proba(Z)
    np.testing.assert_allclose(p.sum(axis=1), 1.0)
    assert (machine.classes_[p.argmax(axis=1)] == machine.predict(Z)).all()
    prior = np.bincount(np.unique(y, return_inverse=True)[1]) / len(y)
    assert log_loss(y, machine.predict_proba(X)) < log_loss(y, np.tile(prior, (len(y), 1)))


def test_probabilities_are_those_of_the_chosen_machine_and_its_folds() -> None:
    machine = TunedSVC(max_evals=20).fit(X, TWO)
    best = machine.best_estimator_
    same = CalibratedSVC(SVC(C=best.C, kernel=best.kernel_), method="temperature").fit(X, TWO)
    np.testing.assert_allclose(machine.predict_proba(Z), same.predict_proba(Z), atol=2e-3)


def test_groups_samples_and_splits_that_overlap() -> None:
    groups = np.repeat(np.arange(24), 5)
    by_group = TunedSVC(cv=GroupKFold(3), max_evals=3).fit(X, TWO, groups=groups)
    by_chance = TunedSVC(cv=ShuffleSplit(3, random_state=0), max_evals=3).fit(X, TWO)
    once = TunedSVC(cv=iter(list(GroupKFold(3).split(X, TWO, groups))), max_evals=3).fit(X, TWO)
    for machine in (by_group, by_chance, once):
        assert machine.predict_proba(Z).shape == (60, 2)


@pytest.mark.filterwarnings("ignore")
def test_a_class_of_one_row_has_no_probabilities() -> None:
    y = THREE.copy()
    y[0] = 7
    machine = TunedSVC(max_evals=2).fit(X, y)
    with pytest.raises(ValueError, match="predict_proba needs at least 2 rows of each class"):
        machine.predict_proba(Z)
