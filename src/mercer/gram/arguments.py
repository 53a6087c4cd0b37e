"""The arguments of a Gram: rows, segments, precision and memory."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer._memory import LITTLE, available_bytes
from mercer.gram.rows import Precision

__all__ = ["cache_bytes", "check_segments", "indices", "resolve_precision"]

_SMALL = 3000  # rows up to which kernel values are kept in double precision by default
_SMALL_CACHE = LITTLE // 4  # bytes; a look at the system takes half a millisecond


def indices(name: str, values: ArrayLike, n_rows: int) -> NDArray[np.int64]:
    """Positions of rows; masks and fractions are refused, not reinterpreted."""
    array = np.asarray(values)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise TypeError(
            f"{name} must be a vector of integers, got {array.dtype} of shape {array.shape}"
        )
    outside = (array < 0) | (array >= n_rows)
    if outside.any():
        raise IndexError(f"{name} must lie in 0..{n_rows - 1}, got {array[outside][0]}")
    return np.ascontiguousarray(array, dtype=np.int64)


def resolve_precision(precision: str, n_rows: int) -> Precision:
    """The precision a name means for so many rows."""
    if precision not in ("auto", "single", "double"):
        raise ValueError(f"precision must be 'auto', 'single' or 'double', got {precision!r}")
    if precision == "auto":
        return "double" if n_rows < _SMALL else "single"
    return precision  # type: ignore[return-value]


def cache_bytes(cache_size: float | str, n_rows: int, precision: Precision) -> int:
    """Memory for kernel rows, no more than the whole matrix takes."""
    whole = n_rows * n_rows * (4 if precision == "single" else 8)
    if cache_size == "auto":
        return whole if whole <= _SMALL_CACHE else min(whole, available_bytes() // 4)
    if isinstance(cache_size, str) or not cache_size > 0:
        raise ValueError(
            f"cache_size must be a positive number of MB or 'auto', got {cache_size!r}"
        )
    return int(min(whole, cache_size * 2**20))


def check_segments(segments: ArrayLike, n_rows: int) -> list[int]:
    """Offsets that cut kernel rows."""
    cuts = indices("segments", segments, n_rows + 1).tolist()
    ends = len(cuts) >= 2 and cuts[0] == 0 and cuts[-1] == n_rows
    if not ends or cuts != sorted(cuts) or len(cuts) > 2**16:
        raise ValueError(
            f"segments must ascend from 0 to n_rows={n_rows} in at most 65535 steps, "
            f"got {segments!r}"
        )
    return cuts
