"""Wraps a trained machine with probabilities, a threshold or prediction sets."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.compose import TransformedTargetRegressor
from sklearn.model_selection import train_test_split
from sklearn.pipeline import Pipeline

from mercer import CalibratedSVC, ConformalSVC, ConformalSVR, ThresholdSVC
from mercer.cli.choices import Task
from mercer.cli.data.training_set import TrainingSet
from mercer.cli.errors import InputError
from mercer.cli.models.costs import ThresholdRequest
from mercer.cli.models.estimators import machine_of
from mercer.cli.models.training import noted, possible_folds, splitter_of, take

__all__ = ["check_wrapping", "with_probabilities", "with_sets", "with_threshold"]

FOLDS = 5
MOST_ROWS = 10_000  # for the machines of folds
MOST_ROWS_IN_TIME = 4_000  # where time is limited
_TOO_FEW = "no probabilities, sets or intervals are kept: a class has one row only"


def check_wrapping(task: Task, proba: bool, conformal: bool) -> None:
    """InputError if the task has no probabilities, no sets and no intervals."""
    if proba and task is not Task.classification:
        raise InputError(f"--proba is for classes, the task is {task}")
    if conformal and task is Task.outliers:
        raise InputError("--conformal is for classes and numbers, the task is outliers")


def with_probabilities(estimator: Any, data: TrainingSet, notes: list[str]) -> Any:
    """Return an estimator like a fitted one whose machine has probabilities."""
    folds = possible_folds(data, FOLDS, [])
    if folds < 2:
        notes.append(_TOO_FEW)
        return estimator
    machine = CalibratedSVC(_unfitted(machine_of(estimator)), cv=folds)
    with noted(notes):
        return _around(estimator, machine.fit(*_learned(estimator, data, None)))


def with_threshold(
    plain: Any,
    kept: Any,
    data: TrainingSet,
    request: ThresholdRequest,
    seed: int,
    notes: list[str],
    max_time: float | None = None,
) -> Any:
    """Return an estimator like `kept` whose threshold between two classes minimizes the cost.

    Values of rows held out come from machines with the parameters of `plain`, each trained
    without one of five folds, on a sample if there are many rows.
    """

    def made(machine: Any, folds: int) -> Any:
        cost = request.cost(np.unique(data.y).tolist())  # type: ignore[arg-type]
        return ThresholdSVC(machine, cost=cost, cv=splitter_of(data, folds, seed))

    what = "the threshold was chosen by"
    return _with_folds(plain, kept, data, seed, notes, max_time, what, made)


def with_sets(
    plain: Any,
    kept: Any,
    data: TrainingSet,
    seed: int,
    notes: list[str],
    max_time: float | None = None,
) -> Any:
    """Return an estimator that predicts as `kept` does, with sets of labels or intervals.

    These come from machines with the parameters of `plain`, each trained without one of five
    folds, on a sample if there are many rows. `max_time` is for all of their fits.
    """

    def made(machine: Any, folds: int) -> Any:
        if data.task is Task.classification:
            return ConformalSVC(machine, kind="cross", cv=folds, random_state=seed)
        return ConformalSVR(machine, kind="cv+", cv=folds, random_state=seed)

    what = "sets and intervals come from"
    return _with_folds(plain, kept, data, seed, notes, max_time, what, made)


def _with_folds(
    plain: Any,
    kept: Any,
    data: TrainingSet,
    seed: int,
    notes: list[str],
    max_time: float | None,
    what: str,
    made: Callable[[Any, int], Any],
) -> Any:
    """`kept` inside what `made(machine, folds)` learns; `what` of it comes from fewer rows."""
    folds = possible_folds(data, FOLDS, [])
    if folds < 2:
        notes.append(_TOO_FEW)
        return kept
    machine, rows = _of_folds(plain, data, folds, seed, max_time)
    if rows is not None:
        notes.append(f"{what} machines of {len(rows):,} of {data.X.shape[0]:,} rows")
    with noted(notes):
        found = made(machine, folds).fit(*_learned(plain, data, rows))
    found.estimator_ = machine_of(kept)  # of all rows, with probabilities if it has any
    return _around(kept, found)


def _of_folds(
    plain: Any, data: TrainingSet, folds: int, seed: int, max_time: float | None
) -> tuple[Any, NDArray[np.intp] | None]:
    """The machine to train on each fold, and the rows to use (None: all)."""
    machine = _unfitted(machine_of(plain))
    if max_time is not None:
        machine.set_params(max_time=max(max_time, 0.1) / (folds + 2))
    return machine, _some_rows(data, MOST_ROWS if max_time is None else MOST_ROWS_IN_TIME, seed)


def _unfitted(machine: Any) -> Any:
    return clone(machine).set_params(callback=None)


def _some_rows(data: TrainingSet, most: int, seed: int) -> NDArray[np.intp] | None:
    """So many rows with classes in equal shares; None for all."""
    n = int(data.X.shape[0])
    if n <= most:
        return None
    stratify = data.y if data.task is Task.classification else None
    try:
        found = train_test_split(
            np.arange(n), train_size=most, random_state=seed, stratify=stratify
        )[0]
    except ValueError:  # a class is too small
        found = np.random.default_rng(seed).permutation(n)[:most]
    return np.sort(found)


def _learned(
    estimator: Any, data: TrainingSet, rows: NDArray[np.intp] | None
) -> tuple[Any, NDArray[Any]]:
    """Rows as the machine takes them, and targets as it learns them."""
    assert data.y is not None
    X, y = (data.X, data.y) if rows is None else (take(data.X, rows), data.y[rows])
    if not isinstance(estimator, TransformedTargetRegressor):
        return estimator[:-1].transform(X), y
    targets = estimator.transformer_.transform(y[:, None]).ravel()
    return estimator.regressor_[:-1].transform(X), targets


def _around(estimator: Any, machine: Any) -> Any:
    """The estimator with another fitted machine at its end."""
    if not isinstance(estimator, TransformedTargetRegressor):
        return Pipeline([*estimator.steps[:-1], ("machine", machine)])
    around = copy.copy(estimator)
    around.regressor_ = Pipeline([*estimator.regressor_.steps[:-1], ("machine", machine)])
    around.regressor = clone(around.regressor_)
    return around
