"""Reading a data file: CSV, Parquet or LIBSVM (svmlight) text."""

from __future__ import annotations

import csv
import re
import warnings
from collections import Counter
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mercer.cli.errors import InputError, quoted
from mercer.io.libsvm_reader import check_width

__all__ = ["SparseData", "read_file"]

CSV_SUFFIXES = (".csv", ".tsv", ".tab")
PARQUET_SUFFIXES = (".parquet", ".pq")
SVMLIGHT_SUFFIXES = (".svm", ".libsvm", ".svmlight")
TEXT_SUFFIX = ".txt"
DELIMITERS = ",;\t|"
SAMPLE_CHARACTERS = 65536
SAMPLE_LINES = 50
LEAST_LINES = 3

# A label, then ascending "index:value" pairs.
SVMLIGHT_LINE = re.compile(r"\s*[-+.\deE,]+(\s+(qid|\d+):[-+.\w]+)*\s*(#.*)?$")
DECIMAL_COMMA = re.compile(r"[-+]?\d+,\d+")


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


def read_file(path: Path) -> pd.DataFrame | SparseData:
    """Return a data frame, or for LIBSVM text sparse rows with their labels.

    The suffix says what a file is; ``.txt`` is LIBSVM text if its first lines are.
    """
    suffix = path.suffix.lower()
    known = (*CSV_SUFFIXES, *PARQUET_SUFFIXES, *SVMLIGHT_SUFFIXES, TEXT_SUFFIX)
    if suffix not in known:
        raise InputError(f"{path}: the file type must be one of {', '.join(known)}")
    if not path.exists():
        raise InputError(f"{path}: no such file")
    if path.is_dir():
        raise InputError(f"{path} is a directory, not a file")
    if not path.is_file():
        raise InputError(f"{path} is a device or a pipe; it must be a file")
    if path.stat().st_size == 0:
        raise InputError(f"{path} is empty")
    if suffix in PARQUET_SUFFIXES:
        return _read_parquet(path)
    sample = _text_sample(path)
    if suffix in SVMLIGHT_SUFFIXES or (suffix == TEXT_SUFFIX and _is_svmlight(sample)):
        return _read_svmlight(path)
    if _is_svmlight(sample) and ":" in sample:
        raise InputError(f"{path} looks like LIBSVM text: give it the suffix .svm")
    return _read_csv(path, sample)


def _text_sample(path: Path) -> str:
    """The first lines, whole ones: a header may be longer than any number of characters."""
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            lines = file.readlines(SAMPLE_CHARACTERS)
            lines += islice(file, max(LEAST_LINES - len(lines), 0))
    except UnicodeDecodeError:
        raise _not_utf8(path) from None
    sample = "".join(lines)
    if "\0" in sample:
        raise InputError(f"{path} is not {path.suffix} text: it holds binary data")
    if not sample.strip():
        raise InputError(f"{path} is empty")
    return sample


def _not_utf8(path: Path) -> InputError:
    return InputError(
        f"{path} is not {path.suffix} text: it is not UTF-8; if it is text, convert it to UTF-8"
    )


def _is_svmlight(sample: str) -> bool:
    lines = [line for line in sample.splitlines()[:20] if line.strip() and line[0] != "#"]
    return bool(lines) and all(SVMLIGHT_LINE.match(line) for line in lines)


def _read_parquet(path: Path) -> pd.DataFrame:
    try:
        frame = pd.read_parquet(path)
    except Exception as error:
        # pyarrow raises classes of its own for what is wrong with a file.
        raise InputError(f"{path} is not a readable Parquet file: {error}") from None
    frame.columns = [str(name) for name in frame.columns]
    return _checked_frame(path, frame, list(frame.columns))


def _read_svmlight(path: Path) -> SparseData:
    from sklearn.datasets import load_svmlight_file

    try:
        X, y = load_svmlight_file(str(path), zero_based=True)
        check_width(X.shape[1] - 1, path.stat().st_size)
    except (ValueError, OverflowError) as error:
        raise InputError(f"{path} is not readable LIBSVM text: {error}") from None
    if not X.shape[0]:
        raise InputError(f"{path} has no rows")
    if not (np.isfinite(X.data).all() and np.isfinite(y).all()):
        raise InputError(f"{path} holds values that are not finite; all must be finite numbers")
    return SparseData(X, y)


def _read_csv(path: Path, sample: str) -> pd.DataFrame:
    lines = sample.lstrip("\r\n").splitlines(keepends=True)
    delimiter = _delimiter(lines)
    try:
        header = next(csv.reader(lines, delimiter=delimiter, skipinitialspace=True))
    except csv.Error as error:
        raise InputError(f"{path} is not readable CSV: {error}") from None
    decimal = "," if delimiter == ";" and DECIMAL_COMMA.search(sample) else "."
    names = [name.strip() for name in header]
    _check_header(path, names)
    options: dict[str, Any] = {"encoding": "utf-8-sig", "index_col": False, "low_memory": False}
    options |= {"sep": delimiter, "decimal": decimal, "skipinitialspace": True}
    try:
        with warnings.catch_warnings():
            # Rows longer than the header would lose their last values.
            warnings.simplefilter("error", pd.errors.ParserWarning)
            frame = pd.read_csv(path, **options)
    except UnicodeDecodeError:
        raise _not_utf8(path) from None
    except (ValueError, pd.errors.ParserWarning) as error:
        raise InputError(f"{path} is not readable CSV: {str(error).strip()}") from None
    return _checked_frame(path, frame, names)


def _delimiter(lines: list[str]) -> str:
    """The delimiter that cuts header and rows into equal numbers of fields, at best many."""

    def merit(delimiter: str) -> tuple[bool, int]:
        try:
            rows = [row for row in csv.reader(lines[:SAMPLE_LINES], delimiter=delimiter) if row]
        except csv.Error:
            # A field that is too long: the wrong delimiter for a long line.
            return False, 0
        width = len(rows[0]) if rows else 0
        return width > 1 and all(len(row) == width for row in rows), width

    return max(DELIMITERS, key=merit)


def _check_header(path: Path, header: list[str]) -> None:
    if all(_is_number(name) for name in header):
        raise InputError(
            f"{path} has no header: its first line holds the numbers {', '.join(header[:5])}; "
            "the first line must name the columns"
        )
    for position, name in enumerate(header):
        if not name.strip():
            raise InputError(
                f"{path}: column {position + 1} has no name; name it in the first line, or "
                "remove it if it is a row number (pandas: to_csv(index=False))"
            )


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _checked_frame(path: Path, frame: pd.DataFrame, names: list[str]) -> pd.DataFrame:
    repeated = sorted(name for name, count in Counter(names).items() if count > 1)
    if repeated:
        raise InputError(f"{path}: column names must be distinct, repeated are {quoted(repeated)}")
    if not len(frame):
        raise InputError(f"{path} has no rows, only the columns {quoted(names)}")
    frame.columns = pd.Index(names, dtype=object)
    return frame.reset_index(drop=True)
