"""Builds the native kernel tree between two sets of rows from a kernel's form."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer import _core
from mercer.gram.core_types import KERNEL_TYPES, CoreKernel
from mercer.gram.heavy_features import split_rows
from mercer.gram.rows import Precision, RowSet, check_finite, count_rows, take_rows
from mercer.kernels import form as shapes
from mercer.kernels.rows import is_plain, is_sparse

__all__ = [
    "MOST_SPREAD",
    "Precision",
    "RowSet",
    "build_kernel",
    "check_finite",
    "count_rows",
    "distance_packing",
    "fixed_rows",
    "is_centred",
    "is_of_distances",
    "spread",
    "take_rows",
    "takes_bytes",
]


def fixed_rows(rows: Any, precision: Precision, form: shapes.Form) -> RowSet:
    """Rows that stay while others come and go, packed in the way that suits them.

    A shift does not change distances, their rounding does: single precision always moves
    dense rows to their mean, else rows are moved where that is needed, sparse ones only if they
    are hardly sparse.
    """
    if form.reads_stored:
        return RowSet(rows, precision)
    is_numeric = _is_numeric(rows)
    if is_numeric and _is_mostly_zero(rows, precision, form):
        return RowSet(rows, precision, store_sparse=True)
    if precision == "single" and is_numeric:
        return RowSet(rows, precision, _mean(rows))
    plain = RowSet(rows, precision)
    if not _needs_differences(plain, form):
        return plain
    if is_sparse(rows):
        if rows.nnz < _DENSE_SHARE * rows.shape[0] * rows.shape[1]:
            return plain
        rows = rows.toarray()
    return RowSet(rows, precision, _mean(rows)) if _is_numeric(rows) else plain


def _needs_differences(rows: RowSet, form: shapes.Form) -> bool:
    for leaf in form.leaves:
        if not takes_bytes(leaf, rows, rows) and distance_packing(leaf, rows)[1]:
            return True
    return False


# With fewer entries that are not zero the sparse micro-kernel is faster than the dense one.
_DENSE_SHARE = 0.3
_DOUBLE_BYTE_SHARE = 0.15  # the dense one of bytes loses nothing to double precision
_FEW_FEATURES = 32  # so few are not worth a look
_SAMPLE, _MEAN_ROWS = 512, 2048
_SAMPLE_ENTRIES, _LEAST_SAMPLE = 2**16, 64  # of wide rows fewer will do


def _dense_share(rows: Any, precision: Precision, form: shapes.Form) -> float:
    if precision == "single" or not isinstance(form, shapes.Leaf):
        return _DENSE_SHARE
    given = RowSet(rows, precision)
    return _DOUBLE_BYTE_SHARE if takes_bytes(form, given, given) else _DENSE_SHARE


def _is_mostly_zero(rows: Any, precision: Precision, form: shapes.Form) -> bool:
    """Whether dense rows are better packed without their zeros; a sample of them tells."""
    if rows.shape[1] < _FEW_FEATURES:
        return False
    some = _some(rows, max(min(_SAMPLE, _SAMPLE_ENTRIES // rows.shape[1]), _LEAST_SAMPLE))
    share = _dense_share(rows, precision, form)
    # a comparison is done in vectors, numpy's search for zeros is not
    return bool(np.count_nonzero(some != 0) < share * some.size)


def _is_numeric(rows: Any) -> bool:
    """Whether the rows are a dense matrix of numbers."""
    if is_sparse(rows) or not hasattr(rows, "dtype") or rows.dtype.kind not in "fiub":
        return False
    return rows.ndim == 2 and rows.size > 0


def _mean(rows: Any) -> NDArray[np.float64]:
    """Mean of an evenly spaced sample of the rows."""
    if is_plain(rows):
        return _core.mean_row(rows, max(len(rows) // _MEAN_ROWS, 1))
    return np.asarray(_some(rows, _MEAN_ROWS).mean(axis=0, dtype=np.float64))


def _some(rows: Any, count: int) -> Any:
    """A view of about ``count`` evenly spaced rows."""
    return rows[:: max(len(rows) // count, 1)]


def build_kernel(form: shapes.Form, left: RowSet, right: RowSet) -> CoreKernel:
    """The native kernel with values between the rows ``left`` and ``right``.

    For a stored matrix the right rows are kernel values against the left ones.
    """
    core = KERNEL_TYPES[left.precision]
    match form:
        case shapes.Leaf():
            parameters = form.kind, form.gamma, form.coef0, form.degree
            if takes_bytes(form, left, right):
                return core.byte_leaf(*parameters, left.packed_bytes(), right.packed_bytes())
            centred, by_differences = distance_packing(form, left)
            is_mapped = form.transform is not None and form.transform.ndim == 2
            if by_differences and left.store_sparse and not is_mapped:
                return _sparse_leaf(form, left, right)
            pair = (left.packed(form.transform, centred), right.packed(form.transform, centred))
            return core.leaf(*parameters, *pair, by_differences)
        case shapes.Constant():
            return core.constant(form.value, len(left), len(right))
        case shapes.Sum():
            return core.sum(_kernels(form.parts, left, right))
        case shapes.Product():
            return core.product(_kernels(form.parts, left, right))
        case shapes.Scaled():
            factor = shapes.Constant(form.factor)
            return core.product(_kernels([form.part, factor], left, right))
        case shapes.Normalized():
            if left is not right and form.part.reads_stored:
                raise ValueError(
                    "a normalized precomputed kernel is known for the training rows only: "
                    "normalize the matrices instead"
                )
            return core.normalized(*_kernels([form.part], left, right))
        case shapes.Opaque():
            return _opaque(form, left, right)
        case shapes.Stored():
            return _stored(left, right)


def _kernels(forms: Iterable[shapes.Form], left: RowSet, right: RowSet) -> list[Any]:
    """Kernels of the one precision that the rows have."""
    return [build_kernel(form, left, right) for form in forms]


def _sparse_leaf(form: shapes.Leaf, left: RowSet, right: RowSet) -> CoreKernel:
    """A kernel of distances by differences, of heavy features only if these are few.

    Heavy and light features are then kernels of their own, whose product an exponential is.
    """
    core, scale = KERNEL_TYPES[left.precision], form.transform
    parameters = form.kind, form.gamma, form.coef0, form.degree
    key = _key(form)
    if key not in left.splits:
        can_split = form.kind in shapes.EXPONENTIALS
        limit = MOST_SPREAD[left.precision]
        left.splits[key] = split_rows(form, left, limit) if can_split else None
    split = left.splits[key]
    if split is None:
        pair = left.packed(scale, False), right.packed(scale, False)
        return core.leaf(*parameters, *pair, True)
    other = split if right is left else split.like(right)
    few = (
        split.heavy.packed(split.heavy_scale, False),
        other.heavy.packed(split.heavy_scale, False),
    )
    rest = (split.light.packed(scale, False), other.light.packed(scale, False))
    heavy: Any = core.leaf(*parameters, *few, True)
    light: Any = core.leaf(*parameters, *rest, False)
    return core.product([heavy, light])


def is_centred(form: shapes.Leaf, rows: RowSet) -> bool:
    """Whether a kernel allows for a shift of these rows."""
    return is_of_distances(form) and not rows.store_sparse


def is_of_distances(form: shapes.Leaf) -> bool:
    """Whether the kernel depends on differences of rows only."""
    return shapes.COMPUTED_FROM[form.kind] != "products"


def _key(form: shapes.Leaf) -> tuple[str, float, int]:
    """What is kept for a leaf is found by this: ``RowSet.packed`` keeps the transform, and so the
    id, alive."""
    return form.kind, form.gamma, id(form.transform)


# Of gamma |x|^2 or gamma |x|_1, x being the longest of the rows. Exponents from norms and inner
# products are off by up to 4 times that many roundings: kernel values by 6e-5 in single precision
# and 2e-12 in double. Rows farther out have no larger error: beyond twice the distance kernel
# values shrink faster than the error grows.
MOST_SPREAD: dict[Precision, float] = {"single": 2.0**8, "double": 2.0**12}


def spread(form: shapes.Leaf, rows: RowSet) -> float:
    """``gamma |x|^2``, or ``gamma |x|_1``, of the longest row x, or a bound of it."""
    key = _key(form)
    if key not in rows.spreads:
        packed = rows.packed(form.transform, not rows.store_sparse)
        square = packed.largest_norm()
        is_square = shapes.COMPUTED_FROM[form.kind] == "squares"
        # |x|_1 <= sqrt(d) |x|
        length = square if is_square else float(np.sqrt(packed.longest * square))
        rows.spreads[key] = form.gamma * length
    return rows.spreads[key]


def distance_packing(form: shapes.Leaf, fixed: RowSet) -> tuple[bool, bool]:
    """Whether rows are shifted, and whether distances from the fixed ones go by differences.

    Other rows are ignored: a prediction must not depend on the batch.
    """
    if not is_of_distances(form):
        return False, False
    key = _key(form)
    if key in fixed.packings:
        return fixed.packings[key]
    centred = not fixed.store_sparse
    # Dense rows have their absolute differences taken one by one anyway.
    are_squares = shapes.COMPUTED_FROM[form.kind] == "squares"
    may_cancel = are_squares or fixed.store_sparse
    # `not <=` also catches NaN: gamma times a norm may overflow.
    by_differences = may_cancel and not spread(form, fixed) <= MOST_SPREAD[fixed.precision]
    if centred and fixed.precision == "double" and (by_differences or not are_squares):
        # Differences of doubles are as exact as they are; a shift rounds rows near the origin.
        if fixed.shift is not None:
            fixed.unpack(form.transform, centred)
        centred = False
    fixed.packings[key] = centred, by_differences
    return centred, by_differences


def takes_bytes(form: shapes.Leaf, left: RowSet, right: RowSet) -> bool:
    """Whether a kernel of inner products, or of squares, meets rows of bytes on both sides."""
    if form.transform is not None or shapes.COMPUTED_FROM[form.kind] == "absolute differences":
        return False
    return left.byte_type is not None and left.byte_type == right.byte_type


def _opaque(form: shapes.Opaque, left: RowSet, right: RowSet) -> CoreKernel:
    def block(i: NDArray[np.intp], j: NDArray[np.intp]) -> NDArray[np.float64]:
        # New rows come first, as scikit-learn calls kernel functions.
        values = form.block(take_rows(right.rows, j), take_rows(left.rows, i))
        return np.ascontiguousarray(values.T, dtype=np.float64)

    diagonals = [_opaque_diagonal(form, left)]
    diagonals.append(diagonals[0] if right is left else _opaque_diagonal(form, right))
    return KERNEL_TYPES[left.precision].opaque(block, *diagonals)


def _opaque_diagonal(form: shapes.Opaque, rows: RowSet) -> Sequence[float]:
    if form.diagonal is not None:
        return np.asarray(form.diagonal(rows.rows), dtype=np.float64).tolist()
    one = np.arange(1)
    return [
        float(np.asarray(form.block(x, x)).item())
        for x in (take_rows(rows.rows, one + i) for i in range(len(rows)))
    ]


def _stored(left: RowSet, right: RowSet) -> CoreKernel:
    if is_sparse(right.rows):
        raise TypeError("a precomputed kernel needs a dense matrix, got a sparse one")
    matrix = np.asarray(right.rows)
    if matrix.dtype not in (np.float32, np.float64):
        matrix = matrix.astype(np.float64)
    square = right is left
    if square and (matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]):
        raise ValueError(f"a precomputed kernel needs a square matrix, got shape {matrix.shape}")
    diagonal = np.diagonal(matrix).tolist() if square else []
    return KERNEL_TYPES[left.precision].stored(matrix, square, diagonal, diagonal)
