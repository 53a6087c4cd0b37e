"""Kernel values on demand: the matrix of one set of rows, and expansions over it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from itertools import pairwise
from operator import index as as_integer
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse

from mercer import _core
from mercer._memory import available_bytes, require_memory
from mercer._threads import resolve_threads
from mercer.kernels import Kernel
from mercer.kernels.form import Leaf
from mercer.native_kernel import (
    Precision,
    RowSet,
    build_kernel,
    check_finite,
    count_rows,
    fixed_rows,
    reads_python,
    reads_stored,
    take_rows,
)

__all__ = ["Expansion", "Gram"]

FloatArray = NDArray[np.float64]
_SMALL = 3000  # rows up to which kernel values are kept in double precision by default
_PREDICTION_ROWS = 8192
_SMALL_CACHE = 2**24  # bytes that every machine has


class Gram:
    """The kernel matrix of a set of rows, computed as it is asked for.

    One Gram serves every problem on its rows: every C, class against class, fold and
    step of a path. It may be shared between threads.

    Parameters
    ----------
    kernel : Kernel
        The kernel, with all its parameters numbers.
    X : array, sparse matrix or sequence of shape (n_rows, ...)
        The rows; for a precomputed kernel the matrix itself.
    cache_size : float or "auto", default="auto"
        Memory for kernel rows in MB; "auto" takes up to a quarter of what is available.
    precision : {"auto", "single", "double"}, default="auto"
        Precision of the kernel values; "auto" is single from 3,000 rows on.
    n_threads : int, default=None
        Number of threads; None means ``OMP_NUM_THREADS`` or all CPUs.
    segments : array-like of int, default=None
        Ascending offsets ``0, ..., n_rows`` that cut kernel rows into segments cached
        one by one; a problem on some of the rows (class against class) asks for its
        segments only.
    """

    def __init__(
        self,
        kernel: Kernel,
        X: Any,
        *,
        cache_size: float | Literal["auto"] = "auto",
        precision: Literal["auto", "single", "double"] = "auto",
        n_threads: int | None = None,
        segments: ArrayLike | None = None,
    ) -> None:
        if not isinstance(kernel, Kernel):
            raise TypeError(f"kernel must be a Kernel, got {kernel!r}")
        self.kernel = kernel
        self.n_rows = count_rows(X)
        if not reads_python(kernel.form()):
            check_finite(X)
        self.n_threads = resolve_threads(n_threads)
        self.precision: Precision = _resolve_precision(precision, self.n_rows)
        self.precision_is_given = precision != "auto"
        self.cache_bytes = _cache_bytes(cache_size, self.n_rows, self.precision)
        self._segments = _check_segments(segments, self.n_rows)
        self._rows = X
        self._native: dict[str, Any] = {}
        self._row_sets: dict[str, RowSet] = {}
        self._lengths: FloatArray | None = None
        self._lock = threading.Lock()

    @property
    def is_positive_definite(self) -> bool:
        """Whether the kernel matrix is positive semi-definite for sure."""
        return bool(self.kernel.is_positive_definite)

    def native(self, precision: Precision | None = None) -> Any:
        """The native matrix in the given precision, made when first asked for."""
        precision = precision or self.precision
        if precision in self._native:
            return self._native[precision]
        if precision not in ("single", "double"):
            raise ValueError(f"precision must be 'single', 'double' or None, got {precision!r}")
        with self._lock:
            if precision not in self._native:
                self._native[precision] = self._build(precision)
        return self._native[precision]

    @contextmanager
    def visit(self, count: int = 1) -> Iterator[None]:
        """For one of several callers who work at the same time.

        As long as there are as many of them as threads, each works on its own thread only.
        ``count`` is 1 more than the number of callers who are at work on other Grams.
        """
        single, double = self.native("single"), self.native("double")
        visits = _core.Visitsingle(single, count), _core.Visitdouble(double, count)
        try:
            yield
        finally:
            for visit in visits:
                visit.leave()

    def _build(self, precision: Precision) -> Any:
        form = self.kernel.form()
        rows = fixed_rows(self._rows, precision, form)
        kernel = build_kernel(form, rows, rows)
        self._row_sets[precision] = rows
        make = getattr(_core, f"Gram{precision}")
        return make(kernel, self._segments, self.cache_bytes, self.n_threads)

    def reordered(self, order: ArrayLike, *, cache_size: float | None = None) -> Gram:
        """A Gram of some of the rows, in the given order, with an empty cache of its own.

        ``cache_size`` in MB; None means as much as this one has.
        """
        rows = _indices("order", order, self.n_rows)
        kept = take_rows(self._rows, rows)
        if reads_stored(self.kernel.form()):
            kept = kept[:, rows]
        return Gram(
            self.kernel,
            kept,
            cache_size=self.cache_bytes / 2**20 if cache_size is None else cache_size,
            precision=self.precision,
            n_threads=self.n_threads,
        )

    def features(self) -> Any:
        """The rows, an array or CSR matrix of doubles, if the kernel is their inner product.

        None for every other kernel.
        """
        form = self.kernel.form()
        if not (isinstance(form, Leaf) and form.kind == "linear" and form.transform is None):
            return None
        if issparse(self._rows):
            return self._rows.tocsr().astype(np.float64, copy=False)
        return np.asarray(self._rows, dtype=np.float64)

    def diagonal(self, *, precision: Precision | None = None) -> FloatArray:
        """``k(x, x)`` of every row."""
        return self.native(precision).diagonal()

    def lengths(self) -> FloatArray | None:
        """How long each row is, from where the core measures distances; None if it knows none.

        Of kernels made of several that of the longest.
        """
        if self._lengths is None and self._row_sets:
            self._lengths = next(iter(self._row_sets.values())).lengths()
        return self._lengths

    def row(self, i: int) -> NDArray[Any]:
        """Kernel values of row ``i`` against all rows; cached."""
        if not 0 <= as_integer(i) < self.n_rows:
            raise IndexError(f"row must lie in 0..{self.n_rows - 1}, got {i}")
        return self.native().row(as_integer(i))

    def block(
        self, rows: ArrayLike, columns: ArrayLike, *, precision: Precision | None = None
    ) -> NDArray[Any]:
        """Kernel values of some rows against some others; not cached."""
        left = _indices("rows", rows, self.n_rows)
        right = _indices("columns", columns, self.n_rows)
        require_memory(
            (4.0 if (precision or self.precision) == "single" else 8.0) * len(left) * len(right),
            f"a block of {len(left)} x {len(right)} kernel values",
            "ask for fewer rows at a time, or for products",
        )
        return self.native(precision).block(left, right)

    def product(
        self,
        columns: ArrayLike | None,
        weights: ArrayLike,
        *,
        rows: ArrayLike | None = None,
        precision: Precision | None = None,
    ) -> FloatArray:
        """``K[rows, columns] @ weights`` without storing kernel values.

        ``None`` means all rows, or columns. The result has the shape of ``weights`` but for
        its first axis.
        """
        w = np.ascontiguousarray(weights, dtype=np.float64)
        n = self.n_rows
        index = np.arange(n) if columns is None else _indices("columns", columns, n)
        if w.ndim not in (1, 2) or len(w) != len(index):
            raise ValueError(f"weights must have {len(index)} rows, got shape {w.shape}")
        wanted = None if rows is None else _indices("rows", rows, n)
        out = self.native(precision).product(index, w if w.ndim == 2 else w[:, None], wanted)
        return out[0] if w.ndim == 1 else out.T

    def expand(self, index: NDArray[np.intp], coef: FloatArray) -> FloatArray:
        """Values ``sum_j coef[j] k(index[j], index[i])`` of variables on the rows ``index``.

        In double precision. Entries of ``index`` may repeat; all arrays are contiguous.
        """
        return self.native("double").expand(coef, index)

    @property
    def n_evaluations(self) -> int:
        """Kernel values computed so far."""
        total = 0
        for native in self._native.values():
            total += native.n_evaluations
        return total

    @property
    def hit_rate(self) -> float:
        """Share of the row requests that the cache answered."""
        hits = sum(native.n_hits for native in self._native.values())
        misses = sum(native.n_misses for native in self._native.values())
        return hits / (hits + misses) if hits + misses else 0.0


class Expansion:
    """Functions ``f_c(x) = sum_j weights[j, c] k(rows[j], x)``, evaluated in blocks.

    The value at a row does not depend on which other rows it is evaluated with, nor on
    the number of threads.

    Parameters
    ----------
    kernel : Kernel
        The kernel.
    rows : array, sparse matrix or sequence of shape (n_rows, ...)
        The rows expanded over. For a precomputed kernel: the integer positions of these
        rows among the columns of what :meth:`evaluate` is given.
    weights : array-like of shape (n_rows, n_functions)
        Coefficients.
    parts : array-like of int, default=None
        Ascending offsets ``0, ..., n_rows`` that cut the sum into parts, given one by one.
    """

    def __init__(
        self,
        kernel: Kernel,
        rows: Any,
        weights: ArrayLike,
        *,
        parts: ArrayLike | None = None,
        precision: Precision = "double",
        n_threads: int | None = None,
    ) -> None:
        self.kernel, self.rows = kernel, rows
        self.form = kernel.form()
        self.weights = np.ascontiguousarray(weights, dtype=np.float64)
        self.precision: Precision = precision
        self.n_threads = resolve_threads(n_threads)
        self._is_stored = reads_stored(self.form)
        self._columns = np.asarray(rows) if self._is_stored else np.arange(count_rows(rows))
        if self.weights.ndim != 2 or len(self.weights) != len(self._columns):
            raise ValueError(
                f"weights must have shape ({len(self._columns)}, n_functions), "
                f"got {self.weights.shape}"
            )
        cuts = [0, len(self._columns)] if parts is None else np.asarray(parts).tolist()
        self.parts = [slice(*cut) for cut in pairwise(cuts)]

    @cached_property
    def left(self) -> RowSet:
        """The rows expanded over, packed."""
        return fixed_rows(self.rows, self.precision, self.form)

    def evaluate(self, X: Any) -> FloatArray:
        """Values at the rows of ``X``: shape (n_parts, n_rows, n_functions)."""
        n = count_rows(X)
        out = np.empty((len(self.parts), n, self.weights.shape[1]))
        for start in range(0, n, _PREDICTION_ROWS):
            rows = take_rows(X, np.arange(start, min(start + _PREDICTION_ROWS, n)))
            block = slice(start, start + _PREDICTION_ROWS)
            for k, values in enumerate(self.part_values(self._kernel_against(rows))):
                out[k, block] = values.T
        return out

    def part_values(self, kernel: Any) -> Iterator[FloatArray]:
        """Values of each part, shape (n_functions, n_rows), by the native kernel."""
        product = getattr(_core, f"cross_product_{self.precision}")
        for part in self.parts:
            yield product(kernel, self._columns[part], self.weights[part], self.n_threads)

    def _kernel_against(self, rows: Any) -> Any:
        if self._is_stored:
            left = RowSet(np.asarray(rows).T, self.precision)
            return build_kernel(self.form, left, RowSet(rows, self.precision))
        return build_kernel(self.form, self.left, self.left.like(rows))


def _indices(name: str, values: ArrayLike, n_rows: int) -> NDArray[np.int64]:
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


def _resolve_precision(precision: str, n_rows: int) -> Precision:
    if precision not in ("auto", "single", "double"):
        raise ValueError(f"precision must be 'auto', 'single' or 'double', got {precision!r}")
    if precision == "auto":
        return "double" if n_rows < _SMALL else "single"
    return precision  # type: ignore[return-value]


def _cache_bytes(cache_size: float | str, n_rows: int, precision: Precision) -> int:
    whole = n_rows * n_rows * (4 if precision == "single" else 8)
    if cache_size == "auto":
        return whole if whole <= _SMALL_CACHE else min(whole, available_bytes() // 4)
    if isinstance(cache_size, str) or not cache_size > 0:
        raise ValueError(
            f"cache_size must be a positive number of MB or 'auto', got {cache_size!r}"
        )
    return int(min(whole, cache_size * 2**20))


def _check_segments(segments: ArrayLike | None, n_rows: int) -> list[int]:
    if segments is None:
        return [0, n_rows]
    cuts = _indices("segments", segments, n_rows + 1).tolist()
    ends = len(cuts) >= 2 and cuts[0] == 0 and cuts[-1] == n_rows
    if not ends or cuts != sorted(cuts) or len(cuts) > 2**16:
        raise ValueError(
            f"segments must ascend from 0 to n_rows={n_rows} in at most 65535 steps, "
            f"got {segments!r}"
        )
    return cuts
