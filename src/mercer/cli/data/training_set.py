"""What a model is trained on."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mercer.cli.choices import Task
from mercer.cli.data.columns import Columns, describe_columns, usable_frame
from mercer.cli.data.tables import SparseData, read_file
from mercer.cli.data.tasks import find_target, resolve_task, target_values
from mercer.cli.errors import InputError, quoted
from mercer.datasets import load_example

__all__ = ["EXAMPLE", "Roles", "TrainingSet", "read_training_set"]

EXAMPLE = "breast-cancer"


@dataclass(frozen=True)
class TrainingSet:
    """Rows and targets, and where they come from.

    Attributes
    ----------
    X : DataFrame or csr_matrix
        The rows.
    y : ndarray or None
        The targets; None if there is none.
    task : Task
        What to learn; not ``Task.auto``.
    source : str
        The name of the file.
    target : str or None
        The column of the targets.
    columns : Columns or None
        The columns by kind; None for LIBSVM text.
    first_index : int
        For LIBSVM text: the index of the first feature.
    """

    X: Any
    y: NDArray[Any] | None
    task: Task
    source: str
    target: str | None = None
    columns: Columns | None = None
    first_index: int = 1

    @property
    def class_counts(self) -> dict[Any, int]:
        """The number of rows of each class; empty if the task has none."""
        if self.y is None or self.task is not Task.classification:
            return {}
        labels, counts = np.unique(self.y, return_counts=True)
        return dict(zip(labels.tolist(), counts.tolist(), strict=True))


@dataclass(frozen=True)
class Roles:
    """Which columns are what: the target, those left out, and those that are categories."""

    target: str | None = None
    ignored: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()

    def check(self, names: list[str]) -> None:
        """Raise InputError if a column is not there, or is the target."""
        for option, wanted in (("--ignore", self.ignored), ("--category", self.categories)):
            for name in wanted:
                if name not in names:
                    raise InputError(
                        f"{option}: there is no column {name!r}; the columns are {quoted(names)}"
                    )
                if name == self.target:
                    raise InputError(f"{option}: {name!r} is the target")


def _example_set(task: Task) -> TrainingSet:
    """Return the breast cancer data."""
    X, y, names = load_example()
    frame = pd.DataFrame(X, columns=names)
    return _from_frame(frame.assign(target=y), EXAMPLE, Roles("target"), task)


def read_training_set(path: Path | None, roles: Roles, task: Task) -> TrainingSet:
    """Return the data of a file, checked; without a file the example."""
    if path is None:
        if roles != Roles():
            raise InputError("--target, --ignore and --category need a FILE")
        return _example_set(task)
    content = read_file(path)
    if isinstance(content, SparseData):
        if roles != Roles():
            raise InputError(
                "--target, --ignore and --category are for files with named columns, "
                "not for LIBSVM text"
            )
        return _from_sparse(content, path.name, task)
    return _from_frame(content, path.name, roles, task)


def _from_frame(frame: pd.DataFrame, source: str, roles: Roles, task: Task) -> TrainingSet:
    roles.check([str(name) for name in frame.columns])
    frame = frame.drop(columns=list(roles.ignored))
    target = find_target([str(name) for name in frame.columns], roles.target, task)
    y = None
    if target is not None and task is not Task.outliers:
        task = resolve_task(frame[target], task)
        y = target_values(frame[target], task)
    features = frame.drop(columns=[] if target is None else [target])
    if not features.shape[1]:
        raise InputError(f"{source} has no columns to learn from besides the target")
    columns = describe_columns(features, roles.categories)
    return TrainingSet(usable_frame(features, columns), y, task, source, target, columns)


def _from_sparse(data: SparseData, source: str, task: Task) -> TrainingSet:
    y = None
    if task is not Task.outliers:
        labels = pd.Series(data.y, name="label")
        task = resolve_task(labels, task)
        y = target_values(labels, task)
    X = data.rows(data.first_index)
    if not X.shape[1]:
        raise InputError(f"{source} has no features")
    return TrainingSet(X, y, task, source, first_index=data.first_index)
