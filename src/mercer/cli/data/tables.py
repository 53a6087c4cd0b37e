"""Reading a data file of any kind: text tables, LIBSVM (svmlight) text, and binary tables."""

from __future__ import annotations

import io
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mercer.cli.choices import STANDARD
from mercer.cli.data.arff import read_arff
from mercer.cli.data.binary import BINARY, read_binary
from mercer.cli.data.delimited import read_delimited, text_sample
from mercer.cli.data.dialect import encoding_of
from mercer.cli.data.opened import Content, opened
from mercer.cli.errors import InputError, quoted
from mercer.io.libsvm_reader import check_width

__all__ = ["SparseData", "read_file"]

CSV_SUFFIXES = (".csv", ".tsv", ".tab")
SVMLIGHT_SUFFIXES = (".svm", ".libsvm", ".svmlight")
TEXT_SUFFIX = ".txt"
KNOWN = (*CSV_SUFFIXES, *BINARY, *SVMLIGHT_SUFFIXES, ".arff", TEXT_SUFFIX)

# A label, then ascending "index:value" pairs.
SVMLIGHT_LINE = re.compile(r"\s*[-+.\deE,]+(\s+(qid|\d+):[-+.\w]+)*\s*(#.*)?$")


@dataclass(frozen=True)
class SparseData:
    """Rows of a LIBSVM file, column j holding index j, and their labels."""

    X: Any
    y: NDArray[np.float64]

    @property
    def first_index(self) -> int:
        """1, where LIBSVM starts to count, unless index 0 is in use."""
        return int(self.X.indices.min(initial=1) > 0)

    def rows(self, first_index: int, n_features: int | None = None) -> Any:
        """Return the rows without the columns before `first_index`, `n_features` wide."""
        width = self.X.shape[1] - first_index if n_features is None else n_features
        if self.first_index < first_index or self.X.shape[1] - first_index > width:
            raise InputError(
                f"indices must lie in {first_index}..{first_index + width - 1}, the features "
                f"of the model, got {self.X.indices.min()}..{self.X.indices.max()}"
            )
        rows = self.X[:, first_index:]
        rows.resize((rows.shape[0], width))
        return rows


def read_file(path: Path, notes: list[str] | None = None) -> pd.DataFrame | SparseData:
    """Return a data frame, or for LIBSVM text sparse rows with their labels.

    The suffix says what a file is, before one of compression; ``.txt`` is LIBSVM text if its
    first lines are, and so is what comes by standard input. `notes` get how the file was read.
    """
    notes = [] if notes is None else notes
    content = opened(path, KNOWN)
    if content.suffix in BINARY:
        frame = read_binary(content, notes)
        frame.columns = [str(name) for name in frame.columns]
        return _checked_frame(content.name, frame, list(frame.columns))
    sample = text_sample(content)
    if content.suffix == ".arff":
        text = content.data.decode(encoding_of(content.data, content.name))
        frame = read_arff(text, content.name)
        return _checked_frame(content.name, frame, list(frame.columns))
    is_svmlight = _is_svmlight(sample)
    if content.suffix in SVMLIGHT_SUFFIXES or (content.suffix == TEXT_SUFFIX and is_svmlight):
        return _read_svmlight(content)
    if is_svmlight and ":" in sample and path != STANDARD:
        raise InputError(f"{path} looks like LIBSVM text: give it the suffix .svm")
    frame, names = read_delimited(content, sample, notes)
    return _checked_frame(content.name, frame, names)


def _is_svmlight(sample: str) -> bool:
    lines = [line for line in sample.splitlines()[:20] if line.strip() and line[0] != "#"]
    return bool(lines) and all(SVMLIGHT_LINE.match(line) for line in lines)


def _read_svmlight(content: Content) -> SparseData:
    from sklearn.datasets import load_svmlight_file

    try:
        X, y = load_svmlight_file(io.BytesIO(content.data), zero_based=True)
        check_width(X.shape[1] - 1, len(content.data))
    except (ValueError, OverflowError) as error:
        raise InputError(f"{content.name} is not readable LIBSVM text: {error}") from None
    if not X.shape[0]:
        raise InputError(f"{content.name} has no rows")
    if not (np.isfinite(X.data).all() and np.isfinite(y).all()):
        raise InputError(
            f"{content.name} holds values that are not finite; all must be finite numbers"
        )
    return SparseData(X, y)


def _checked_frame(source: str, frame: pd.DataFrame, names: list[str]) -> pd.DataFrame:
    repeated = sorted(name for name, count in Counter(names).items() if count > 1)
    if repeated:
        raise InputError(
            f"{source}: column names must be distinct, repeated are {quoted(repeated)}; rename "
            "them in the first line"
        )
    if not len(frame):
        raise InputError(f"{source} has no rows, only the columns {quoted(names)}")
    frame.columns = pd.Index(names, dtype=object)
    return frame.reset_index(drop=True)
