"""Probabilities of one machine whose map saw no value it was trained on."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, PredefinedSplit

from mercer import RLSC, SVC, SVR, CalibratedSVC, NuSVC, out_of_sample
from mercer.calibration.joined import METHODS
from sampling import checks_of

RNG = np.random.default_rng(0)
X = RNG.normal(size=(90, 3))
NOISE = RNG.normal(size=90)
TWO = np.where(X[:, 0] + 0.7 * NOISE > 0, "yes", "no")
THREE = np.digitize(X[:, 0] + 0.7 * NOISE, [-0.5, 0.5])
Z = RNG.normal(size=(40, 3))

MACHINES = {
    "pairs": SVC(),
    "one against all": SVC(multiclass="one-vs-all"),
    "code": SVC(multiclass="code", code="complete"),
    "all in one": SVC(multiclass="crammer-singer"),
    "nu": NuSVC(nu=0.4),
    "least squares": RLSC(),
    "codes of least squares": RLSC(multiclass="code", code="complete"),
    "another": LogisticRegression(),
}


@checks_of(
    machines=[CalibratedSVC()],
    settings=[CalibratedSVC(method="venn-abers", cv=3), CalibratedSVC(RLSC(), cv="loo")],
    share=2,
)
def test_estimator_checks(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("y", [TWO, THREE])
@pytest.mark.parametrize("name", MACHINES)
def test_predictions_are_the_argmax_of_probabilities(name: str, y: Any, method: str) -> None:
    machine = CalibratedSVC(MACHINES[name], method=method, cv=3).fit(X, y)
    p = machine.predict_proba(Z)
    assert (p >= 0).all()
    assert (p <= 1).all()
    np.testing.assert_allclose(p.sum(axis=1), 1.0)
    assert (machine.predict(Z) == machine.classes_[p.argmax(axis=1)]).all()
    assert 0.0 <= machine.disagreement_ <= 0.5
    if method == "temperature":
        assert machine.disagreement_ == 0.0
        assert (machine.predict(Z) == machine.estimator_.predict(Z)).all()


def test_the_machine_is_that_of_all_rows_and_its_map_that_of_others() -> None:
    machine = CalibratedSVC(SVC(C=3.0)).fit(X, TWO)
    found = out_of_sample(SVC(C=3.0), X, TWO, 5)
    np.testing.assert_array_equal(machine.values_, found.values)
    np.testing.assert_array_equal(
        machine.estimator_.decision_function(Z), SVC(C=3.0).fit(X, TWO).decision_function(Z)
    )


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("y", [TWO, THREE])
def test_weights_are_repetitions(method: str, y: Any) -> None:
    """With all copies of a row in one fold; rows of weight 0 are as if they were not there."""
    times = RNG.integers(0, 3, size=90)
    fold, inner = np.arange(90) % 4, SVC(tol=1e-8, gamma=0.3)
    one = CalibratedSVC(inner, method=method, cv=PredefinedSplit(fold))
    other = CalibratedSVC(inner, method=method, cv=PredefinedSplit(np.repeat(fold, times)))
    weighted = one.fit(X, y, sample_weight=times)
    copied = other.fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    np.testing.assert_allclose(weighted.predict_proba(Z), copied.predict_proba(Z), atol=2e-4)


def test_groups_reach_the_splits() -> None:
    groups = np.repeat(np.arange(18), 5)
    machine = CalibratedSVC(cv=GroupKFold(3)).fit(X, TWO, groups=groups)
    assert all(len(np.unique(machine.fold_[groups == g])) == 1 for g in range(18))


def test_intervals_hold_the_probability() -> None:
    machine = CalibratedSVC(method="venn-abers").fit(X, TWO)
    interval, p = machine.predict_interval(Z), machine.predict_proba(Z)[:, 1]
    assert ((interval[:, 0] <= p) & (p <= interval[:, 1])).all()
    with pytest.raises(ValueError, match="predict_interval needs two classes"):
        CalibratedSVC(method="venn-abers").fit(X, THREE).predict_interval(Z)
    assert not hasattr(CalibratedSVC(), "predict_interval")


def test_wrong_input_is_named() -> None:
    with pytest.raises(ValueError, match="y must have at least 2 rows of each class"):
        CalibratedSVC(cv=2).fit(X, np.arange(90) == 0)
    with pytest.raises(TypeError, match="estimator must be a classifier"):
        CalibratedSVC(SVR()).fit(X, TWO)
    with pytest.raises(ValueError, match="number of classes"):
        CalibratedSVC().fit(X, np.zeros(90))
    with pytest.raises(ValueError, match="NaN"):
        CalibratedSVC().fit(np.full((90, 3), np.nan), TWO)


def test_asking_a_machine_without_probabilities_names_who_has_them() -> None:
    machine = SVC().fit(X, NOISE > 0)
    assert not hasattr(machine, "predict_proba")
    with pytest.raises(AttributeError, match=r"use CalibratedSVC\(SVC\(\)\), or TunedSVC"):
        machine.predict_proba(X)
