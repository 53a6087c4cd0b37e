"""How far computed kernel values may be from the true ones, and which precision carries them.

Below, u is the unit roundoff and d the number of terms of an inner product. An inner product of
two rows errs by at most ``d u |x||z|``, and every bound has that form: a number b of each row,
with sqrt(b_x b_z) for a pair of them. So have sums of such bounds, by Cauchy-Schwarz, and
products (docs/theory/rounding.md#bounds).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from math import isnan, sqrt
from typing import Any, assert_never

import numpy as np
from numpy.typing import NDArray

from mercer.gram.native import (
    MOST_SPREAD,
    Precision,
    RowSet,
    distance_packing,
    fixed_rows,
    is_of_distances,
    spread,
    takes_bytes,
)
from mercer.gram.rows import without_repeats
from mercer.kernels import form as shapes

__all__ = ["carries", "carrying_rows", "fits_single", "is_at_most_one", "rounding_of_rows"]

FloatArray = NDArray[np.float64]

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
    for leaf in form.leaves:
        if not 1.0 / _SINGLE_RANGE < leaf.gamma < _SINGLE_RANGE:
            return False
        if not is_of_distances(leaf) or takes_bytes(leaf, rows, rows):
            continue
        if not spread(leaf, rows) <= _SINGLE_SPREAD[leaf.kind]:
            return False
    return fits_single(form, rows)


def fits_single(form: shapes.Form, rows: RowSet) -> bool:
    """Whether the kernel values lie in the range of single precision."""
    if is_at_most_one(form):
        return True
    if form.reads_stored and not _largest(rows.rows) < _SINGLE_RANGE:
        return False
    with np.errstate(over="ignore", invalid="ignore"):
        # the size of what a function returns is not known, and no number
        return not bool(np.max(_Bound.of(form, rows).size, initial=0.0) >= _SINGLE_RANGE)


def is_at_most_one(form: shapes.Form) -> bool:
    """Whether no kernel value can be larger than 1 for any rows."""
    return isinstance(form, shapes.Leaf) and form.kind in shapes.EXPONENTIALS


def rounding_of_rows(form: shapes.Form, rows: RowSet) -> FloatArray | float:
    """Bounds of what rounding does to sums of kernel values, one for each row or for all.

    With b the result, ``|error of sum_j c_j k(x_i, x_j)| <= sum_j |c_j| sqrt(b_i b_j)``, for rows
    in double precision. The rounding of n terms that are added is taken as independent. What a
    Python function or a stored matrix says is taken as exact; infinite means unknown.
    """
    summing = 2.0 * sqrt(len(rows)) * _U
    if is_at_most_one(form):
        error = _distance_error(form, rows)  # type: ignore[arg-type]
        return np.inf if isnan(error) else error + summing
    with np.errstate(over="ignore", invalid="ignore"):
        bound = _Bound.of(form, rows)
        # a function says nothing of the size of its values
        size = np.where(np.isnan(bound.size), 0.0, bound.size)
        found = np.asarray(bound.error + summing * size, dtype=np.float64)
    known = np.where(np.isnan(found), np.inf, found)
    return known if known.ndim else float(known)


@dataclass
class _Bound:
    """Bounds of kernel values, by row: of their size and error, and the diagonal itself."""

    size: Any
    diagonal: Any
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
                return cls(factor * part.size, form.factor * part.diagonal, factor * part.error)
            case shapes.Sum():
                parts = [cls.of(part, rows) for part in form.parts]
                names = ("size", "diagonal", "error")
                return cls(*(sum(getattr(part, name) for part in parts) for name in names))
            case shapes.Product():
                return reduce(_product_bound, [cls.of(part, rows) for part in form.parts])
            case shapes.Normalized():
                part = cls.of(form.part, rows)
                return cls(1.0, 1.0, _normalized_error(part))
            case shapes.Stored():
                diagonal = _stored_diagonal(rows.rows)
                return cls(np.abs(diagonal), diagonal)
        return cls(np.nan, np.nan)


def _product_bound(a: _Bound, b: _Bound) -> _Bound:
    # (s + e)(t + f) - s t, without its cancellation; 0 times an unknown size is 0
    cross = [np.where(e == 0.0, 0.0, e * s) for e, s in ((a.error, b.size), (b.error, a.size))]
    error = cross[0] + cross[1] + a.error * b.error
    return _Bound(a.size * b.size, a.diagonal * b.diagonal, error)


def _normalized_error(part: _Bound) -> Any:
    """Of k / sqrt(k_x k_z), each of the three off by at most its error."""
    share = np.where(part.error == 0.0, 0.0, part.error / np.maximum(part.diagonal, 0.0))
    return 4.0 * np.max(share, initial=0.0)


def _leaf_bound(form: shapes.Leaf, rows: RowSet) -> _Bound:
    match form.kind:
        case "gaussian" | "laplacian":
            return _Bound(1.0, 1.0, _distance_error(form, rows))
        case "linear":
            squares, error = _product_error(form, rows)
            return _Bound(squares, squares, error)
        case "sigmoid":
            # tanh is nowhere steeper than 1
            _, diagonal, error = _base_bound(form, rows)
            return _Bound(1.0, np.tanh(diagonal), error + 8.0 * _U)
        case "polynomial":
            # t^p is off by p t^(p-1) times the error of t
            size, diagonal, error = _base_bound(form, rows)
            p = form.degree
            return _Bound(size**p, diagonal**p, p * size ** max(p - 1, 0) * error)
        case _:
            assert_never(form.kind)


def _product_error(form: shapes.Leaf, rows: RowSet) -> tuple[FloatArray, FloatArray]:
    """Squared lengths of the rows, and bounds of the error of inner products."""
    if takes_bytes(form, rows, rows):
        # exact integers, rounded when they are used
        squares, terms = np.asarray(2.0**16 * rows.rows.shape[1]), 4.0
    else:
        packed = rows.packed(form.transform, False)
        squares, terms = packed.squared_norms(), packed.longest + 8.0 + _transform_loss(form)
    return squares, terms * _U * squares


def _base_bound(form: shapes.Leaf, rows: RowSet) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Of t = gamma x'z + coef0: bounds of its size, t where x = z, and bounds of its error."""
    squares, error = _product_error(form, rows)
    products = form.gamma * squares
    size = products + abs(form.coef0)
    return size, products + form.coef0, form.gamma * error + 4.0 * _U * size


