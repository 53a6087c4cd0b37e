"""Choosing the parameters of a machine, and judging the result on rows it has not seen."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import train_test_split

from mercer import TunedOneClassSVM, TunedSVC, TunedSVR
from mercer.cli.choices import Task
from mercer.cli.data.columns import usable_frame
from mercer.cli.data.tables import SparseData, read_file
from mercer.cli.data.tasks import known_targets
from mercer.cli.data.training_set import TrainingSet
from mercer.cli.errors import InputError
from mercer.cli.models.card import Scores
from mercer.cli.models.estimators import checked, machine_of, prepared
from mercer.cli.models.training import (
    SCORE_NAMES,
    noted,
    possible_folds,
    splits,
    splitter_of,
    take,
)
from mercer.cli.output.progress import Display

__all__ = ["HeldOut", "Search", "Tuning", "read_test_set", "split_test_set", "tune_machine"]


@dataclass(frozen=True)
class Search:
    """What the user chose of the search; see the help of ``mercer tune``."""

    kernel: str = "rbf"
    epsilon: float = 0.1
    nu: float = 0.05
    class_weight: str | None = None
    tol: float = 1e-3
    max_time: float | None = None
    threads: int | None = None
    scale: bool = True
    folds: int = 5
    seed: int = 0


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Predictions of rows that a machine was not trained on.

    Attributes
    ----------
    where : str
        Which rows these are, in words.
    truth, predicted, baseline : ndarray of shape (n_rows,)
        Targets, predictions, and those of the majority or mean of the training rows.
    scores : Scores or None
        Scores of the folds, if these are the folds of cross-validation.
    """

    where: str
    truth: NDArray[Any]
    predicted: NDArray[Any]
    baseline: NDArray[Any]
    scores: Scores | None = None


@dataclass(frozen=True, eq=False)
class Tuning:
    """The search, the estimator with what it chose, its predictions, and what to note."""

    tuned: Any
    estimator: Any
    held_out: HeldOut
    notes: list[str]


def tune_machine(
    data: TrainingSet, test: TrainingSet | None, search: Search, display: Display
) -> Tuning:
    """Choose the parameters on the training rows, train, and predict what was held out."""
    notes: list[str] = []
    folds = _folds(data, search.folds, notes)
    with noted(notes):
        cv = list(splits(data, folds, search.seed))
        with display.searching() as callback:
            # the splitter and not its splits: searches of many rows begin on a sample
            splitter = splitter_of(data, folds, search.seed)
            tuned = checked(_tuned(data.task, search, splitter))
            searching = prepared(tuned.set_params(callback=callback), data, search.scale)
            searching.fit(*_learned(data))
        tuned = machine_of(searching)
        chosen = prepared(clone(tuned.best_estimator_), data, search.scale)
        estimator = clone(chosen).fit(*_learned(data))
    if data.task is Task.outliers:
        held_out = _rejected(chosen, data, cv)
    elif test is None:
        held_out = _cross_validated(chosen, data, cv)
    else:
        held_out = HeldOut(
            f"{len(test.y):,} rows of {test.source} that took no part",  # type: ignore[arg-type]
            np.asarray(test.y),
            np.asarray(estimator.predict(test.X)),
            _baseline(data.y, data.task, len(test.y)),  # type: ignore[arg-type]
        )
    return Tuning(tuned, estimator, held_out, notes)


def _learned(data: TrainingSet) -> tuple[Any, ...]:
    """The rows and, where there is one, the target."""
    return (data.X,) if data.y is None else (data.X, data.y)


def _folds(data: TrainingSet, folds: int, notes: list[str]) -> int:
    """The folds that are possible; a class of one row is told of by the search."""
    counts = sorted(data.class_counts.values())
    if data.task is Task.classification and counts[0] < 2 <= counts[-1]:
        possible = min(folds, counts[-1])
    else:
        possible = possible_folds(data, folds, notes)
    if possible < 2:
        raise InputError("--cv must be 2 or more, with as many rows of a class, to tune")
    return possible


