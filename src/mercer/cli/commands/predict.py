"""``mercer predict``."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.compose import ColumnTransformer

from mercer.cli.choices import Task
from mercer.cli.data.columns import Columns, usable_frame
from mercer.cli.data.tables import SparseData, read_file
from mercer.cli.errors import InputError, quoted
from mercer.cli.models.card import Card, read_card
from mercer.cli.models.estimators import machine_of, preparation_of
from mercer.io import load
from mercer.io.model_file import RESULTS

__all__ = ["Predictions", "predict"]


@dataclass(frozen=True)
class Predictions:
    """A table of predictions, what to note of the rows and, if the file holds the target too,
    how good the predictions are.
    """

    table: pd.DataFrame
    notes: list[str]
    score: str | None


def predict(model: Path, file: Path) -> Predictions:
    """Return the predictions of a model for the rows of a file.

    The table has a column ``prediction``; for classes and outliers also the decision values:
    ``decision`` (positive: the second class, or normal) or one column for each class.
    """
    estimator = load(model)
    if isinstance(estimator, RESULTS):
        raise InputError(_no_machine(model, estimator))
    machine = machine_of(estimator)
    if not hasattr(machine, "intercept_"):
        raise InputError(f"{model} holds a machine that is not fitted: {machine!r:.80}")
    card = read_card(model)
    rows, known = _rows(estimator, card, read_file(file))
    predicted = np.asarray(estimator.predict(rows))
    table = _columns(predicted) | _decisions(estimator, rows)
    notes = _unknown_categories(estimator, rows)
    return Predictions(pd.DataFrame(table), notes, _score(predicted, known, card))


def _no_machine(model: Path, result: Any) -> str:
    """Why a path or an error curve has no predictions of its own."""
    name = type(result).__name__
    if not hasattr(result, "predict"):
        return f"{model} holds no machine but {name}, which predicts nothing"
    choice = ", ".join(list(inspect.signature(result.predict).parameters)[1:])
    return (
        f"{model} holds a {name}, a machine for every {choice}: choose one in Python, "
        f"mercer.io.load({str(model)!r}).predict(X, {choice})"
    )


def _rows(estimator: Any, card: Card | None, content: pd.DataFrame | SparseData) -> tuple[Any, Any]:
    """Rows as the estimator wants them, and the targets of the file if there are any."""
    n_features = int(estimator.n_features_in_)
    if isinstance(content, SparseData):
        if card is not None and card.columns is not None:
            raise InputError("the model was trained on named columns, not on LIBSVM text")
        return content.rows(1 if card is None else card.first_index, n_features), content.y
    if card is None:
        return _unnamed_rows(estimator, content, n_features), None
    if card.columns is None:
        raise InputError("the model was trained on LIBSVM text, not on named columns")
    known = content[card.target] if card.target in content.columns else None
    return usable_frame(content, card.columns), known


def _unnamed_rows(estimator: Any, frame: pd.DataFrame, n_features: int) -> Any:
    """Rows for a model that was saved by a program: its features by name, or all columns."""
    names = getattr(estimator, "feature_names_in_", None)
    if names is not None:
        return usable_frame(frame, Columns([str(name) for name in names], []))
    if frame.shape[1] != n_features:
        raise InputError(
            f"the model wants {n_features} columns of numbers, the file has {frame.shape[1]}"
        )
    return usable_frame(frame, Columns([str(name) for name in frame.columns], [])).to_numpy()


def _unknown_categories(estimator: Any, rows: Any) -> list[str]:
    """What each column holds that the model has not seen; such a value is no category at all."""
    preparation = preparation_of(estimator)
    if not isinstance(preparation, ColumnTransformer):
        return []
    notes = []
    for _, encoder, names in preparation.transformers_:
        for name, known in zip(names, getattr(encoder, "categories_", ()), strict=False):
            unknown = rows[name][~rows[name].isin(known)]
            if len(unknown):
                notes.append(
                    f"column {name!r} holds categories the model has not seen in {len(unknown):,} "
                    f"of {len(rows):,} rows: {quoted(sorted(unknown.unique()))}"
                )
    return notes


def _columns(predicted: NDArray[Any]) -> dict[str, NDArray[Any]]:
    """One column, or one for each of several targets."""
    if predicted.ndim == 1:
        return {"prediction": predicted}
    return {f"prediction {k + 1}": predicted[:, k] for k in range(predicted.shape[1])}


def _decisions(estimator: Any, rows: Any) -> dict[str, NDArray[np.float64]]:
    if not hasattr(estimator, "decision_function"):
        return {}
    decisions = np.asarray(estimator.decision_function(rows))
    if decisions.ndim == 1:
        return {"decision": decisions}
    classes = estimator.classes_
    if decisions.shape[1] != len(classes):
        return {}
    return {f"decision {label}": decisions[:, k] for k, label in enumerate(classes)}


def _score(predicted: NDArray[Any], known: Any, card: Card | None) -> str | None:
    """How good the predictions are, if the truth is in the file and complete."""
    if known is None or card is None or pd.isna(known).any():
        return None
    if card.task is Task.classification:
        truth = _labels_like(predicted, known)
        return None if truth is None else f"accuracy {100 * np.mean(truth == predicted):.1f} %"
    if card.task is Task.regression and pd.api.types.is_numeric_dtype(known):
        truth = np.asarray(known, dtype=np.float64)
        spread = np.sum((truth - truth.mean()) ** 2)
        if spread > 0:
            return f"R2 {1 - np.sum((truth - predicted) ** 2) / spread:.3f}"
    return None


def _labels_like(predicted: NDArray[Any], known: Any) -> NDArray[Any] | None:
    if predicted.dtype.kind in "iu":
        numbers = pd.to_numeric(pd.Series(np.asarray(known)), errors="coerce").to_numpy()
        return None if np.isnan(numbers).any() else numbers
    return np.array([str(value) for value in known])
