"""The fit after a search is held to what is left of its time."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.exceptions import ConvergenceWarning

from mercer import SVC, TunedSVC
from mercer.selection.training_task import TrainingTask
from mercer.selection.tuned import last_fit as module
from mercer.selection.tuned.last_fit import _possible, _power, last_fit
from mercer.solvers.runs.deadline import Deadline

X, Y = make_classification(700, 5, n_informative=3, random_state=0)
OVER = Deadline(0.0)


@pytest.fixture
def few_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_FIRST", 100)


def fitted(deadline: Deadline, **options: Any) -> Any:
    machine = SVC(**options)
    return last_fit(machine, TrainingTask(machine, X, Y), X, Y, None, deadline)


def test_a_fit_without_time_has_the_first_rows_of_each_class(few_first: None) -> None:
    found = fitted(OVER)
    assert found.machine.shape_fit_[0] == pytest.approx(100, abs=2)
    assert found.machine.max_time is None
    with pytest.warns(UserWarning, match=r"time to fit the machine to 10\d of 700 rows"):
        found.tell(700, "TunedSVC")


def test_a_fit_with_time_is_that_of_all_rows(few_first: None) -> None:
    found = fitted(Deadline.after(1e6))
    assert found.machine.shape_fit_[0] == 700
    np.testing.assert_array_equal(found.machine.dual_coef_, SVC().fit(X, Y).dual_coef_)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found.tell(700, "TunedSVC")


def test_rows_grow_with_the_time_that_is_left() -> None:
    assert _possible(2000, 10_000, 0.1, 1e3, 2.0) == 10_000
    assert _possible(2000, 10**6, 0.1, 1e9, 2.0) == 10**6
    assert 4000 < _possible(2000, 10**6, 0.1, 1.0, 2.0) < 2000 * np.sqrt(10.0)
    assert _possible(2000, 10**6, 0.1, 0.0, 2.0) == 0


def test_half_of_the_time_was_left_over_after_a_third_of_the_rows() -> None:
    assert _power(8.0, 8.0**1.4) == pytest.approx(1.7)
    assert _power(8.0, 1.0) == 1.5
    assert _power(8.0, 100.0) == 2.0
    # 96,514 of 290,000 rows took some 12 of 55 s, 25 s were left
    assert _possible(96_514, 290_000, 12.0, 25.0, _power(6.0, 12.0 / 0.6)) > 1.25 * 96_514


def test_a_machine_that_was_stopped_is_told_of_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_LEAST_SECONDS", 1e-9)
    found = fitted(OVER, C=1e4, tol=1e-9)
    assert found.is_stopped
    with pytest.warns(ConvergenceWarning, match="time was over before") as told:
        found.tell(700, "TunedSVC")
    assert len(told) == 1


def test_the_machine_of_a_limited_search_tells_of_itself_only(few_first: None) -> None:
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        machine = TunedSVC(max_time=1e-6).fit(X, Y)
    messages = [str(own.message) for own in told]
    assert machine.best_estimator_.solutions_[0].status == "converged"
    assert not [text for text in messages if "max_time=" in text or "early" in text]
    assert sum("there was time to fit" in text for text in messages) == 1
