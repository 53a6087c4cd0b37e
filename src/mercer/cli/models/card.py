"""The information about its training that a model file has besides the model."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.cli.choices import Task
from mercer.cli.data.columns import Columns
from mercer.cli.errors import InputError
from mercer.io import read_metadata

__all__ = ["Card", "Scores", "read_card"]


@dataclass(frozen=True)
class Scores:
    """Scores on held-out folds."""

    name: str
    values: NDArray[np.float64]

    @property
    def mean(self) -> float:
        """Mean over the folds."""
        return float(self.values.mean())

    @property
    def deviation(self) -> float:
        """Standard deviation over the folds."""
        return float(self.values.std(ddof=1))


@dataclass(frozen=True)
class Card:
    """The data a model was trained on, and how well it did.

    Attributes
    ----------
    task : Task
        What was learned.
    source : str
        The name of the data file.
    n_rows : int
        Its number of rows.
    target : str or None
        The column that was predicted.
    columns : Columns or None
        The columns by kind; None for LIBSVM text.
    first_index : int
        For LIBSVM text: the index of the first feature.
    scores : Scores or None
        Cross-validation.
    """

    task: Task
    source: str
    n_rows: int
    target: str | None
    columns: Columns | None
    first_index: int
    scores: Scores | None

    def as_metadata(self) -> dict[str, Any]:
        """Return the card as JSON can hold it."""
        scores = self.scores
        return vars(self) | {
            "task": str(self.task),
            "columns": None if self.columns is None else vars(self.columns),
            "scores": scores and {"name": scores.name, "values": scores.values.tolist()},
        }


def read_card(path: Path) -> Card | None:
    """Return the card of a model file; None if another program saved the model."""
    metadata = read_metadata(path)
    if "task" not in metadata:
        return None
    try:
        columns, scores = metadata["columns"], metadata["scores"]
        return Card(
            task=Task(metadata["task"]),
            source=str(metadata["source"]),
            n_rows=int(metadata["n_rows"]),
            target=None if metadata["target"] is None else str(metadata["target"]),
            columns=None if columns is None else _columns(**columns),
            first_index=int(metadata["first_index"]),
            scores=None if scores is None else _scores(**scores),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"{path}: the description of the training is damaged: {error}") from None


def _columns(**parts: Any) -> Columns:
    """The columns; those of earlier files are numbers and categories only."""
    lists = {
        name: [str(own) for own in parts.pop(name, [])]
        for name in ("numbers", "categories", "dates", "texts", "missing", "commas")
    }
    decided = {
        str(name): [str(kind), str(why)] for name, (kind, why) in parts.pop("decided", {}).items()
    }
    return Columns(**lists, decided=decided, imputes=bool(parts.pop("imputes", False)), **parts)


def _scores(name: str, values: list[float]) -> Scores:
    return Scores(str(name), np.array([float(value) for value in values]))
