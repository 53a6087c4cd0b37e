"""The fit after a search is held to what is left of its time."""

from __future__ import annotations

import warnings
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.exceptions import ConvergenceWarning

from mercer import RLSC, SVC, TunedRLSC, TunedSVC
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
    assert _power(8.0, 8.0**1.4) == pytest.approx(1.55)
    assert _power(8.0, 1.0) == 1.4
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


class Clock:
    """A deadline whose time passes with fits that are only told of."""

    moment = 1e9

    def __init__(self, seconds: float) -> None:
        self.seconds_left = seconds


@pytest.mark.parametrize("seconds", [5.0, 35.0, 200.0])
@pytest.mark.parametrize("growth", [1.3, 1.6, 1.9])
def test_the_last_fit_left_time_that_was_too_short_for_another_one(
    monkeypatch: pytest.MonkeyPatch, seconds: float, growth: float
) -> None:
    """A third of the time went into a trial: 106,000 rows in 12 of 35 s, then 139,000."""
    clock, sizes = Clock(seconds), []

    def took(n: float) -> float:  # the power of the rows grows with them
        return 0.03 * (n / 2000) ** growth + 2e-4 * (n / 2000) ** 2

    def told(machine: Any, task: Any, given: Any, size: int, allowed: float) -> Any:
        assert took(size) <= allowed, "the machine would be stopped"
        clock.seconds_left -= took(size)
        sizes.append(size)
        fit = SimpleNamespace(solutions_=(), dual_gap_=0.0)
        return module.LastFit(fit, took(size), [])

    monkeypatch.setattr(module, "_on_sample", told)
    task = SimpleNamespace(n_rows=10**9, is_least_squares=False)
    last_fit(SVC(), task, X, Y, None, clock)  # type: ignore[arg-type]
    ideal = np.geomspace(2000, 10**9, 20_000)
    ideal = ideal[[took(n) <= seconds for n in ideal]].max()
    assert sizes[-1] > 0.6 * ideal
    # all trials together are short beside the machine that is kept
    assert sum(took(n) for n in sizes[:-1]) < 0.2 * seconds


def test_least_squares_machines_have_as_many_rows_as_there_is_time_for(few_first: None) -> None:
    """All rows were solved by no iteration: every row was of one class, class weights blamed."""
    machine = RLSC(alpha=0.1)
    found = last_fit(machine, TrainingTask(machine, X, Y), X, Y, None, OVER)
    assert found.machine.shape_fit_[0] == pytest.approx(100, abs=2)
    assert found.machine.score(X, Y) > 0.7
    whole = last_fit(machine, TrainingTask(machine, X, Y), X, Y, None, Deadline.after(1e6))
    np.testing.assert_array_equal(whole.machine.dual_coef_, RLSC(alpha=0.1).fit(X, Y).dual_coef_)


def test_limits_that_nobody_gave_are_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """ "cg stopped after 0 iterations (max_time=1.0)" was said where 0.5 had been given."""
    monkeypatch.setattr(module, "_FIRST", 100)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        TunedRLSC(max_time=1e-3).fit(X, Y)
    assert caught
    assert not [own for own in caught if "max_time=" in str(own.message)]


def test_a_least_squares_machine_that_was_stopped_says_how_far_it_is() -> None:
    machine = RLSC(solver="cg", max_iter=0)
    with pytest.warns(ConvergenceWarning) as told:
        machine.fit(X, Y)
    messages = [(str(own.message), own.category) for own in told]
    found = module.LastFit(machine, 0.0, messages)
    assert found.is_stopped
    assert not found.is_usable
    with pytest.warns(ConvergenceWarning, match="relative residual 1 "):
        found.tell(700, "TunedRLSC")
