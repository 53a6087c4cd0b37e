"""Estimators compared over splits: laws of the corrected resampled t-test."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import ttest_rel
from sklearn.datasets import load_diabetes, load_iris
from sklearn.model_selection import GroupKFold, KFold, StratifiedShuffleSplit, cross_val_score

from mercer import SVC, SVR
from mercer.diagnostics import compare_over_folds
from mercer.diagnostics.folds import corrected_t_test


def test_scores_are_those_of_cross_validation_and_pairs_their_differences() -> None:
    X, y = load_iris(return_X_y=True)
    cv = StratifiedShuffleSplit(6, test_size=0.4, random_state=0)
    machines = {"wide": SVC(gamma=0.05), "narrow": SVC(gamma=3.0), "linear": SVC(kernel="linear")}
    found = compare_over_folds(machines, X, y, cv=cv)
    for name, scores in zip(found.names, found.scores, strict=True):
        np.testing.assert_array_equal(scores, cross_val_score(machines[name], X, y, cv=cv))
        assert name in repr(found)
    assert found.n_train.tolist() == [90] * 6
    assert found.n_test.tolist() == [60] * 6
    assert len(found.pairs) == 3
    again = compare_over_folds(dict(zip(found.names, found.scores, strict=True)), X, y, cv=cv)
    for test, other in zip(found.pairs, again.pairs, strict=True):
        assert test == other
        assert test.interval[0] <= test.difference <= test.interval[1]
        assert test.p_value <= test.adjusted


@pytest.mark.parametrize("n", [2, 5, 30])
def test_without_shared_rows_it_is_the_paired_t_test(n: int) -> None:
    rng = np.random.default_rng(n)
    a, b = rng.normal(size=(2, n))
    wanted = ttest_rel(a, b)
    interval, p = corrected_t_test(a - b, 0.0, 0.9)
    assert p == pytest.approx(wanted.pvalue)
    np.testing.assert_allclose(interval, wanted.confidence_interval(0.9))
    wider, larger = corrected_t_test(a - b, 0.25, 0.9)
    assert larger > p
    # the variance is (1/n + n_test/n_train) in place of 1/n
    factor = np.sqrt(1.0 + 0.25 * n)
    assert np.diff(wider)[0] == pytest.approx(factor * np.diff(interval)[0])


def test_the_same_estimator_twice_differs_by_nothing() -> None:
    X, y = load_diabetes(return_X_y=True)
    test = compare_over_folds({"a": SVR(), "b": SVR()}, X[:90], y[:90], cv=KFold(3)).pairs[0]
    assert (test.difference, test.interval, test.p_value) == (0.0, (0.0, 0.0), 1.0)


def test_groups_and_scores_are_handed_on() -> None:
    X, y = load_iris(return_X_y=True)
    groups = np.arange(150) % 5
    found = compare_over_folds(
        {"a": SVC()}, X, y, cv=GroupKFold(5), groups=groups, scoring="balanced_accuracy"
    )
    wanted = cross_val_score(
        SVC(), X, y, cv=GroupKFold(5), groups=groups, scoring="balanced_accuracy"
    )
    np.testing.assert_array_equal(found.scores[0], wanted)
    assert found.pairs == ()


def test_wrong_arguments_are_named() -> None:
    X, y = load_iris(return_X_y=True)
    with pytest.raises(TypeError, match="estimators must map names"):
        compare_over_folds([SVC()], X, y)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="the scores of 'a' must be finite numbers, one for each"):
        compare_over_folds({"a": [0.5, 0.6]}, X, y, cv=3)
    with pytest.raises(ValueError, match="cv must make at least two splits"):
        compare_over_folds({"a": SVC()}, X, y, cv=[(np.arange(100), np.arange(100, 150))])
    with pytest.raises(ValueError, match="confidence"):
        compare_over_folds({"a": SVC()}, X, y, confidence=2.0)
