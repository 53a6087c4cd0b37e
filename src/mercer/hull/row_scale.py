"""Rows on another scale, where the squares of their differences would overflow or vanish.

Hulls, their distances and smallest balls move and grow with the rows: lengths of x are 2^e times
those of (x - m) 2^-e, and a power of two changes no digit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from mercer.hull.rows import Cloud
from mercer.kernels import Kernel

__all__ = ["RowScale", "row_scale_of", "scaled_rows"]

FloatArray = NDArray[np.float64]

_SMALL, _LARGE = 2.0**-400, 2.0**400  # sizes between whose squares and their sums are numbers


@dataclass(frozen=True)
class RowScale:
    """2^exponent, and the point that rows are measured from."""

    shift: FloatArray | None
    exponent: int

    def length(self, number: float) -> float:
        """A length on this scale as it is among the rows."""
        with np.errstate(over="ignore"):
            return float(np.ldexp(number, self.exponent))

    def point(self, place: FloatArray | None) -> FloatArray | None:
        """A point on this scale as it is among the rows."""
        if place is None:
            return None
        with np.errstate(over="ignore"):
            grown = np.ldexp(place, self.exponent)
        return np.asarray(grown if self.shift is None else grown + self.shift)


def row_scale_of(clouds: Sequence[Cloud], kernel: Kernel | None, *, moves: bool) -> RowScale | None:
    """The scale that rows need; None for ordinary ones, and for kernels.

    ``moves`` says that they may be measured from one of them.
    """
    if kernel is not None:
        return None
    rows = [cloud.rows for cloud in clouds]
    shift = None
    if moves and not any(sp.issparse(some) for some in rows):
        shift = rows[0][0]
    with np.errstate(over="ignore"):
        size = max(_largest(some, shift) for some in rows)
    if size == 0.0 or _SMALL < size < _LARGE:
        return None
    return RowScale(shift, int(np.frexp(size)[1]) if np.isfinite(size) else 1025)


def scaled_rows(cloud: Cloud, row_scale: RowScale) -> Cloud:
    """The cloud with its rows on another scale."""
    rows, shift, e = cloud.rows, row_scale.shift, -row_scale.exponent
    if sp.issparse(rows):
        taken = rows.copy()
        taken.data = np.ldexp(rows.data, e)
    elif shift is None:
        taken = np.ldexp(rows, e)
    elif e > 0:
        taken = np.ldexp(rows - shift, e)
    else:
        taken = np.ldexp(rows, e) - np.ldexp(shift, e)
    return replace(cloud, rows=taken)


def _largest(rows: Any, shift: FloatArray | None) -> float:
    values = rows.data if sp.issparse(rows) else rows if shift is None else rows - shift
    return float(max(values.max(initial=0.0), -values.min(initial=0.0)))
