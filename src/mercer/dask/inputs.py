"""Rows as they lie on a cluster: partitions that can be read on a worker, and their lengths."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from dask import delayed, is_dask_collection
from dask.delayed import Delayed

from mercer.dask.runner import Runner
from mercer.gram.native import count_rows
from mercer.predictions.stacked_rows import indexable

__all__ = [
    "Partitions",
    "check_lengths",
    "is_array",
    "is_frame",
    "joined",
    "read_partitions",
    "stacked_parts",
]


@dataclass(frozen=True, eq=False)
class Partitions:
    """Rows in pieces.

    Attributes
    ----------
    parts : list
        Delayed values or futures, each with some rows, possibly none.
    ends : ndarray of shape (n_parts,)
        Number of rows up to the end of each.
    """

    parts: list[Any]
    ends: np.ndarray

    @property
    def n_rows(self) -> int:
        """Rows of all parts."""
        return int(self.ends[-1]) if len(self.ends) else 0

    def cut(self, start: int, stop: int) -> tuple[list[Any], list[tuple[int, int]]]:
        """The parts that hold the rows from start to stop, and which of their rows these are."""
        first = int(np.searchsorted(self.ends, start, side="right"))
        parts, cuts = [], []
        for k in range(first, len(self.parts)):
            begin = int(self.ends[k - 1]) if k else 0
            if begin >= stop:
                break
            low, high = max(start, begin) - begin, min(stop, int(self.ends[k])) - begin
            if high > low:
                parts.append(self.parts[k])
                cuts.append((low, high))
        return parts, cuts


def is_array(X: Any) -> bool:
    """Whether these are rows of a Dask array."""
    return is_dask_collection(X) and hasattr(X, "chunks")


def is_frame(X: Any) -> bool:
    """Whether these are rows of a Dask data frame or series."""
    return is_dask_collection(X) and hasattr(X, "divisions")


def read_partitions(X: Any, name: str, runner: Runner, block_size: int) -> Partitions:
    """Rows of a Dask array, data frame or list of delayed blocks, or of memory, in parts."""
    if is_array(X):
        whole = X.rechunk({1: -1}) if X.ndim > 1 else X
        parts = list(whole.to_delayed().ravel())
        return _with_lengths(parts, whole.chunks[0], runner)
    if is_frame(X):
        _check_columns(X, name)
        return _with_lengths(list(X.to_delayed()), None, runner)
    if isinstance(X, Delayed):
        return _with_lengths([X], None, runner)
    if isinstance(X, list | tuple) and X and all(isinstance(part, Delayed) for part in X):
        return _with_lengths(list(X), None, runner)
    return _from_memory(X, name, runner, block_size)


def _with_lengths(parts: list[Any], lengths: Any, runner: Runner) -> Partitions:
    """Parts with their lengths, which are counted where a chunk has none."""
    if lengths is None or any(length != length for length in lengths):
        lengths = runner.results([delayed(_length, pure=False)(part) for part in parts])
    return Partitions(parts, np.cumsum(np.asarray(lengths, dtype=np.int64)))


def _length(part: Any) -> int:
    return int(part.shape[0]) if hasattr(part, "shape") else len(part)


def _from_memory(X: Any, name: str, runner: Runner, block_size: int) -> Partitions:
    """Rows in this process, sent once; the scheduler keeps them in case a worker is lost."""
    X = indexable(X)
    if hasattr(X, "iloc"):
        _check_columns(X, name)
        X_rows = X.iloc
    else:
        X_rows = X
    n = count_rows(X)
    starts = range(0, n, block_size)
    parts = [runner.share(X_rows[start : start + block_size]) for start in starts]
    return Partitions(parts, np.minimum(np.arange(1, len(parts) + 1) * block_size, n))


def _check_columns(X: Any, name: str) -> None:
    """Numbers only in a frame of rows; labels may be anything."""
    if not hasattr(X, "columns") or name != "X":
        return
    odd = [str(column) for column, kind in X.dtypes.items() if not _is_numeric(kind)]
    if odd:
        raise ValueError(
            f"X must have columns of numbers, got other kinds in {odd}: encode them first, e.g. "
            "with get_dummies on categories that are known"
        )


def _is_numeric(kind: Any) -> bool:
    return getattr(kind, "kind", "O") in "biuf" and not hasattr(kind, "categories")


def check_lengths(rows: Partitions, others: dict[str, Partitions | None]) -> None:
    """As many labels and weights as rows, and a row at least."""
    if rows.n_rows == 0:
        raise ValueError("X must have at least one row, got 0")
    for name, other in others.items():
        if other is not None and other.n_rows != rows.n_rows:
            raise ValueError(f"X and {name} must be as long, got {rows.n_rows} and {other.n_rows}")


def joined(parts: list[Any], cuts: list[tuple[int, int]]) -> Any:
    """Some rows of each part, one below the other, as they would be in memory."""
    return stacked_parts([_slice(p, *cut) for p, cut in zip(parts, cuts, strict=True)])


def stacked_parts(pieces: Any) -> Any:
    """Rows of several pieces of the same kind, one below the other."""
    if len(pieces) == 1:
        return pieces[0]
    if hasattr(pieces[0], "iloc"):
        import pandas as pd

        return pd.concat(pieces)
    if any(sp.issparse(piece) for piece in pieces):
        return sp.vstack(pieces, format="csr")
    return np.concatenate(pieces)


def _slice(part: Any, low: int, high: int) -> Any:
    if hasattr(part, "iloc"):
        return part.iloc[low:high]
    if hasattr(part, "to_scipy_sparse"):  # of the package sparse
        part = part.to_scipy_sparse()
    if sp.issparse(part):
        return part.tocsr()[low:high]
    return np.asarray(part)[low:high]
