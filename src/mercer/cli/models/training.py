"""Fitting and cross-validating, with progress on the way."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import KFold, StratifiedKFold

from mercer.cli.choices import Task
from mercer.cli.data.training_set import TrainingSet
from mercer.cli.models.card import Scores
from mercer.cli.models.estimators import machine_of
from mercer.cli.output.interrupts import asked_to_stop
from mercer.cli.output.progress import Display

__all__ = [
    "SCORE_NAMES",
    "Training",
    "noted",
    "of_ctrl_c",
    "possible_folds",
    "splits",
    "splitter_of",
    "take",
    "train",
]

SCORE_NAMES = {
    Task.classification: "accuracy",
    Task.regression: "R2",
    Task.outliers: "fraction flagged",
}


@dataclass(frozen=True)
class Training:
    """A fitted estimator, its scores (None without cross-validation), and what to note."""

    estimator: Any
    scores: Scores | None
    notes: list[str]
    is_interrupted: bool = False


def train(estimator: Any, data: TrainingSet, folds: int, seed: int, display: Display) -> Training:
    """Fit on all rows, then cross-validate; Ctrl-C ends it with what there is."""
    notes: list[str] = []
    n_classes = len(data.class_counts)
    n_problems = max(1, n_classes * (n_classes - 1) // 2)
    with noted(notes):
        with (
            asked_to_stop() as stop,
            display.fitting(n_problems, machine_of(estimator).tol, stop) as callback,
        ):
            watched = clone(estimator)
            machine_of(watched).set_params(callback=callback)
            watched.fit(data.X, data.y)
            is_interrupted = stop()
        machine_of(watched).set_params(callback=None)
    if is_interrupted:
        display.say("interrupted: keeping the machine as far as it was trained")
        return Training(watched, None, of_ctrl_c(notes), is_interrupted=True)
    folds = possible_folds(data, folds, notes)
    if folds < 2:
        return Training(watched, None, notes)
    values = []
    try:
        with display.validating(folds) as advance:
            for train_rows, test_rows in splits(data, folds, seed):
                values.append(_fold_score(estimator, data, train_rows, test_rows))
                advance()
    except KeyboardInterrupt:
        display.say("interrupted: keeping the machine without cross-validation")
        return Training(watched, None, notes, is_interrupted=True)
    return Training(watched, Scores(SCORE_NAMES[data.task], np.array(values)), notes)


@contextmanager
def noted(notes: list[str]) -> Iterator[None]:
    """Collect warnings as notes, each message once."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    said = dict.fromkeys(str(warning.message) for warning in caught)
    # scikit-learn's words for a small class, which the search tells of in its own
    notes.extend(own for own in said if not own.startswith("The least populated class in y"))


def of_ctrl_c(notes: list[str]) -> list[str]:
    """Notes of machines and paths that a callback has ended, as Ctrl-C made it do."""
    told = (
        " The callback returned a true value. With warm_start=True the next fit goes on from here."
    )
    return [note.replace(told, "").replace("(callback", "(Ctrl-C") for note in notes]


def possible_folds(data: TrainingSet, folds: int, notes: list[str]) -> int:
    """At most as many folds as the smallest class has rows."""
    if folds < 2:
        return 0
    possible = data.X.shape[0]
    if data.task is Task.classification:
        possible = min(data.class_counts.values())
    if data.task is Task.regression:
        # R2 needs two rows in a fold.
        possible //= 2
    if possible < 2:
        notes.append("no cross-validation: there are too few rows, or too few of a class")
    elif possible < folds:
        notes.append(f"{possible} folds instead of {folds}: that is the size of a class")
    return min(folds, possible)


def splits(data: TrainingSet, folds: int, seed: int) -> Iterator[tuple[Any, Any]]:
    """Training and test rows of the folds, in random order."""
    rows = np.zeros(data.X.shape[0])
    yield from splitter_of(data, folds, seed).split(rows, data.y)


def splitter_of(data: TrainingSet, folds: int, seed: int) -> KFold | StratifiedKFold:
    """Folds of rows in random order, with equal shares of classes."""
    kind = StratifiedKFold if data.task is Task.classification else KFold
    return kind(folds, shuffle=True, random_state=seed)


def _fold_score(estimator: Any, data: TrainingSet, train_rows: Any, test_rows: Any) -> float:
    fold = clone(estimator)
    with warnings.catch_warnings():
        # The fit on all rows has said it already.
        warnings.simplefilter("ignore")
        fold.fit(take(data.X, train_rows), None if data.y is None else data.y[train_rows])
    held_out = take(data.X, test_rows)
    if data.task is Task.outliers:
        return float(np.mean(fold.predict(held_out) == -1))
    assert data.y is not None
    return float(fold.score(held_out, data.y[test_rows]))


def take(X: Any, rows: Any) -> Any:
    """Some rows of a table or a matrix."""
    return X.iloc[rows] if hasattr(X, "iloc") else X[rows]
