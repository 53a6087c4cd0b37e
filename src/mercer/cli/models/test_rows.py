"""Rows to judge a machine by: those of a file, or a share of those given."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split

from mercer.cli.choices import Task
from mercer.cli.data.columns import columns_of, known_frame
from mercer.cli.data.tables import SparseData, read_file
from mercer.cli.data.tasks import known_targets
from mercer.cli.data.training_set import TrainingSet
from mercer.cli.errors import InputError
from mercer.cli.models.training import take

__all__ = ["NO_TEST", "Tests"]


@dataclass(frozen=True)
class Tests:
    """The requested test rows: a file, a share, or neither."""

    file: Path | None = None
    share: float | None = None

    def split(self, data: TrainingSet, seed: int) -> tuple[TrainingSet, TrainingSet | None]:
        """Return the training rows and the test rows, if any."""
        if self.file is None and self.share is None:
            return data, None
        if self.file is not None and self.share is not None:
            raise InputError("--test and --test-size exclude each other: give one of them")
        if data.task is Task.outliers:
            raise InputError("--test and --test-size compare with a target, outliers have none")
        if self.file is not None:
            return data, read_test_set(self.file, data)
        assert self.share is not None
        return split_test_set(data, self.share, seed)


NO_TEST = Tests()


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
    first, second = (
        replace(data, X=take(data.X, part), y=data.y[part], rows=data.places[part]) for part in rows
    )
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
        X = known_frame(content, columns_of(data.X, data.columns))
        known = content[data.target]
    return replace(data, X=X, y=known_targets(known, data.task), source=path.name)
