"""A search ends when its time is over, with the best so far."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import make_classification

from mercer import SVC, OneClassSVM, TunedRLSC, TunedSVC
from mercer.selection import make_objective
from mercer.selection.history import Budget
from mercer.selection.objectives import OBJECTIVES
from mercer.selection.objectives.base import OutOfTime
from mercer.selection.samples import _Pace
from mercer.selection.training_task import TrainingTask
from mercer.solvers.runs.deadline import Deadline

X, Y = make_classification(900, 6, n_informative=4, random_state=0)
OVER = Deadline(0.0)


@pytest.mark.parametrize("name", sorted(set(OBJECTIVES) - {"gcv"}))
def test_a_criterion_is_given_up_when_its_time_is_over(name: str) -> None:
    machine = OneClassSVM() if name in ("rejection", "detection") else SVC(loss="squared_hinge")
    objective = make_objective(
        name, machine, X[:60], None if name in ("rejection", "detection") else Y[:60]
    )
    objective.deadline = OVER
    with pytest.raises(OutOfTime):
        objective.value(objective.space.start)
    objective.deadline = Deadline()
    assert np.isfinite(objective.value(objective.space.start))


def test_with_little_time_only_a_small_sample_is_looked_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sizes: list[int] = []
    sample_rows = TrainingTask.sample_rows

    def counted(task: TrainingTask, count: int) -> Any:
        sizes.append(count)
        return sample_rows(task, count)

    monkeypatch.setattr(TrainingTask, "sample_rows", counted)
    machine = TunedSVC(max_time=1e-6).fit(X, Y)
    assert machine.search_status_ == "max-time"
    assert [len(history) for history in machine.history_] == [1]
    assert 0.0 <= machine.best_score_ <= 1.0
    assert 0 < max(sizes) <= 400
    # the fit comes after, and is whole
    assert machine.best_estimator_.solutions_[0].status == "converged"
    assert machine.best_estimator_.max_time is None


def test_much_time_changes_nothing() -> None:
    one, two = (TunedSVC(max_time=limit).fit(X, Y) for limit in (None, 1e6))
    assert one.best_params_ == two.best_params_
    assert one.history_[-1].values == two.history_[-1].values


def test_without_a_value_the_start_is_taken_and_told() -> None:
    with pytest.warns(UserWarning, match="max_time was over before the criterion had a value"):
        machine = TunedSVC(objective="likelihood", max_time=1e-6, random_state=0).fit(X, Y)
    assert machine.search_status_ == "max-time"
    np.testing.assert_allclose(machine.C_, 10.0)
    assert np.isnan(machine.best_score_)
    assert machine.cv_results_["params"] == []


def test_a_sample_of_less_than_all_rows_has_not_converged(monkeypatch: pytest.MonkeyPatch) -> None:
    """The last sample came to an end in time: "converged", and all rows were never searched."""
    monkeypatch.setattr(_Pace, "rows", lambda *_: 850)
    machine = TunedSVC(max_time=1e6).fit(X, Y)
    assert 850 <= machine.history_[-1].n_rows < 900
    assert machine.search_status_ == machine.history_[-1].status == "max-time"
    monkeypatch.setattr("mercer.selection.least_squares_search._sample_size", lambda *_: 60)
    assert TunedRLSC(max_time=1e6).fit(X, Y).search_status_ == "max-time"
    assert TunedRLSC(max_evals=10**6).fit(X, Y).search_status_ == "converged"


@pytest.mark.parametrize("power", [0.5, 1.0, 2.0])
def test_samples_grow_with_the_time_as_was_measured(power: float) -> None:
    pace = _Pace(400, 1.0, power)

    def rows(seconds: float, is_first: bool = False) -> Any:
        return pace.rows(Budget(deadline=Deadline.after(seconds)), is_first)

    assert rows(4e6) == pytest.approx(rows(1e6) * 4.0 ** (1.0 / power), rel=1e-3)
    assert rows(16.0) <= 400
    assert rows(0.0, is_first=True) == 200
    assert rows(0.0) == 0
