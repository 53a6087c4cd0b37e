"""Scores of scikit-learn by name, as they suit a table: its classes, the scale of its targets."""

from __future__ import annotations

import inspect
from copy import copy
from difflib import get_close_matches
from typing import Any

import numpy as np
from sklearn.metrics import get_scorer, get_scorer_names
from sklearn.pipeline import Pipeline

from mercer._sklearn import asks_for_probabilities
from mercer.cli.choices import Task
from mercer.cli.data.training_set import TrainingSet
from mercer.cli.errors import InputError
from mercer.cli.models.targets import ScoreOfTargets

__all__ = ["check_scoring", "score_of_test", "scorer_of"]


def check_scoring(name: str, data: TrainingSet) -> None:
    """InputError unless there is such a score, and it is one of the task."""
    if data.task is Task.outliers:
        raise InputError("--scoring compares with a target, outliers have none")
    try:
        scorer = get_scorer(name)
    except ValueError:
        close = get_close_matches(name.lower(), get_scorer_names(), n=1)
        meant = f"; did you mean {close[0]}?" if close else ""
        raise InputError(
            f"--scoring must be a score of scikit-learn, such as accuracy, balanced_accuracy, f1, "
            f"f1_macro, roc_auc, r2 or neg_mean_absolute_error, got {name!r}{meant}"
        ) from None
    is_of_numbers = _function_of(scorer).__module__.endswith("_regression")
    if is_of_numbers != (data.task is Task.regression):
        kind, held = ("numbers", "classes") if is_of_numbers else ("classes", "numbers")
        raise InputError(f"--scoring {name} is for {kind}, the target holds {held}")
    several = next((own for own in _of_several(name) if own in get_scorer_names()), None)
    if len(data.class_counts) > 2 and several is not None:
        n_classes = len(data.class_counts)
        raise InputError(
            f"--scoring {name} is for two classes, there are {n_classes}; {several} is for more"
        )


def _of_several(name: str) -> tuple[str, str]:
    return f"{name}_macro", f"{name}_ovr"


def _function_of(scorer: Any) -> Any:
    return getattr(scorer, "_score_func", scorer)


def scorer_of(name: str, data: TrainingSet, is_scaled: bool) -> Any:
    """What a search takes: a name, or a score that knows the positive class or the targets' scale.

    The positive class of labels without a 1 is the second one, as everywhere.
    """
    if data.task is Task.regression:
        assert data.y is not None
        return ScoreOfTargets(name, data.y) if is_scaled else name
    labels = np.unique(data.y).tolist()  # type: ignore[arg-type]
    scorer = get_scorer(name)
    has_positive = "pos_label" in inspect.signature(_function_of(scorer)).parameters
    if len(labels) != 2 or 1 in labels or not has_positive:
        return name
    told = copy(scorer)
    told._kwargs = {**scorer._kwargs, "pos_label": labels[1]}
    return told


def score_of_test(
    name: str, estimator: Any, tuned: Any, test: TrainingSet, data: TrainingSet
) -> float:
    """The score of an estimator on test rows; for probabilities with the search, which has them."""
    found = scorer_of(name, data, is_scaled=False)
    scorer = get_scorer(found) if isinstance(found, str) else found
    if asks_for_probabilities(scorer):
        estimator = Pipeline([*estimator.steps[:-1], ("machine", tuned)])
    return float(scorer(estimator, test.X, test.y))
