"""``mercer predict``."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mercer.cli.choices import Task
from mercer.cli.data.categories import unknown_values
from mercer.cli.data.columns import Column, known_frame
from mercer.cli.data.tables import SparseData, read_file
from mercer.cli.errors import InputError, absent, quoted
from mercer.cli.models.card import Card, read_card
from mercer.cli.models.extras import NO_COLUMNS, RequestedColumns, requested_columns
from mercer.cli.models.inputs import inner_machine, wanted_columns
from mercer.cli.models.training import noted
from mercer.cli.output.record import as_json
from mercer.io import load
from mercer.io.model_file import RESULTS
from mercer.training.feature_count import feature_count

PREDICTIONS = "mercer.predictions/1"
__all__ = ["Predictions", "model_rows", "open_model", "predict"]


@dataclass(frozen=True)
class Predictions:
    """A table of predictions, what to note of the rows and, if the file holds the target too,
    how good the predictions are.
    """

    table: pd.DataFrame
    notes: list[str]
    score: str | None

    @property
    def as_csv(self) -> str:
        """The table as text."""
        return self.table.to_csv(index=False, lineterminator="\n")

    @property
    def as_json(self) -> str:
        """The table, a record for each row, with notes and score."""
        rows = self.table.to_dict(orient="records")
        found = {"schema": PREDICTIONS, "notes": self.notes, "score": self.score, "rows": rows}
        return as_json(found) + "\n"


def predict(model: Path, file: Path, requested: RequestedColumns = NO_COLUMNS) -> Predictions:
    """Return the predictions of a model for the rows of a file.

    The table has a column ``prediction``; for classes and outliers also the decision values:
    ``decision`` (positive: the second class, or normal) or one column for each class. Then come
    the columns that are ``requested``.
    """
    estimator, card = open_model(model)
    content = read_file(file)
    copied = _copied(content, requested.kept)
    rows, known, notes = model_rows(estimator, card, content)
    predicted = np.asarray(estimator.predict(rows))
    table = _columns(predicted) | _decisions(estimator, rows, requested.proba)
    with noted(notes):
        table |= requested_columns(estimator, rows, requested)
    table = copied | _beside(copied, table)
    notes += _without_ends(table, requested)
    return Predictions(pd.DataFrame(table), notes, _score(predicted, known, card))


def _without_ends(table: dict[str, Any], requested: RequestedColumns) -> list[str]:
    """Why intervals are infinite."""
    if requested.interval is None or not len(table["low"]) or np.isfinite(table["low"]).any():
        return []
    least = requested.interval / (1.0 - requested.interval)
    return [
        f"intervals have no ends: a coverage of {requested.interval:g} needs {np.ceil(least):,.0f} "
        "training rows or more"
    ]


def _copied(content: pd.DataFrame | SparseData, names: tuple[str, ...]) -> dict[str, Any]:
    if names and isinstance(content, SparseData):
        raise InputError("--keep is for files with named columns, not for LIBSVM text")
    for name in names:
        if name not in content.columns:  # type: ignore[union-attr]
            listed = [str(own) for own in content.columns]  # type: ignore[union-attr]
            raise InputError(f"--keep: {absent(name, listed)}")
    return {name: content[name].to_numpy() for name in names}  # type: ignore[index]


def _beside(copied: dict[str, Any], table: dict[str, Any]) -> dict[str, Any]:
    """The predictions, unless a column that is copied would be lost among them."""
    both = [name for name in copied if name in table]
    if both:
        raise InputError(
            f"--keep: {quoted(both)} is the name of a column of predictions, too: rename it in "
            "the file, or leave it out"
        )
    return table


def open_model(model: Path) -> tuple[Any, Card | None]:
    """Return the fitted estimator in a file, and the notes on its training."""
    estimator = load(model)
    if isinstance(estimator, RESULTS):
        raise InputError(_no_machine(model, estimator))
    machine = inner_machine(estimator)
    if not hasattr(machine, "intercept_"):
        raise InputError(f"{model} holds a machine that is not fitted: {machine!r:.80}")
    return estimator, read_card(model)


def _no_machine(model: Path, result: Any) -> str:
    """Why a path or an error curve has no predictions of its own."""
    name = type(result).__name__
    if not hasattr(result, "predict"):
        return f"{model} holds no machine but {name}, which predicts nothing"
    positions = ", ".join(list(inspect.signature(result.predict).parameters)[1:])
    choice = getattr(result, "parameter", positions)
    return (
        f"{model} holds a {name}, a machine for every {choice}: choose one in Python, "
        f"mercer.io.load({str(model)!r}).predict(X, {choice})"
    )


def model_rows(
    estimator: Any, card: Card | None, content: pd.DataFrame | SparseData
) -> tuple[Any, Any, list[str]]:
    """Rows as the estimator wants them, the targets of the file if there are any, and notes."""
    n_features = feature_count(estimator)
    if isinstance(content, SparseData):
        if card is not None and card.columns is not None:
            raise InputError("the model was trained on named columns, not on LIBSVM text")
        return content.rows(1 if card is None else card.first_index, n_features), content.y, []
    if card is not None and card.columns is None:
        raise InputError("the model was trained on LIBSVM text, not on named columns")
    names = getattr(estimator, "feature_names_in_", None)
    if names is None and content.shape[1] != n_features:
        raise InputError(f"the model wants {n_features} columns, the file has {content.shape[1]}")
    named = [str(name) for name in (content.columns if names is None else names)]
    columns = dict(zip(named, wanted_columns(estimator), strict=True))
    if card is not None and card.columns is not None and card.columns.imputes:
        columns = {name: replace(own, may_miss=True) for name, own in columns.items()}
    for name in [] if card is None or card.columns is None else card.columns.commas:
        columns[name] = replace(columns[name], has_comma=True)
    frame = known_frame(content, columns)
    known = None if card is None else content.get(card.target)
    rows = frame.to_numpy() if names is None else frame
    return rows, known, [*_missing_values(frame, columns), *_unknown_categories(frame, columns)]


def _missing_values(frame: pd.DataFrame, columns: dict[str, Column]) -> list[str]:
    """The gaps that the model fills."""
    used = [name for name, own in columns.items() if own.kind != "dropped" and name in frame]
    counts = frame[used].isna().sum()
    listed = [f"{name!r} ({count:,} of {len(frame):,})" for name, count in counts.items() if count]
    return [f"missing values of {', '.join(listed)} were filled in"] if listed else []


def _unknown_categories(frame: pd.DataFrame, columns: dict[str, Column]) -> list[str]:
    """The unknown values of each column; such a value belongs to no category."""
    notes = []
    for name, column in columns.items():
        if column.categories is None:
            continue
        unknown = unknown_values(frame[name], column.categories)
        if len(unknown):
            message = (
                f"column {name!r} holds categories the model has not seen in {len(unknown):,} "
                f"of {len(frame):,} rows: {quoted(sorted(unknown.unique()))}"
            )
            if column.is_strict:
                known = quoted(column.categories.tolist())
                raise InputError(f"{message}; it knows {known} and refuses others")
            notes.append(message)
    return notes


def _columns(predicted: NDArray[Any]) -> dict[str, NDArray[Any]]:
    """One column, or one for each of several targets."""
    if predicted.ndim == 1:
        return {"prediction": predicted}
    return {f"prediction {k + 1}": predicted[:, k] for k in range(predicted.shape[1])}


def _decisions(estimator: Any, rows: Any, has_shares: bool) -> dict[str, NDArray[np.float64]]:
    if not hasattr(estimator, "decision_function"):
        return {} if has_shares else _probabilities(estimator, rows)
    decisions = np.asarray(estimator.decision_function(rows))
    if decisions.ndim == 1:
        return {"decision": decisions}
    classes = estimator.classes_
    if decisions.shape[1] != len(classes):
        return {}
    return {f"decision {label}": decisions[:, k] for k, label in enumerate(classes)}


def _probabilities(estimator: Any, rows: Any) -> dict[str, NDArray[np.float64]]:
    """Of each class, where a machine was calibrated."""
    if not hasattr(estimator, "predict_proba"):
        return {}
    values = np.asarray(estimator.predict_proba(rows))
    return {f"probability {label}": values[:, k] for k, label in enumerate(estimator.classes_)}


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
