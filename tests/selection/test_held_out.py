"""Predictions of held-out rows that a search keeps, and where it is told to look."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris, make_classification
from sklearn.model_selection import KFold, StratifiedKFold

from mercer import TunedOneClassSVM, TunedRLSC, TunedSVC, TunedSVR
from mercer.kernels import Gaussian, Linear

pytestmark = pytest.mark.filterwarnings("ignore:.*edge of those searched")
X, Y = make_classification(150, 5, n_informative=3, flip_y=0.1, random_state=1)


@pytest.mark.parametrize("tol", [1e-3, 1e-6])
def test_what_the_folds_of_the_chosen_machine_predict_is_kept(tol: float) -> None:
    cv = StratifiedKFold(3, shuffle=True, random_state=0)
    for rows, labels in (X, Y), load_iris(return_X_y=True):
        machine = TunedSVC(cv=cv, tol=tol).fit(rows, labels)
        scores = []
        for test, predicted in zip(
            machine.held_out_.rows, machine.held_out_.predicted, strict=True
        ):
            train = np.setdiff1d(np.arange(len(labels)), test)
            fold = clone(machine.best_estimator_).fit(rows[train], labels[train])
            # a row whose decision value is 0 within the tolerance may go either way
            assert np.mean(fold.predict(rows[test]) == predicted) > 0.95
            scores.append(np.mean(labels[test] == predicted))
        assert np.mean(scores) == pytest.approx(machine.best_score_)


def test_numbers_and_outliers_held_out_are_kept_too() -> None:
    target = X[:, 0] + 0.1 * Y
    machine: Any = TunedSVR(cv=KFold(3)).fit(X, target)
    rows, predicted = machine.held_out_.rows, machine.held_out_.predicted
    errors = [np.mean((target[own] - said) ** 2) for own, said in zip(rows, predicted, strict=True)]
    assert np.mean(errors) == pytest.approx(-machine.best_score_)
    machine = TunedOneClassSVM(nu=0.2, cv=KFold(3)).fit(X)
    assert set(np.concatenate(machine.held_out_.predicted)) == {-1, 1}
    assert TunedRLSC().fit(X, Y).held_out_ is None


def test_rows_of_a_sample_are_numbered_as_those_given() -> None:
    rows, labels = make_classification(900, 5, n_informative=3, random_state=0)
    with pytest.warns(UserWarning, match="first evaluation"):
        machine = TunedSVC(max_time=1e-6).fit(rows, labels)
    held = machine.held_out_
    found = np.concatenate(held.rows)
    assert len(found) == len(np.unique(found)) < 900
    assert found.max() > 700
    scores = [np.mean(labels[k] == said) for k, said in zip(held.rows, held.predicted, strict=True)]
    assert np.mean(scores) == pytest.approx(machine.best_score_)


@pytest.mark.parametrize("machine", [TunedSVC(cv=3), TunedSVR(cv=3), TunedOneClassSVM(cv=3)])
def test_a_range_that_is_asked_for_is_where_the_search_looks(machine: Any) -> None:
    ranges: dict[str, Any] = {"gamma_range": (1e-7, 1e-5)}
    if not isinstance(machine, TunedOneClassSVM):
        ranges["C_range"] = (1e5, 1e7)
    found = clone(machine).set_params(**ranges).fit(X, Y)
    points = np.concatenate([history.points for history in found.history_])
    assert points[:, 1].min() == pytest.approx(1e-7)
    assert points[:, 1].max() == pytest.approx(1e-5)
    if "C_range" in ranges:
        assert points[:, 0].min() == pytest.approx(1e5)
        assert points[:, 0].max() == pytest.approx(1e7)
        assert found.C_ * (1 + 1e-9) >= 1e5
        assert found.C_ <= 1e7 * (1 + 1e-9)


@pytest.mark.parametrize("given", [(1.0,), (2.0, 1.0), (0.0, 1.0), (1.0, np.inf), ("a", "b")])
def test_a_range_that_is_none_is_refused(given: Any) -> None:
    with pytest.raises(ValueError, match="C_range must be None or two positive numbers"):
        TunedSVC(C_range=given).fit(X, Y)
    with pytest.raises(ValueError, match="gamma_range must be None or two positive numbers"):
        TunedSVC(gamma_range=given).fit(X, Y)


def test_a_range_of_a_gamma_that_is_not_searched_is_refused() -> None:
    for kernel in (Linear(), Gaussian(0.1, gamma_bounds="fixed")):
        with pytest.raises(ValueError, match="gamma_range needs a kernel with a gamma"):
            TunedSVC(kernel=kernel, gamma_range=(0.1, 1.0)).fit(X, Y)
