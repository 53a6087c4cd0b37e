"""Searches on samples of the rows: a sample is a set of rows, whatever the classes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold

from mercer import SVC, SVR, TunedSVC
from mercer.selection import samples
from mercer.selection.search_result import make
from mercer.selection.training_task import TrainingTask

RNG = np.random.default_rng(11)


def _labels(n_rows: int, n_classes: int) -> NDArray[np.intp]:
    """All classes, of very different sizes."""
    share = RNG.dirichlet(np.full(n_classes, 0.5))
    return np.concatenate(
        [np.arange(n_classes), RNG.choice(n_classes, n_rows - n_classes, p=share)]
    )


@pytest.mark.parametrize("n_classes", [0, 2, 26, 80])
@pytest.mark.parametrize("count", [1, 60, 161, 640, 1202])
def test_the_rows_of_a_sample_are_distinct(n_classes: int, count: int) -> None:
    rows, weight = RNG.normal(size=(640, 2)), RNG.integers(0, 3, size=640).astype(float)
    y = _labels(640, n_classes) if n_classes else rows[:, 0]
    weight[:n_classes] = 1.0  # every class has a row
    task = TrainingTask(SVC() if n_classes else SVR(), rows, y, weight)
    chosen = task.sample_rows(count)
    assert (np.diff(chosen) > 0).all()
    assert (weight[chosen] > 0).all()
    if n_classes:
        np.testing.assert_array_equal(np.unique(y[chosen]), np.unique(y))
    if count >= 640:
        np.testing.assert_array_equal(chosen, np.flatnonzero(weight))


def test_the_criterion_of_many_classes_is_not_that_of_rows_trained_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Fifty rows of each class were more than all: copies fell into both sides of a split."""
    X, y = RNG.normal(size=(640, 4)), np.arange(640) % 26  # nothing can be learned
    seen: list[Any] = []

    def noted(name: str, task: TrainingTask, options: dict[str, Any]) -> Any:
        seen.append(make(name, task, options))
        return seen[-1]

    monkeypatch.setattr(samples, "make", noted)
    cv = StratifiedKFold(5, shuffle=True, random_state=0)
    machine = TunedSVC(cv=cv, max_evals=8).fit(X, y)
    assert max([objective.task.n_rows for objective in seen], default=0) <= 640
    assert all(len(np.unique(o.task.rows, axis=0)) == o.task.n_rows for o in seen)
    assert max(1.0 - min(history.values) for history in machine.history_) < 0.15


@pytest.mark.filterwarnings("ignore:TunedSVC")
def test_a_time_limit_with_more_small_classes_than_a_trial_has_rows() -> None:
    """Both trials then have ten rows of each class, and tell nothing of how the cost grows."""
    X, y = RNG.normal(size=(600, 3)), np.arange(600) % 60
    assert TunedSVC(max_time=0.2, cv=2).fit(X, y).search_status_ == "max-time"
