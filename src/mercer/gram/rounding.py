"""How far computed kernel values may be from the true ones, and which precision carries them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mercer.gram.native import (
    MOST_SPREAD,
    Precision,
    RowSet,
    distance_packing,
    fixed_rows,
    is_of_distances,
    leaves,
    spread,
    takes_bytes,
)
from mercer.kernels import form as shapes

__all__ = ["carries", "carrying_rows", "distance_rounding"]

_U = 2.0**-53
# Rounding rows to single precision moves kernel values by up to 2^-23 times the spread, for a
# gaussian its root: 3e-5 and 8e-6. Beyond, rows that are near each other but far from the mean are
# no longer told apart.
_SINGLE_SPREAD = {"gaussian": 2.0**12, "laplacian": 2.0**8}
_SINGLE_RANGE = 1e30  # of kernel values and parameters, well inside that of single precision


def carrying_rows(rows: Any, precision: Precision, form: shapes.Form) -> RowSet:
    """Rows packed by ``fixed_rows``, in double precision if single does not carry their values."""
    fixed = fixed_rows(rows, precision, form)
    if precision == "double" or carries(form, fixed):
        return fixed
    return fixed_rows(rows, "double", form)


def carries(form: shapes.Form, rows: RowSet) -> bool:
    """Whether rows packed in single precision tell their kernel values."""
    for leaf in leaves(form):
        if not 1.0 / _SINGLE_RANGE < leaf.gamma < _SINGLE_RANGE:
            return False
        if not is_of_distances(leaf) or takes_bytes(leaf, rows, rows):
            continue
        if not spread(leaf, rows) <= _SINGLE_SPREAD[leaf.kind]:
            return False
    with np.errstate(over="ignore"):
        return bool(_Bound.of(form, rows).size < _SINGLE_RANGE)


def distance_rounding(form: shapes.Form, rows: RowSet) -> float:
    """Bound of what rounding of distances does to kernel values of these rows among each other.

    For rows in double precision. What inner products lose is not part of it.
    """
    if not any(is_of_distances(leaf) for leaf in leaves(form)):
        return 0.0
    with np.errstate(over="ignore", invalid="ignore"):
        return float(_Bound.of(form, rows).error)


@dataclass
class _Bound:
    """Bounds of kernel values: of their size, their diagonal from below, and their error."""

    size: Any
    least: Any
    error: Any = 0.0

    @classmethod
    def of(cls, form: shapes.Form, rows: RowSet) -> _Bound:
        """Sums, products and quotients of the parts' bounds."""
        match form:
            case shapes.Leaf():
                return _leaf_bound(form, rows)
            case shapes.Constant():
                return cls(abs(form.value), form.value)
            case shapes.Scaled():
                part, factor = cls.of(form.part, rows), abs(form.factor)
                return cls(factor * part.size, factor * part.least, factor * part.error)
            case shapes.Sum():
                parts = [cls.of(part, rows) for part in form.parts]
                names = ("size", "least", "error")
                return cls(*(sum(getattr(part, name) for part in parts) for name in names))
            case shapes.Product():
                return _product_bound([cls.of(part, rows) for part in form.parts])
            case shapes.Normalized():
                part = cls.of(form.part, rows)
                # k / sqrt(k_x k_z), each of the three off by at most `error`
                error = 4.0 * part.error / part.least if part.error and part.least > 0 else 0.0
                return cls(1.0, 1.0, error)
            case shapes.Stored():
                return cls(_largest(rows.rows), 0.0)
        return cls(0.0, 0.0)


def _product_bound(parts: list[_Bound]) -> _Bound:
    sizes = np.array([part.size for part in parts])
    errors = np.array([part.error for part in parts])
    least = np.prod([max(part.least, 0.0) for part in parts])
    # prod (s + e) - prod s, without its cancellation
    others = [np.prod(np.delete(sizes + errors, i)) for i in range(len(parts))]
    return _Bound(np.prod(sizes), least, float(errors @ np.array(others)))


def _leaf_bound(form: shapes.Leaf, rows: RowSet) -> _Bound:
    if is_of_distances(form):
        return _Bound(1.0, 1.0, _distance_error(form, rows))
    if form.kind == "sigmoid":
        return _Bound(1.0, 0.0)
    if takes_bytes(form, rows, rows):
        squares = np.array([0.0, 2.0**16 * rows.rows.shape[1]])
    else:
        squares = rows.packed(form.transform, False).squared_norms()
    low, high = squares.min(initial=np.inf), squares.max(initial=0.0)
    if form.kind == "linear":
        return _Bound(high, low)
    size = (form.gamma * high + abs(form.coef0)) ** form.degree
    least = (form.gamma * low + form.coef0) ** form.degree
    return _Bound(size, least)


def _distance_error(form: shapes.Leaf, rows: RowSet) -> float:
    """Of exp(-t): t exp(-t) (d + 8) u by differences, 4 (d + 8) u of the spread without them.

    A row that is scaled is off by u of its length, one that is mapped by d u of it times the
    condition of the map; exp(-t) moves by less than the root of t does.
    """
    if takes_bytes(form, rows, rows):
        return 8.0 * _U
    centred, by_differences = distance_packing(form, rows)
    packed = rows.packed(form.transform, centred)
    d = packed.longest + 8
    error = d * _U
    if rows.store_sparse or (form.kind == "gaussian" and not by_differences):
        # light features of sparse rows go by inner products in any case
        error += 4.0 * d * _U * min(spread(form, rows), MOST_SPREAD["double"])
    if form.transform is not None:
        is_map = form.transform.ndim == 2
        loss = d * float(np.linalg.cond(form.transform)) if is_map else 2.0
        length = np.sqrt(form.gamma * packed.squared_norms().max(initial=0.0))
        error += 2.0 * loss * _U * float(length)
    return min(error, 1.0)


def _largest(matrix: Any) -> float:
    values = np.asarray(matrix)
    if values.dtype == np.float32 or values.dtype.kind not in "fiu":
        return 0.0
    return float(max(values.max(initial=0.0), -values.min(initial=0.0)))
