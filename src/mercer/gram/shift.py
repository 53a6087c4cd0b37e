"""Rows measured from a point among them, where that changes nothing but their rounding.

Rows far from the origin have inner products that are large and differ little. With coefficients
that add up to zero those of x - m do as well:

    sum_j c_j x_j'x = sum_j c_j (x_j - m)'(x - m) + sum_j c_j (x_j - m)'m,

so that the machine is the same except for its bias
(docs/theory/rounding.md#rows-far-from-the-origin). What rounding leaves of the sum of the
coefficients is taken as zero.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from mercer.gram.native import is_of_distances, take_rows
from mercer.kernels import form as shapes
from mercer.kernels.rows import is_sparse
from mercer.problem.error_free import long_product

__all__ = [
    "FAR",
    "balanced",
    "moved",
    "shift_error",
    "shift_of_far_rows",
    "shift_of_products",
    "shift_offset",
]

FloatArray = NDArray[np.float64]

# Mean square of the rows next to that of their differences from the mean: where it is larger more
# than five of sixteen digits are lost.
FAR = 2.0**16
_FULL = 0.5  # share of the entries that are not zero, for rows to be no longer sparse


def shift_of_far_rows(
    form: shapes.Form, rows: Any, weight: FloatArray | None = None, far: float = FAR
) -> FloatArray | None:
    """The mean of rows that are far from the origin, if a kernel may measure from there.

    None for rows that lose few digits, and for kernels whose values change by more than a
    function of each row. A feature moves only if no difference from its mean is rounded: if the
    largest of its values is at most twice the smallest (Sterbenz' lemma). The mean of others is 0.
    Rows of weight 0 are ignored.
    """
    if not _is_far_kind(rows) or not _linear_factors(form):
        return None
    if weight is not None and not weight.all():
        rows = take_rows(rows, np.flatnonzero(weight))
    with np.errstate(over="ignore", invalid="ignore"):
        if not is_sparse(rows) and not _are_near(rows[0], rows[len(rows) // 2]):
            return None
        low, mean, high, square = (_sparse_moments if is_sparse(rows) else _moments)(rows)
        small, large = np.minimum(np.abs(low), np.abs(high)), np.maximum(np.abs(low), np.abs(high))
        is_exact = (low * high > 0.0) & (large <= 2.0 * small)
        # the mean of equal numbers may be another one
        mean = np.where(is_exact, np.clip(mean, low, high), 0.0)
        is_far = np.isfinite(square) and square > 0.0 and square - mean @ mean < square / far
    return mean if is_far else None


def shift_of_products(
    form: shapes.Form, rows: Any, weight: FloatArray | None = None, far: float = FAR
) -> FloatArray | None:
    """As :func:`shift_of_far_rows`, for kernels that are an inner product of rows and nothing else.

    Coefficients on some of the rows need not add up to zero; :func:`balanced` makes them.
    """
    return shift_of_far_rows(form, rows, weight, far) if _is_product(form) else None


def balanced(
    form: shapes.Form, rows: Any, coef: FloatArray, intercept: FloatArray, shift: FloatArray
) -> tuple[Any, FloatArray, FloatArray]:
    """Rows, coefficients and bias of ``sum_j c_j k(x_j - m, x - m) + b`` for rows x.

    The shift m is one more row, with the coefficient that makes the sum zero:

        sum_j c_j (x_j - m)'(x - m) = sum_j c_j x_j'x - (sum_j c_j) m'x - sum_j c_j (x_j - m)'m.
    """
    lower = intercept - shift_offset(form, moved(rows, shift), shift, coef)
    if is_sparse(rows):
        rows = sp.vstack([rows, sp.csr_array(shift[None])]).tocsr()
    else:
        rows = np.vstack([rows, shift])
    return rows, np.vstack([coef, -coef.sum(axis=0)]), lower


def moved(rows: Any, shift: FloatArray) -> Any:
    """``rows - shift``, sparse if the rows are and the shift is."""
    if not is_sparse(rows):
        return np.subtract(rows, shift, dtype=np.float64)
    features = np.flatnonzero(shift)
    n, d = rows.shape
    if rows.nnz + n * len(features) >= _FULL * n * d:
        return np.subtract(rows.toarray(), shift, dtype=np.float64)
    data = np.tile(shift[features], n)
    start = np.arange(0, n * len(features) + 1, len(features))
    moves = sp.csr_array((data, np.tile(features, n), start), shape=(n, d))
    return sp.csr_array(rows.astype(np.float64) - moves)


def shift_offset(
    form: shapes.Form, rows: Any, shift: FloatArray, weights: FloatArray
) -> FloatArray:
    """``sum_j weights[j] (x_j - m)'m`` of the linear part of a kernel, for rows x - m.

    Weights of one function or, as columns, of several. The rows lie far away: w has all digits.
    """
    direction = _direction(form, shift)
    transposed = rows.T.tocsr() if is_sparse(rows) else rows.T
    columns = weights.reshape(len(weights), -1).T
    sums = [long_product(transposed, (column, np.zeros_like(column))) for column in columns]
    found = [long_product(direction[None], w)[0][0] for w in sums]
    return np.reshape(found, weights.shape[1:])


def shift_error(form: shapes.Form, rows: Any, shift: FloatArray) -> FloatArray:
    """The change of slopes, up to a constant, by a sum of coefficients off by 1: (x - m)'m."""
    return np.abs(rows @ _direction(form, shift))


def _direction(form: shapes.Form, shift: FloatArray) -> FloatArray:
    """The v with k(x, m) = x'v for the linear part of a kernel."""
    factors = _linear_factors(form)
    assert factors is not None
    return sum(factors) * shift


def _linear_factors(form: shapes.Form, factor: float = 1.0) -> list[float] | None:
    """The factor of every x'z that is added to a kernel of distances.

    None if a shift changes the kernel in another way.
    """
    match form:
        case shapes.Leaf() if form.kind == "linear":
            return [factor]
        case shapes.Leaf() if form.kind == "polynomial" and form.degree == 1:
            return [factor * form.gamma]
        case shapes.Scaled():
            return _linear_factors(form.part, factor * form.factor)
        case shapes.Sum():
            found = [_linear_factors(part, factor) for part in form.parts]
            if any(part is None for part in found):
                return None
            return [part for some in found if some is not None for part in some]
    if form.reads_python or form.reads_stored:
        return None
    return [] if all(is_of_distances(leaf) for leaf in form.leaves) else None


def _is_product(form: shapes.Form) -> bool:
    """Whether a kernel is a factor times x'z."""
    match form:
        case shapes.Leaf():
            is_bilinear = form.kind == "polynomial" and form.degree == 1 and form.coef0 == 0.0
            return form.kind == "linear" or is_bilinear
        case shapes.Scaled():
            return _is_product(form.part)
        case shapes.Sum():
            return all(_is_product(part) for part in form.parts)
    return False


def _is_far_kind(rows: Any) -> bool:
    """Whether these are rows of numbers that are not bytes."""
    if not hasattr(rows, "dtype") or rows.ndim != 2 or not all(rows.shape):
        return False
    return rows.dtype.kind == "f" or (rows.dtype.kind in "iu" and rows.dtype.itemsize > 1)


def _are_near(a: NDArray[Any], b: NDArray[Any]) -> bool:
    """Whether two rows may lie far from the origin together: a look that costs nothing."""
    apart = np.subtract(a, b, dtype=np.float64)
    return not float(apart @ apart) > 0.01 * float(np.square(a, dtype=np.float64).sum())


def _moments(rows: Any) -> tuple[FloatArray, FloatArray, FloatArray, float]:
    """Least, mean and largest value of every feature, and the mean square of the rows."""
    square = float(np.einsum("ij,ij->", rows, rows, dtype=np.float64)) / len(rows)
    low, high = (end.astype(np.float64) for end in (rows.min(axis=0), rows.max(axis=0)))
    return low, rows.mean(axis=0, dtype=np.float64), high, square


def _sparse_moments(rows: Any) -> tuple[FloatArray, FloatArray, FloatArray, float]:
    """The same; 0 for features that some row lacks."""
    csr = rows.tocsr()
    n, d = csr.shape
    values = csr.data.astype(np.float64, copy=False)
    low, mean, high = np.zeros((3, d))
    full = np.flatnonzero(np.bincount(csr.indices, minlength=d) == n)
    if len(full):
        low[full], mean[full], high[full], _ = _moments(csr[:, full].toarray())
    return low, mean, high, float(values @ values) / n