def split_test_set(data: TrainingSet, share: float, seed: int) -> tuple[TrainingSet, TrainingSet]:
    """Return training and test rows, of classes in equal shares."""
    if not 0.0 < share < 1.0:
        raise InputError(f"--test-size must be a share between 0 and 1, got {share}")
    stratify = data.y if data.task is Task.classification else None
    try:
        rows = train_test_split(
            np.arange(data.X.shape[0]), test_size=share, random_state=seed, stratify=stratify
        )
    except ValueError as error:
        raise InputError(f"--test-size {share} cannot be split off: {error}") from None
    assert data.y is not None
    first, second = (replace(data, X=take(data.X, part), y=data.y[part]) for part in rows)
    return first, second


def read_test_set(path: Path, data: TrainingSet) -> TrainingSet:
    """Return the rows of a file that has the columns of the training set, with targets."""
    content = read_file(path)
    if isinstance(content, SparseData) != (data.columns is None):
        raise InputError(f"--test: {path} must be of the same kind as the training file")
    if isinstance(content, SparseData):
        X: Any = content.rows(data.first_index, int(data.X.shape[1]))
        known: Any = pd.Series(content.y, name="label")
    else:
        assert data.columns is not None
        if data.target not in content.columns:
            raise InputError(f"--test: {path} has no column {data.target!r} to compare with")
        X, known = usable_frame(content, data.columns), content[data.target]
    return replace(data, X=X, y=known_targets(known, data.task), source=path.name)


def _tuned(task: Task, search: Search, cv: Any) -> Any:
    common = {"kernel": search.kernel, "tol": search.tol, "max_time": search.max_time, "cv": cv}
    common |= {"n_threads": search.threads, "random_state": search.seed}
    if task is Task.classification:
        # who weighs classes does not want the rare ones to be given up
        scoring = "balanced_accuracy" if search.class_weight == "balanced" else None
        return TunedSVC(class_weight=search.class_weight, scoring=scoring, **common)
    if search.class_weight is not None:
        raise InputError("--class-weight is for classes, there are none")
    if task is Task.outliers:
        return TunedOneClassSVM(nu=search.nu, **common)
    return TunedSVR(epsilon=search.epsilon, **common)


def _cross_validated(chosen: Any, data: TrainingSet, cv: list[tuple[Any, Any]]) -> HeldOut:
    """Predictions of every fold by the machine trained on the others."""
    assert data.y is not None
    predicted, baseline = np.empty_like(data.y), np.empty_like(data.y)
    values = []
    for train, test in cv:
        baseline[test] = _baseline(data.y[train], data.task, len(test))
        if data.task is Task.classification and len(np.unique(data.y[train])) == 1:
            # nothing can be learned: the class that is known
            predicted[test] = baseline[test]
            values.append(float(np.mean(predicted[test] == data.y[test])))
            continue
        fold = clone(chosen).fit(take(data.X, train), data.y[train])
        predicted[test] = fold.predict(take(data.X, test))
        values.append(float(fold.score(take(data.X, test), data.y[test])))
    scores = Scores(SCORE_NAMES[data.task], np.array(values))
    where = f"{len(cv)}-fold cross-validation; the choice has seen these folds, --test-size has not"
    return HeldOut(where, data.y, predicted, baseline, scores)


def _rejected(chosen: Any, data: TrainingSet, cv: list[tuple[Any, Any]]) -> HeldOut:
    """Which rows of every fold the machine trained on the others calls outliers, by -1."""
    predicted = np.empty(data.X.shape[0])
    for train, test in cv:
        predicted[test] = clone(chosen).fit(take(data.X, train)).predict(take(data.X, test))
    shares = np.array([float(np.mean(predicted[test] == -1)) for _, test in cv])
    scores = Scores(SCORE_NAMES[data.task], shares)
    normal = np.ones(len(predicted))
    return HeldOut(f"{len(cv)}-fold cross-validation", normal, predicted, normal, scores)


def _baseline(y: NDArray[Any], task: Task, n_rows: int) -> NDArray[Any]:
    """What one would predict without looking at the features."""
    if task is Task.regression:
        return np.full(n_rows, y.mean())
    labels, counts = np.unique(y, return_counts=True)
    return np.full(n_rows, labels[counts.argmax()])
