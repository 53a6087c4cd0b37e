"""Distances of sparse rows of which some features are far larger than the others.

With h the heavy features and l the light ones, ``|x - z|^2 = |x_h - z_h|^2 + |x_l - z_l|^2``, and
likewise for absolute differences: exp(-gamma distance) is the product of itself on both. Few
heavy features are compared by differences, as dense rows; the light ones go by inner products,
which lose nothing there.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from mercer.gram.rows import RowSet
from mercer.kernels import form as shapes

__all__ = ["SplitRows", "split_rows"]

_MOST = 64  # heavy features that are few


class SplitRows:
    """The heavy features of sparse rows as dense rows, and the rows without them."""

    def __init__(
        self, rows: RowSet, features: NDArray[np.intp], scale: NDArray[np.float64] | None
    ) -> None:
        self.features = features
        self.heavy_scale = None if scale is None else scale[features]
        csr = sp.csr_array(rows.rows)
        is_heavy = np.zeros(csr.shape[1], dtype=bool)
        is_heavy[features] = True
        data = np.where(is_heavy[csr.indices], csr.dtype.type(0), csr.data)
        light: Any = sp.csr_array((data, csr.indices, csr.indptr), shape=csr.shape)
        self.heavy = RowSet(csr[:, features].toarray(), rows.precision)
        self.light = RowSet(light, rows.precision)

    def like(self, rows: RowSet) -> SplitRows:
        """Other rows, split as these are."""
        return SplitRows(rows, self.features, None)


def split_rows(form: shapes.Leaf, rows: RowSet, most_spread: float) -> SplitRows | None:
    """Rows without those features by which they spread too far; None if these are not few.

    The kernel is an exponential. No light entry has more than its share of ``most_spread``.
    """
    csr = sp.csr_array(rows.rows)
    share = most_spread / max(int(np.diff(csr.indptr).max(initial=0)), 1)
    scale = 1.0 if form.transform is None else form.transform[csr.indices]
    with np.errstate(over="ignore"):
        sizes = np.abs(csr.data * scale)
        terms = sizes**2 if shapes.COMPUTED_FROM[form.kind] == "squares" else sizes
        is_heavy = ~(form.gamma * terms <= share)
    features = np.unique(csr.indices[is_heavy])
    return SplitRows(rows, features, form.transform) if len(features) <= _MOST else None
