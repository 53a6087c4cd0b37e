"""Which rows of a file a model was trained on, and which ``--test-size`` kept apart."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mercer.cli.choices import STANDARD
from mercer.cli.data.tables import SparseData
from mercer.cli.data.training_set import TrainingSet

__all__ = ["RowSplit", "recorded_split", "split_record", "taken"]

FIELD = "kept_apart"


@dataclass(frozen=True, eq=False)
class RowSplit:
    """Positions of rows in a file, the first row after the names is 0."""

    training: NDArray[np.intp]
    test: NDArray[np.intp]


def split_record(
    file: Path | None, training: TrainingSet, test: TrainingSet | None, share: float | None
) -> dict[str, Any]:
    """The record for the model file: the SHA-256 of the file and a bit for each of its rows."""
    if file is None or file == STANDARD or test is None or share is None:
        return {}
    n = 1 + max(int(part.places.max()) for part in (training, test))
    bits = {"training": _bits(training.places, n), "test": _bits(test.places, n)}
    return {FIELD: {"sha256": _hash(file), "n_rows": n} | bits}


def recorded_split(metadata: dict[str, Any], file: Path) -> RowSplit | None:
    """The rows, if the file is the one that a model was trained on with ``--test-size``."""
    told = metadata.get(FIELD)
    if told is None or file == STANDARD or not file.is_file() or _hash(file) != told["sha256"]:
        return None
    return RowSplit(*(_positions(told[name], told["n_rows"]) for name in ("training", "test")))


def taken(content: pd.DataFrame | SparseData, rows: NDArray[np.intp]) -> Any:
    """Some rows of what was read."""
    if isinstance(content, SparseData):
        return SparseData(content.X[rows], content.y[rows])
    return content.iloc[rows]  # by its index, so that rows keep their numbers in the file


def _hash(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _bits(places: NDArray[np.intp], n: int) -> str:
    is_in = np.zeros(n, dtype=bool)
    is_in[places] = True
    return base64.b64encode(np.packbits(is_in).tobytes()).decode()


def _positions(bits: str, n: int) -> NDArray[np.intp]:
    packed = np.frombuffer(base64.b64decode(bits), dtype=np.uint8)
    return np.flatnonzero(np.unpackbits(packed, count=n))
