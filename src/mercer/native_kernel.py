"""Builds the native kernel tree between two sets of rows from a kernel's form."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from mercer import _core
from mercer.kernels import form as shapes

__all__ = [
    "Precision",
    "RowSet",
    "build_kernel",
    "check_finite",
    "count_rows",
    "fixed_rows",
    "is_centred",
    "reads_python",
    "reads_stored",
    "take_rows",
    "too_long",
]

Precision = Literal["single", "double"]
_DENSE_TYPES = (np.float32, np.float64, np.uint8)
_BYTE_TYPES = (np.uint8, np.int8)
# Lengths of rows up to which squares of distances are numbers: |x - z|^2 <= 4 max |x|^2.
_LONGEST = {"single": 9e18, "double": 6e153}
_TRANSFORMED_ROWS = 512  # rows at a time, so that they stay in the cache


def count_rows(rows: Any) -> int:
    """Number of rows of an array, sparse matrix or sequence of objects."""
    return int(rows.shape[0]) if hasattr(rows, "shape") else len(rows)


def check_finite(rows: Any) -> None:
    """Refuse rows with NaN or infinity; a sum tells, and is looked into only if it is neither."""
    values = rows.tocsr().data if sp.issparse(rows) else np.asarray(rows)
    if values.dtype.kind != "f":
        return
    with np.errstate(over="ignore", invalid="ignore"):
        total = values.sum()
    if np.isfinite(total) or np.isfinite(values).all():
        return
    worst = values[~np.isfinite(values)][0]
    raise ValueError(f"X must be finite, got {worst}")


def take_rows(rows: Any, index: NDArray[np.intp]) -> Any:
    """The rows ``index``, whatever they are."""
    if sp.issparse(rows):
        return rows.tocsr()[index]
    if hasattr(rows, "shape"):
        return rows[index]
    return [rows[i] for i in index]


class RowSet:
    """Rows in the packed forms the leaves of a kernel ask for, each made once.

    Parameters
    ----------
    rows : array, sparse matrix or sequence of objects
        The rows as the user has them; dense float32, float64, uint8 and int8 arrays that
        are C-contiguous are read in place.
    precision : {"single", "double"}
        Precision of the packed copy.
    shift : ndarray of shape (n_features,), default=None
        Subtracted from dense rows where the kernel does not change with the origin: small
        distances between rows far from it would drown in rounding.
    store_sparse : bool, default=False
        Whether dense rows are packed without their zeros; sparse ones always are.
    """

    def __init__(
        self,
        rows: Any,
        precision: Precision,
        shift: NDArray[np.float64] | None = None,
        store_sparse: bool = False,
    ) -> None:
        self.rows = rows
        self.precision = precision
        self.shift = shift
        self.store_sparse = store_sparse or sp.issparse(rows)
        self._packed: dict[Any, Any] = {}

    def __len__(self) -> int:
        return count_rows(self.rows)

    def like(self, rows: Any) -> RowSet:
        """Other rows, packed as these are."""
        if sp.issparse(rows) and not self.store_sparse:
            rows = rows.toarray()
        return RowSet(rows, self.precision, self.shift, self.store_sparse)

    @property
    def byte_type(self) -> np.dtype[Any] | None:
        """The type of rows that may stay bytes: their inner products are exact in integers."""
        if self.store_sparse or getattr(self.rows, "dtype", None) not in _BYTE_TYPES:
            return None
        is_exact = self.rows.ndim == 2 and self.rows.shape[1] <= _core.most_byte_features
        return self.rows.dtype if is_exact else None

    def packed_bytes(self) -> Any:
        """The rows packed as the bytes they are."""
        if "bytes" not in self._packed:
            self._packed["bytes"] = _core.byte_rows(np.ascontiguousarray(self.rows))
        return self._packed["bytes"]

    def packed(self, transform: NDArray[np.float64] | None, centred: bool) -> Any:
        """The rows after ``transform``, packed."""
        key = (id(transform), centred)
        if key not in self._packed:
            rows = self.rows if hasattr(self.rows, "shape") else np.asarray(self.rows)
            if transform is not None and rows.shape[1:] != transform.shape[:1]:
                raise ValueError(
                    f"the kernel is for {len(transform)} features, "
                    f"but the rows have shape {rows.shape}"
                )
            scale, store_sparse = transform, self.store_sparse
            shift = self.shift if centred else None
            if transform is not None and transform.ndim == 2:
                rows, scale, store_sparse = _transformed(rows, transform), None, False
                shift = None if shift is None else shift @ transform
            self._packed[key] = self._pack(rows, shift, scale, store_sparse)
        return self._packed[key]

    def lengths(self) -> NDArray[np.float64] | None:
        """Length of each row as it is packed, the longest of several; None if none is packed."""
        packed = [rows for key, rows in self._packed.items() if key != "bytes"]
        if not packed:
            return None
        return np.sqrt(np.max([rows.squared_norms() for rows in packed], axis=0))

    def _pack(
        self,
        rows: Any,
        shift: NDArray[np.float64] | None,
        scale: NDArray[np.float64] | None,
        store_sparse: bool,
    ) -> Any:
        if sp.issparse(rows):
            csr = _canonical(rows)
            pack = getattr(_core, f"sparse_rows_{self.precision}")
            return pack(csr.indptr, csr.indices, csr.data, csr.shape[1], scale)
        dense = np.asarray(rows)
        if dense.ndim != 2:
            raise ValueError(f"X must be two-dimensional (rows, features), got {dense.shape}")
        if dense.dtype not in _DENSE_TYPES:
            dense = dense.astype(np.float64)
        pack = getattr(_core, f"dense_rows_{self.precision}")
        return pack(np.ascontiguousarray(dense), shift, scale, store_sparse)


def fixed_rows(rows: Any, precision: Precision, form: shapes.Form) -> RowSet:
    """Rows that stay while others come and go, packed in the way that suits them."""
    if reads_stored(form):
        return RowSet(rows, precision)
    if _is_mostly_zero(rows, precision, form):
        return RowSet(rows, precision, store_sparse=True)
    return RowSet(rows, precision, _row_shift(rows, precision))


# With fewer entries that are not zero the sparse micro-kernel is faster than the dense one.
_DENSE_SHARE = 0.3
_DOUBLE_BYTE_SHARE = 0.15  # the dense one of bytes loses nothing to double precision
_FEW_FEATURES = 32  # so few are not worth a look
_SAMPLE = 512


def _dense_share(rows: Any, precision: Precision, form: shapes.Form) -> float:
    if precision == "single" or not isinstance(form, shapes.Leaf):
        return _DENSE_SHARE
    given = RowSet(rows, precision)
    return _DOUBLE_BYTE_SHARE if _takes_bytes(form, given, given) else _DENSE_SHARE


def _is_mostly_zero(rows: Any, precision: Precision, form: shapes.Form) -> bool:
    """Whether dense rows are better packed without their zeros; a sample of them tells."""
    if not _is_numeric(rows) or rows.shape[1] < _FEW_FEATURES:
        return False
    some = _some(rows, _SAMPLE)
    share = _dense_share(rows, precision, form)
    return bool(np.count_nonzero(some) < share * some.size)


def _is_numeric(rows: Any) -> bool:
    """Whether the rows are a dense matrix of numbers."""
    if sp.issparse(rows) or not hasattr(rows, "dtype") or rows.dtype.kind not in "fiub":
        return False
    return rows.ndim == 2 and rows.size > 0


def _row_shift(rows: Any, precision: Precision) -> NDArray[np.float64] | None:
    """The origin that limits rounding of distances: about the mean of dense numeric rows.

    Double precision needs it only if the rows lie far from the origin for their spread.
    """
    if not _is_numeric(rows):
        return None
    if precision == "double":
        few = _some(rows, 64).astype(np.float64, copy=False)
        low, high = few.min(axis=0), few.max(axis=0)
        if max(high.max(), -low.min()) <= 1e3 * float((high - low).max()):
            return None
    return np.asarray(_some(rows, 2048).mean(axis=0, dtype=np.float64))


def _some(rows: Any, count: int) -> Any:
    """About as many rows, from everywhere, where they lie."""
    return rows[:: max(len(rows) // count, 1)]


def _transformed(rows: Any, transform: NDArray[np.float64]) -> NDArray[np.float64]:
    """``rows @ transform``, each row summed in the same order whatever rows it comes with.

    BLAS does not promise that, and a prediction must not depend on the batch.
    """
    if sp.issparse(rows):
        return np.asarray(rows @ transform)
    out = np.zeros((len(rows), transform.shape[1]))
    for start in range(0, len(rows), _TRANSFORMED_ROWS):
        part = slice(start, start + _TRANSFORMED_ROWS)
        for column, weights in zip(np.asarray(rows[part]).T, transform, strict=True):
            out[part] += np.multiply.outer(column, weights)
    return out


def _canonical(rows: Any) -> Any:
    """CSR with ascending distinct columns, float values and indices of one width."""
    csr = rows.tocsr()
    if not csr.has_canonical_format:
        csr = csr.copy()
        csr.sum_duplicates()
    if csr.data.dtype not in (np.float32, np.float64):
        csr = csr.astype(np.float64)
    if csr.indptr.dtype != csr.indices.dtype:
        csr = csr.copy()
        csr.indptr = csr.indptr.astype(np.int64)
        csr.indices = csr.indices.astype(np.int64)
    return csr


def build_kernel(form: shapes.Form, left: RowSet, right: RowSet) -> Any:
    """The native kernel with values between the rows ``left`` and ``right``.

    For a stored matrix the right rows are kernel values against the left ones.
    """
    make = _maker(left.precision)
    match form:
        case shapes.Leaf():
            parameters = form.kind, form.gamma, form.coef0, form.degree
            if _takes_bytes(form, left, right):
                return make("byte_leaf")(*parameters, left.packed_bytes(), right.packed_bytes())
            centred = is_centred(form, left)
            pair = (left.packed(form.transform, centred), right.packed(form.transform, centred))
            return make("leaf")(*parameters, *pair)
        case shapes.Constant():
            return make("constant")(form.value, len(left), len(right))
        case shapes.Sum():
            return make("sum")([build_kernel(part, left, right) for part in form.parts])
        case shapes.Product():
            return make("product")([build_kernel(part, left, right) for part in form.parts])
        case shapes.Scaled():
            factor = make("constant")(form.factor, len(left), len(right))
            return make("product")([build_kernel(form.part, left, right), factor])
        case shapes.Normalized():
            if left is not right and reads_stored(form.part):
                raise ValueError(
                    "a normalized precomputed kernel is known for the training rows only: "
                    "normalize the matrices instead"
                )
            return make("normalized")(build_kernel(form.part, left, right))
        case shapes.Opaque():
            return _opaque(form, left, right)
        case shapes.Stored():
            return _stored(left, right)


def is_centred(form: shapes.Leaf, rows: RowSet) -> bool:
    """Whether the packed rows of a kernel are shifted, if there is a shift."""
    return form.kind in ("gaussian", "laplacian") and not rows.store_sparse


def _takes_bytes(form: shapes.Leaf, left: RowSet, right: RowSet) -> bool:
    """Whether a kernel of inner products meets rows of bytes on both sides."""
    if form.transform is not None or form.kind == "laplacian":
        return False
    return left.byte_type is not None and left.byte_type == right.byte_type


def reads_stored(form: shapes.Form) -> bool:
    """Whether the kernel reads a stored matrix instead of rows."""
    return _any_leaf(form, shapes.Stored)


def reads_python(form: shapes.Form) -> bool:
    """Whether a Python function has to be asked for values."""
    return _any_leaf(form, shapes.Opaque)


def too_long(rows: RowSet, form: shapes.Form) -> NDArray[np.intp]:
    """The rows, once packed, whose squared distances to others the precision cannot hold."""
    lengths = rows.lengths() if _any_leaf(form, shapes.Leaf, "gaussian") else None
    if lengths is None:
        return np.empty(0, dtype=np.intp)
    return np.flatnonzero(~(lengths < _LONGEST[rows.precision]))


def _any_leaf(form: shapes.Form, kind: type, name: str | None = None) -> bool:
    match form:
        case shapes.Sum() | shapes.Product():
            return any(_any_leaf(part, kind, name) for part in form.parts)
        case shapes.Scaled() | shapes.Normalized():
            return _any_leaf(form.part, kind, name)
    return isinstance(form, kind) and name in (None, getattr(form, "kind", None))


def _maker(precision: Precision) -> Callable[[str], Any]:
    return lambda stem: getattr(_core, f"{stem}_{precision}")


def _opaque(form: shapes.Opaque, left: RowSet, right: RowSet) -> Any:
    def block(i: NDArray[np.intp], j: NDArray[np.intp]) -> NDArray[np.float64]:
        # New rows come first, as scikit-learn calls kernel functions.
        values = form.block(take_rows(right.rows, j), take_rows(left.rows, i))
        return np.ascontiguousarray(values.T, dtype=np.float64)

    diagonals = [_opaque_diagonal(form, left)]
    diagonals.append(diagonals[0] if right is left else _opaque_diagonal(form, right))
    return _maker(left.precision)("opaque")(block, *diagonals)


def _opaque_diagonal(form: shapes.Opaque, rows: RowSet) -> Sequence[float]:
    if form.diagonal is not None:
        return np.asarray(form.diagonal(rows.rows), dtype=np.float64).tolist()
    one = np.arange(1)
    return [
        float(np.asarray(form.block(x, x)).item())
        for x in (take_rows(rows.rows, one + i) for i in range(len(rows)))
    ]


def _stored(left: RowSet, right: RowSet) -> Any:
    if sp.issparse(right.rows):
        raise TypeError("a precomputed kernel needs a dense matrix, got a sparse one")
    matrix = np.asarray(right.rows)
    if matrix.dtype not in (np.float32, np.float64):
        matrix = matrix.astype(np.float64)
    square = right is left
    if square and (matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]):
        raise ValueError(f"a precomputed kernel needs a square matrix, got shape {matrix.shape}")
    diagonal = np.diagonal(matrix).tolist() if square else []
    return _maker(left.precision)("stored")(matrix, square, diagonal, diagonal)
