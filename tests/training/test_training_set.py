"""Rows, classes, weights and splits are read once, and alike by whoever needs them."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.model_selection import GroupKFold

from mercer import SVC, TunedSVC, out_of_sample, svc_grid
from mercer.training.folds import given_splits
from mercer.training.rows import TrainingRows
from mercer.training.splits import read_splits
from mercer.training.training_set import TrainingSet

RNG = np.random.default_rng(0)
X = RNG.normal(size=(24, 2))
Y = np.where(X[:, 0] > 0, "b", "a")
ONES = np.ones(24)


def test_rows_are_read_without_an_estimator() -> None:
    rows = TrainingRows()
    assert not isinstance(rows, BaseEstimator)
    frame = pd.DataFrame(X, columns=["one", "two"])
    taken, labels, weight = rows.read(frame, Y, None)
    assert np.array_equal(taken, X)
    assert np.array_equal(labels, Y)
    assert weight.tolist() == ONES.tolist()
    with pytest.warns(UserWarning, match="feature names"):
        rows.check(X)
    rows.read(X, Y, None)
    with pytest.raises(ValueError, match="3 features, but the path is expecting 2"):
        rows.check(np.ones((1, 3)))
    with pytest.raises(ValueError, match="NaN"):
        rows.read(np.full((3, 2), np.nan), Y[:3], None)
    assert sp.issparse(TrainingRows().read(sp.coo_matrix(X), Y, None)[0])


def test_weights_of_classes_look_at_the_rows_that_are_trained_on() -> None:
    times = np.r_[np.zeros(4, int), np.ones(20, int)]
    data = TrainingSet.of_classes(X, Y, ONES, "balanced")
    found = data.full_weight(times)
    assert found[:4].tolist() == [0.0] * 4
    sums = [found[data.class_index == k].sum() for k in (0, 1)]
    assert sums == pytest.approx([10.0, 10.0])


def test_a_weight_times_its_repetitions_is_a_number_or_refused() -> None:
    data = TrainingSet.of_classes(X, Y, np.full(24, 1e306), {"a": 10.0})
    with pytest.raises(ValueError, match="must add up to less than 4e307"):
        data.full_weight()


def test_rows_without_weight_are_not_tested_with() -> None:
    weight = ONES.copy()
    weight[:6] = 0.0
    data = TrainingSet.of_classes(X, Y, weight)
    mask = np.arange(24) < 12
    (split,) = read_splits(data, [(~mask, mask)])
    assert split.test.tolist() == list(range(6, 12))
    assert split.times.tolist() == (~mask).astype(int).tolist()
    with pytest.raises(ValueError, match="rows of positive sample_weight"):
        read_splits(data, [(~mask, np.arange(6))])


@pytest.mark.parametrize("has_classes", [False, True])
def test_folds_are_dealt_as_if_rows_without_weight_were_not_there(has_classes: bool) -> None:
    """They shifted the folds of all others, so that searches and probabilities changed."""
    weight = np.where(np.arange(24) % 5 == 1, 0.0, 1.0)
    used = np.flatnonzero(weight)
    make = TrainingSet.of_classes if has_classes else TrainingSet
    found = read_splits(make(X, Y, weight), 3)
    expected = read_splits(make(X[used], Y[used], weight[used]), 3)
    for own, other in zip(found, expected, strict=True):
        assert own.test.tolist() == used[other.test].tolist()
        assert np.flatnonzero(own.times).tolist() == used[np.flatnonzero(other.times)].tolist()


BAD = [
    ([(np.arange(12), [24])], "cv must give indices in 0..23, got 24 in the test rows of split 0"),
    ([(np.arange(12), [0.5])], "cv must give indices that are integers"),
    ([(np.arange(12), [])], "cv must give some indices"),
    ([np.arange(12)], "cv must give pairs"),
    (GroupKFold(2), "groups must be given"),
]


@pytest.mark.parametrize(("cv", "message"), BAD, ids=[message for _, message in BAD])
def test_every_reader_of_cv_says_the_same(cv: Any, message: str) -> None:
    calls = [
        lambda: svc_grid(X, Y, Cs=[1.0], gammas=[1.0], cv=cv),
        lambda: TunedSVC(cv=cv).fit(X, Y),
        lambda: out_of_sample(SVC(), X, Y, cv=cv),
    ]
    for call in calls:
        with pytest.raises(ValueError, match=re.escape(message)):
            call()


def test_targets_need_no_classes() -> None:
    data = TrainingSet(X, X[:, 0], ONES)
    assert (data.n_classes, data.has_classes) == (0, False)
    assert len(given_splits(data, 3)) == 3
    assert data.full_weight(np.arange(24)).tolist() == list(range(24))