def _transform_loss(form: shapes.Leaf) -> float:
    """Roundings of a row that is scaled, or mapped: then times the condition of the map."""
    if form.transform is None:
        return 0.0
    if form.transform.ndim == 1:
        return 4.0
    return 2.0 * (len(form.transform) + 8) * float(np.linalg.cond(form.transform))


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
    goes_by_norms = shapes.COMPUTED_FROM[form.kind] == "squares" and not by_differences
    if rows.store_sparse or goes_by_norms:
        # light features of sparse rows go by inner products in any case
        error += 4.0 * d * _U * min(spread(form, rows), MOST_SPREAD["double"])
    if form.transform is not None:
        length = np.sqrt(form.gamma * packed.largest_norm())
        error += _transform_loss(form) * _U * float(length)
    return min(error, 1.0)


def _stored_diagonal(matrix: Any) -> FloatArray:
    """That of a matrix of rows among each other; positions of rows have none."""
    values = np.asarray(matrix)
    return np.diagonal(values) if values.ndim == 2 else np.asarray(np.nan)


def _largest(matrix: Any) -> float:
    values = without_repeats(np.asarray(matrix))
    if values.dtype == np.float32 or values.dtype.kind not in "fiu":
        return 0.0
    return float(max(values.max(initial=0.0), -values.min(initial=0.0)))
