"""How well a chosen machine does on rows that it was not trained on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mercer.cli.choices import Task
from mercer.cli.data.training_set import TrainingSet
from mercer.cli.models.card import Scores
from mercer.cli.models.training import SCORE_NAMES, take
from mercer.selection.held_out import HeldOut as Kept
from mercer.solvers.runs.deadline import Deadline

__all__ = ["BALANCED", "HeldOut", "balanced_accuracy", "of_search", "on_test_set"]

BALANCED = "balanced accuracy"
_BLOCK = 1000  # rows predicted between two looks at the clock
_SEEN = "the choice has seen these folds, --test-size has not"


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


def of_search(
    kept: Kept, data: TrainingSet, score: str, as_targets: Callable[[Any], Any]
) -> HeldOut:
    """The predictions of the folds of the search, in units of the targets."""
    predicted = [np.asarray(as_targets(own)) for own in kept.predicted]
    rows = np.concatenate(kept.rows)
    truth = np.ones(data.X.shape[0]) if data.y is None else data.y
    baseline = _baselines(truth, kept.rows, data.task)
    values = [_SCORE[score](truth[own], p) for own, p in zip(kept.rows, predicted, strict=True)]
    return HeldOut(
        _where(len(kept.rows), len(rows), len(truth), data.task),
        truth[rows],
        np.concatenate(predicted),
        baseline,
        Scores(score, np.array(values)),
    )


def _baselines(truth: NDArray[Any], tests: Sequence[NDArray[Any]], task: Task) -> NDArray[Any]:
    """The best predictions without features, for the rows of each fold.

    One class is said to be the majority, so it must be that of all rows: where two are as common,
    the training rows of a fold may have another one.
    """
    rows = np.concatenate(tests)
    if task is Task.classification:
        return _baseline(truth[rows], task, len(rows))
    means = [_baseline(truth[np.setdiff1d(rows, own)], task, len(own)) for own in tests]
    return np.concatenate(means)


def _where(folds: int, n_judged: int, n_rows: int, task: Task) -> str:
    some = f" of {n_judged:,} of {n_rows:,} rows" if n_judged < n_rows else ""
    seen = "" if task is Task.outliers else f"; {_SEEN}"
    return f"{folds}-fold cross-validation{some}{seen}"


def on_test_set(
    estimator: Any, test: TrainingSet, data: TrainingSet, deadline: Deadline
) -> HeldOut:
    """Predictions of the rows of a test set, or of those that the time allows."""
    assert test.y is not None
    assert data.y is not None
    order = np.random.default_rng(0).permutation(len(test.y))
    predicted: list[NDArray[Any]] = []
    for first in range(0, len(order), _BLOCK):
        if predicted and deadline.is_over:
            break
        block = take(test.X, order[first : first + _BLOCK])
        predicted.append(np.asarray(estimator.predict(block)))
    said = np.concatenate(predicted)
    baseline = _baseline(data.y, data.task, len(said))
    return HeldOut(_which(test, data, len(said)), test.y[order[: len(said)]], said, baseline)


def _which(test: TrainingSet, data: TrainingSet, n_judged: int) -> str:
    """The rows of a test set in words, and whether they took part in the training."""
    n_rows = int(test.X.shape[0])
    some = f"{n_judged:,} of {n_rows:,}" if n_judged < n_rows else f"{n_rows:,}"
    rows = f"{some} rows of {test.source}"
    shared = int(np.isin(_row_keys(test), _row_keys(data)).sum())
    if shared == n_rows:
        return f"{rows}, which the machine was trained on: this is no test"
    if not shared:
        return f"{rows} that took no part"
    return f"{rows}, {shared:,} of which equal training rows in every column used"


def _row_keys(data: TrainingSet) -> NDArray[Any]:
    """A number for each row and its target; those of equal rows are equal."""
    if isinstance(data.X, pd.DataFrame):
        target = {"": np.asarray(data.y)}
        frame = pd.concat([data.X.reset_index(drop=True), pd.DataFrame(target)], axis=1)
        return pd.util.hash_pandas_object(frame, index=False).to_numpy()
    # a random direction tells apart all rows that differ
    direction = np.random.default_rng(0).normal(size=data.X.shape[1])
    return np.asarray(data.X @ direction + 1j * np.asarray(data.y, dtype=np.float64))


def balanced_accuracy(truth: NDArray[Any], predicted: NDArray[Any]) -> float:
    """The mean, over the classes, of the share of a class that is found."""
    return float(np.mean([np.mean(predicted[truth == label] == label) for label in set(truth)]))


def _r2(truth: NDArray[Any], predicted: NDArray[Any]) -> float:
    spread = float(np.square(truth - truth.mean()).sum())
    return 1.0 - float(np.square(truth - predicted).sum()) / spread if spread > 0 else np.nan


_SCORE: dict[str, Callable[[NDArray[Any], NDArray[Any]], float]] = {
    SCORE_NAMES[Task.classification]: lambda truth, predicted: float(np.mean(truth == predicted)),
    BALANCED: balanced_accuracy,
    SCORE_NAMES[Task.regression]: _r2,
    SCORE_NAMES[Task.outliers]: lambda truth, predicted: float(np.mean(predicted == -1)),
}


def _baseline(y: NDArray[Any], task: Task, n_rows: int) -> NDArray[Any]:
    """The best prediction without features."""
    if task is not Task.classification:
        return np.full(n_rows, y.mean())
    labels, counts = np.unique(y, return_counts=True)
    return np.full(n_rows, labels[counts.argmax()])
