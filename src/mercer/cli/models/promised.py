"""A machine around a trained one, for what ``predict`` gives on request."""

from __future__ import annotations

import copy
from typing import Any

from sklearn.base import clone
from sklearn.compose import TransformedTargetRegressor
from sklearn.pipeline import Pipeline

from mercer import CalibratedSVC, ConformalSVC, ConformalSVR
from mercer.cli.choices import Task
from mercer.cli.data.training_set import TrainingSet
from mercer.cli.errors import InputError
from mercer.cli.models.estimators import machine_of
from mercer.cli.models.training import noted, possible_folds

__all__ = ["check_promises", "promised"]

FOLDS = 5


def check_promises(task: Task, proba: bool, conformal: bool) -> None:
    """InputError if the task has no probabilities, no sets and no intervals."""
    if proba and task is not Task.classification:
        raise InputError(f"--proba is for classes, the task is {task}")
    if conformal and task is Task.outliers:
        raise InputError("--conformal is for classes and numbers, the task is outliers")


def promised(
    estimator: Any,
    data: TrainingSet,
    proba: bool,
    conformal: bool,
    seed: int,
    notes: list[str],
    max_time: float | None = None,
) -> Any:
    """Return an estimator like a fitted one that has probabilities, or sets and intervals.

    The machine is trained again without each of five folds, with the same parameters and kernel.
    `max_time` is for all of these fits.
    """
    folds = possible_folds(data, FOLDS, [])
    if not (proba or conformal):
        return estimator
    if folds < 2:
        notes.append("no probabilities, sets or intervals are kept: a class has one row only")
        return estimator
    fitted = machine_of(estimator)
    machine = clone(fitted).set_params(callback=None)
    if max_time is not None:
        machine.set_params(max_time=max_time / (folds + 1) ** (1 + (proba and conformal)))
    if proba:
        machine = CalibratedSVC(machine, cv=folds)
    if conformal and data.task is Task.classification:
        machine = ConformalSVC(machine, kind="cross", cv=folds, random_state=seed)
    elif conformal:
        machine = ConformalSVR(machine, kind="cv+", cv=folds, random_state=seed)
    with noted(notes):
        return _fitted_around(estimator, machine, data)


def _fitted_around(estimator: Any, machine: Any, data: TrainingSet) -> Any:
    """The estimator with another machine at its end, trained behind the same preparation."""
    if not isinstance(estimator, TransformedTargetRegressor):
        rows = estimator[:-1].transform(data.X)
        return Pipeline([*estimator.steps[:-1], ("machine", machine.fit(rows, data.y))])
    assert data.y is not None
    inner = estimator.regressor_
    targets = estimator.transformer_.transform(data.y[:, None]).ravel()
    machine.fit(inner[:-1].transform(data.X), targets)
    around = copy.copy(estimator)
    around.regressor_ = Pipeline([*inner.steps[:-1], ("machine", machine)])
    around.regressor = clone(around.regressor_)
    return around
