"""The score on new rows that the choice has not seen."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import make_classification, make_regression
from sklearn.model_selection import GroupKFold, PredefinedSplit

from mercer import TunedOneClassSVM, TunedRLSC, TunedSVC, TunedSVR, io
from mercer.selection.tuned.judged_rows import are_comparable


def some_classes(n: int = 120, d: int = 5, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    X, y = make_classification(n, d, n_informative=3, n_redundant=0, random_state=seed, flip_y=0.1)
    return X, y


def test_each_split_is_judged_by_what_the_others_choose() -> None:
    machine = TunedSVC(cv=4).fit(*some_classes())
    table = np.column_stack([machine.cv_results_[f"split{k}_test_score"] for k in range(4)])
    expected = []
    for k in range(4):
        others = np.delete(table, k, axis=1).sum(axis=1)
        expected.append(table[np.isclose(others, others.max(), rtol=0, atol=1e-11), k].mean())
    assert machine.honest_score_ == pytest.approx(np.mean(expected), abs=1e-12)
    assert machine.honest_kind_ == "left-out-splits"
    low, high = machine.honest_interval_
    assert 0.0 <= low < machine.honest_score_ < high <= 1.0


def test_it_is_never_above_the_best_score_of_the_search() -> None:
    for seed in range(3):
        machine = TunedSVC(cv=3).fit(*some_classes(60, seed=seed))
        assert machine.honest_score_ <= machine.best_score_ + 1e-12


@pytest.mark.filterwarnings("ignore:TunedSVC")
def test_many_widths_of_labels_without_meaning_do_not_report_a_high_score() -> None:
    random = np.random.default_rng(0)
    X, y = random.normal(size=(60, 40)), np.repeat([0, 1], 30)
    machine = TunedSVC(kernel="ard", cv=3).fit(X, y)
    # all 40 widths found by gradients say 0.8 and more of held-out rows
    assert machine.honest_score_ < 0.72
    assert machine.honest_interval_[0] < 0.5 < machine.honest_interval_[1]


def test_many_widths_that_help_are_kept_and_judged_by_splits_put_aside() -> None:
    random = np.random.default_rng(3)
    X = random.normal(size=(150, 12))
    y = (X[:, 0] + X[:, 1] > 0).astype(int)
    machine = TunedSVC(kernel="ard", cv=3).fit(np.hstack([X, random.normal(size=(150, 12))]), y)
    assert machine.honest_kind_ == "nested"
    assert machine.honest_score_ <= machine.best_score_
    assert set(np.argsort(-machine.relevance_)[:2]) == {0, 1}


def test_any_score_of_splits_has_an_interval() -> None:
    X, y = some_classes()
    for scoring in ("roc_auc", "balanced_accuracy"):
        machine = TunedSVC(cv=3, scoring=scoring).fit(X, y)
        low, high = machine.honest_interval_
        assert low <= machine.honest_score_ <= high


def test_weights_are_repetitions() -> None:
    X, y = some_classes(60)
    fold = PredefinedSplit(np.arange(60) % 3)
    weighted = TunedSVC(cv=fold).fit(X, y, np.full(60, 2.0))
    twice = PredefinedSplit(np.repeat(np.arange(60) % 3, 2))
    repeated = TunedSVC(cv=twice).fit(np.repeat(X, 2, axis=0), np.repeat(y, 2))
    assert weighted.honest_score_ == pytest.approx(repeated.honest_score_, abs=1e-9)
    assert weighted.honest_interval_ == pytest.approx(repeated.honest_interval_, abs=1e-9)


def test_squared_errors_have_an_interval_below_zero() -> None:
    X, y = make_regression(80, 4, noise=20.0, random_state=0)
    machine = TunedSVR(cv=3).fit(X, y)
    low, high = machine.honest_interval_
    assert low < machine.honest_score_ < high < 0.0
    scaled = TunedSVR(cv=3).fit(X, 1000.0 * y)
    assert scaled.honest_score_ == pytest.approx(1e6 * machine.honest_score_, rel=1e-3)


def test_a_careful_choice_is_validated_as_such() -> None:
    machine = TunedSVC(choice="one-se").fit(*some_classes())
    assert machine.honest_interval_[0] <= machine.honest_score_ <= machine.honest_interval_[1]


def test_what_cannot_be_told_is_none() -> None:
    X, y = some_classes(60)
    single = TunedSVC(cv=PredefinedSplit(np.where(np.arange(60) < 20, 0, -1))).fit(X, y)
    for machine in (single, TunedOneClassSVM().fit(X), TunedRLSC().fit(X, y)):
        assert machine.honest_score_ is None
        assert machine.honest_interval_ is None
        assert machine.honest_kind_ is None


def test_rows_of_groups_are_judged_by_splits() -> None:
    X, y = some_classes(90)
    machine = TunedSVC(cv=GroupKFold(3)).fit(X, y, groups=np.arange(90) // 5)
    assert machine.honest_interval_[0] <= machine.honest_score_ <= machine.honest_interval_[1]


def test_it_is_saved_with_the_machine(tmp_path: Path) -> None:
    machine = TunedSVC(cv=3).fit(*some_classes(60))
    io.save(machine, tmp_path / "machine.mercer")
    loaded = io.load(tmp_path / "machine.mercer")
    assert loaded.honest_score_ == machine.honest_score_
    assert tuple(loaded.honest_interval_) == machine.honest_interval_
    assert loaded.honest_kind_ == machine.honest_kind_


def test_a_score_of_machines_of_a_sample_is_not_that_of_new_rows() -> None:
    X, y = some_classes(5000)
    with pytest.warns(UserWarning, match="after its first evaluation"):
        machine = TunedSVC(max_evals=1, scale=False).fit(X, y)
    assert machine.history_[-1].n_rows < 2000
    assert machine.best_estimator_.shape_fit_[0] == 5000
    assert machine.honest_score_ is None
    assert machine.honest_interval_ is None
    assert "of machines of a sample of" in machine._repr_html_()


def test_machines_of_far_more_or_fewer_rows_are_not_comparable() -> None:
    assert are_comparable(1000, 2000)
    assert are_comparable(2000, 1000)
    assert not are_comparable(1000, 2001)
    assert not are_comparable(100_000, 20_000)


def test_the_interval_of_a_score_ends_where_the_score_ends() -> None:
    """Two rows of a class: the folds of a balanced accuracy differ by a half."""
    rows, labels = np.random.default_rng(0).normal(size=(100, 3)), np.zeros(100, dtype=int)
    labels[:2] = 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        machine = TunedSVC(class_weight="balanced", max_evals=9).fit(rows, labels)
    assert 0.0 <= machine.honest_interval_[0] < machine.honest_interval_[1] <= 1.0
