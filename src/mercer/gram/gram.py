"""Kernel values on demand: the matrix of one set of rows."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from math import fsum, isnan
from operator import index as as_integer
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer import _core
from mercer._memory import require_memory
from mercer._shown import shown
from mercer._threads import resolve_threads
from mercer.gram.arguments import cache_bytes, check_segments, indices, resolve_precision
from mercer.gram.core_types import GRAM_TYPES, CoreGram, CoreKernel
from mercer.gram.gathering import is_quick, whole_matrix
from mercer.gram.native import (
    Precision,
    RowSet,
    build_kernel,
    check_finite,
    count_rows,
    fixed_rows,
    take_rows,
)
from mercer.gram.rounding import carries, fits_single, is_at_most_one, rounding_of_rows
from mercer.gram.rows import check_products
from mercer.gram.shift import moved, shift_error, shift_offset
from mercer.gram.spot_check import SpotCheck, warn_of_indefinite
from mercer.kernels import Kernel
from mercer.kernels.definiteness import Definiteness
from mercer.kernels.form import Leaf, Stored
from mercer.kernels.precomputed import check_kernel_matrix
from mercer.kernels.rows import is_sparse

__all__ = ["Gram"]

FloatArray = NDArray[np.float64]


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
        Precision of the kernel values; "auto" is single from 3,000 rows on, and solvers may
        begin in single precision before. Where single precision does not tell the distances
        of the rows, or kernel values leave its range, double takes its place.
    n_threads : int, default=None
        Number of threads; None means ``OMP_NUM_THREADS`` or all CPUs.
    segments : array-like of int, default=None
        Ascending offsets ``0, ..., n_rows`` that cut kernel rows into segments cached
        one by one; a problem on some of the rows (class against class) asks for its
        segments only.
    shift : array-like of shape (n_features,), default=None
        Point that the rows are measured from (see ``shift_of_far_rows`` in mercer.gram.shift), for
        problems whose coefficients add up to zero. Gradients and multipliers are then those of
        the plain kernel except for a constant, :meth:`shift_offset`.
    is_checked : bool, default=False
        Whether the rows are known to be finite and, if they are a kernel matrix, symmetric.

    Examples
    --------
    >>> from mercer import Gram
    >>> from mercer.kernels import Linear
    >>> gram = Gram(Linear(), [[0.0], [1.0], [2.0]])
    >>> gram.row(2).tolist(), gram.product([1, 2], [1.0, 1.0]).tolist()
    ([0.0, 2.0, 4.0], [0.0, 3.0, 6.0])
    """

    __repr__ = shown("kernel n_rows n_threads n_evaluations")

    def __init__(
        self,
        kernel: Kernel,
        X: Any,
        *,
        cache_size: float | Literal["auto"] = "auto",
        precision: Literal["auto", "single", "double"] = "auto",
        n_threads: int | None = None,
        segments: ArrayLike | None = None,
        shift: ArrayLike | None = None,
        is_checked: bool = False,
    ) -> None:
        if not isinstance(kernel, Kernel):
            raise TypeError(f"kernel must be a Kernel, got {kernel!r}")
        self.kernel = kernel
        self.form = kernel.form()
        self.n_rows = count_rows(X)
        is_matrix = self.form.reads_stored and (is_checked or check_kernel_matrix(X).is_finite)
        if not (is_checked or is_matrix or self.form.reads_python):
            check_finite(X)
        self.n_threads = resolve_threads(n_threads)
        self.shift = None if shift is None else np.asarray(shift, dtype=np.float64)
        self._rows = X if self.shift is None else moved(X, self.shift)
        self._read_rows = self._rows  # what the core reads: these, or the values gathered
        self._gathered: NDArray[Any] | None = None
        self._definiteness: Definiteness = kernel.definiteness
        self._spot_check = SpotCheck() if self._definiteness == "unknown" else None
        self._native: dict[Precision, CoreGram] = {}
        self._row_sets: dict[str, RowSet] = {}
        self._lengths: FloatArray | None = None
        self._has_finite_values = is_at_most_one(self.form)
        self._lock, self._process = threading.Lock(), os.getpid()
        self._wanted: Precision = resolve_precision(precision, self.n_rows)
        self.precision_is_given = precision != "auto"
        self._cache_size = cache_size
        self.cache_bytes = cache_bytes(cache_size, self.n_rows, self._wanted)
        self._segments = [0, self.n_rows]
        if segments is not None:
            self._segments = check_segments(segments, self.n_rows)

    @property
    def n_dense_features(self) -> int:
        """Features of rows that are dense; 0 for all others."""
        is_dense = isinstance(self._rows, np.ndarray) and self._rows.ndim == 2
        return int(self._rows.shape[1]) if is_dense and not self.form.reads_stored else 0

    def gather(self, max_time: float | None = None) -> Gram:
        """This Gram, its values all asked for in one call if only Python computes them.

        Nothing is asked if the cache has no room for their matrix, or if that is likely to take
        more than half of ``max_time``. To be called before any value is known.
        """
        n = self.n_rows
        if not self.form.reads_python or self.shift is not None or self._native:
            return self
        if cache_bytes(self._cache_size, n, "double") < 8 * n * n:
            return self
        if is_quick(self.kernel, self._rows, max_time):
            self._keep(whole_matrix(self.kernel, self.form, self._rows))
        return self

    def _keep(self, values: NDArray[Any]) -> None:
        """Take over the values of a kernel that only Python computes."""
        self._gathered = self._read_rows = values
        self.form = Stored()

    @property
    def definiteness(self) -> Definiteness:
        """The definiteness of the matrix: that of the kernel, or "refuted" by its values."""
        is_refuted = self._spot_check is not None and bool(self._spot_check.reason)
        return "refuted" if is_refuted else self._definiteness

    @property
    def is_positive_definite(self) -> bool:
        """Whether nothing is known against the matrix being positive semi-definite."""
        return self.definiteness != "refuted"

    @property
    def refutation(self) -> str:
        """The values of the matrix that refuted its definiteness; empty if none did."""
        return self._spot_check.reason if self._spot_check else ""

    def inspect(self, coef: FloatArray | None = None, *, warn: bool = True) -> Definiteness:
        """Look for values that refute an assumed definiteness; warn if there are any.

        At most 256 rows are looked at, those with the largest coefficients ``coef``, one for
        each row, before others.
        """
        if self._spot_check and self._spot_check.look(self, coef) and warn:
            warn_of_indefinite(self.kernel, self.refutation)
        return self.definiteness

    @cached_property
    def precision(self) -> Precision:
        """That of the kernel values: the one wanted, double where single does not carry."""
        if self._wanted == "double" or self.carries_single:
            return self._wanted
        self.cache_bytes = cache_bytes(self._cache_size, self.n_rows, "double")
        return "double"

    @cached_property
    def carries_single(self) -> bool:
        """Whether single precision tells the kernel values."""
        rows = fixed_rows(self._read_rows, "single", self.form)
        if is_carried := carries(self.form, rows):
            self._row_sets.setdefault("single", rows)
        return is_carried

    @cached_property
    def fits_single(self) -> bool:
        """Whether kernel values may be stored in single precision, however they are computed."""
        return self.carries_single or self._is_rounded

    @cached_property
    def _is_rounded(self) -> bool:
        """Whether values in single precision are those of double precision, rounded."""
        if self.carries_single or self.form.reads_python:
            return False
        return fits_single(self.form, self._row_set("double"))

    def expansion_error(
        self, coef: FloatArray, index: NDArray[np.intp] | slice = slice(None)
    ) -> float:
        """Bound of what rounding of kernel values does to ``K coef`` in double precision.

        ``index`` is the row of each coefficient, and of each value. Infinite if nothing is known.
        """
        bound = self.rounding
        if isinstance(bound, float):
            error = bound * _core.absolute_sum(coef)
            return np.inf if isnan(error) else error
        with np.errstate(over="ignore", invalid="ignore"):
            root = np.sqrt(bound[index])
            error = float(root.max(initial=0.0) * (np.abs(coef) * root).sum())
        return np.inf if isnan(error) else error

    def shift_error(self, coef: FloatArray, index: NDArray[np.intp]) -> float:
        """Bound of what a sum of ``coef``, one for each row, that is not quite zero does.

        To slopes of the rows ``index``, except for a constant; and half of it for each coefficient
        to the objective.
        """
        if self.shift is None or not (missing := abs(fsum(coef))):
            return 0.0
        share = 2.0 * abs(self.shift_offset(coef)) / float(np.abs(coef).sum())
        slopes = shift_error(self.form, self._rows, self.shift)[index]
        return missing * (float(slopes.max(initial=0.0)) + share)

    def shift_offset(self, coef: FloatArray) -> float:
        """What ``K coef``, ``coef`` one for each row, lacks because rows are shifted."""
        if self.shift is None:
            return 0.0
        return float(shift_offset(self.form, self._rows, self.shift, coef))

    @property
    def has_uniform_rounding(self) -> bool:
        """Whether rounding does as much to the values of any row as to those of any other."""
        return isinstance(self.rounding, float)

    @cached_property
    def rounding(self) -> FloatArray | float:
        """What :func:`rounding_of_rows` says, a number if it is the same for all rows."""
        self.native("double")
        return rounding_of_rows(self.form, self._row_sets["double"])

    @overload
    def native(self, precision: Literal["single"]) -> _core.GramSingle: ...
    @overload
    def native(self, precision: Literal["double"]) -> _core.GramDouble: ...
    @overload
    def native(self, precision: Precision | None = None) -> CoreGram: ...
    def native(self, precision: Precision | None = None) -> CoreGram:
        """The native matrix in the given precision, made when first asked for."""
        wanted = self.precision
        precision = precision or wanted
        if precision in self._native:
            return self._native[precision]
        if precision not in ("single", "double"):
            raise ValueError(f"precision must be 'single', 'double' or None, got {precision!r}")
        with self._own_lock():
            if precision not in self._native:
                self._native[precision] = self._build(precision)
        return self._native[precision]

    def _own_lock(self) -> threading.Lock:
        """That of this process: in the child of a fork the parent's would never be opened."""
        if self._process != os.getpid():
            self._lock, self._process = threading.Lock(), os.getpid()
        return self._lock

    @contextmanager
    def visit(self, count: int = 1) -> Iterator[None]:
        """For one of several callers who work at the same time.

        As long as there are as many of them as threads, each works on its own thread only.
        ``count`` is 1 more than the number of callers who are at work on other Grams.
        """
        single, double = self.native("single"), self.native("double")
        visits = _core.VisitSingle(single, count), _core.VisitDouble(double, count)
        try:
            yield
        finally:
            for visit in visits:
                visit.leave()

    def _row_set(self, precision: Precision) -> RowSet:
        if precision not in self._row_sets:
            self._row_sets[precision] = fixed_rows(self._read_rows, precision, self.form)
        return self._row_sets[precision]

    def _build(self, precision: Precision) -> CoreGram:
        if precision == "single" and self._is_rounded:
            exact: Any = build_kernel(self.form, *2 * (self._row_set("double"),))
            kernel: CoreKernel = _core.KernelSingle.rounded(exact)
        else:
            rows = self._row_set(precision)
            kernel = build_kernel(self.form, rows, rows)
        make: Any = GRAM_TYPES[precision]  # of the same precision as the kernel
        return make(kernel, self._segments, self.cache_bytes, self.n_threads)

    def reordered(
        self,
        order: ArrayLike,
        *,
        cache_size: float | None = None,
        precision: Literal["auto", "single", "double"] | None = None,
        n_threads: int | None = None,
    ) -> Gram:
        """A Gram of some of the rows, in the given order, with an empty cache of its own.

        ``cache_size`` in MB; None means as much as this one has, and likewise for ``precision``
        and ``n_threads``.
        """
        rows = indices("order", order, self.n_rows)
        kept = take_rows(self._rows, rows)
        if self.form.reads_stored and self._gathered is None:
            kept = kept[:, rows]
        other = Gram(
            self.kernel,
            kept,
            cache_size=self.cache_bytes / 2**20 if cache_size is None else cache_size,
            precision=self.precision if precision is None else precision,
            n_threads=self.n_threads if n_threads is None else n_threads,
            is_checked=True,
        )
        if self._gathered is not None:
            other._keep(self._gathered[np.ix_(rows, rows)])
        if other._spot_check:
            other._spot_check.reason = self.refutation
        other.shift = self.shift  # the rows have been moved
        return other

    def features(self) -> Any:
        """The rows, an array or CSR matrix of doubles, if the kernel is their inner product.

        None for every other kernel.
        """
        form = self.form
        if not (isinstance(form, Leaf) and form.kind == "linear" and form.transform is None):
            return None
        if is_sparse(self._rows):
            return self._rows.tocsr().astype(np.float64, copy=False)
        return np.asarray(self._rows, dtype=np.float64)

    def diagonal(self, *, precision: Precision | None = None) -> FloatArray:
        """``k(x, x)`` of every row."""
        return self.native(precision).diagonal()

    def check_values(self) -> Gram:
        """This Gram, if no k(x, x) overflows: then no other value of a definite kernel does.

        What overflows in single precision only is left to double precision.

        Raises
        ------
        ValueError
            If a kernel value is not finite; it names the row.
        """
        if self._has_finite_values:
            return self
        if not np.isfinite(self.diagonal()).all():
            diagonal = self.diagonal(precision="double")
            wrong = np.flatnonzero(~np.isfinite(diagonal))
            if len(wrong):
                i = int(wrong[0])
                raise ValueError(
                    f"kernel values must be finite, got k(x, x)={float(diagonal[i])} for row {i} "
                    "of X: scale the features or choose smaller kernel parameters"
                )
        for leaf in self.form.leaves:
            if leaf.kind == "sigmoid":
                check_products(self._rows, leaf.gamma)
        self._has_finite_values = True
        return self

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
        left = indices("rows", rows, self.n_rows)
        right = indices("columns", columns, self.n_rows)
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

        ``None`` means all rows, or columns. The result has the shape of ``weights`` except for
        its first axis.
        """
        w = np.ascontiguousarray(weights, dtype=np.float64)
        n = self.n_rows
        index = np.arange(n) if columns is None else indices("columns", columns, n)
        if w.ndim not in (1, 2) or len(w) != len(index):
            raise ValueError(f"weights must have {len(index)} rows, got shape {w.shape}")
        wanted = None if rows is None else indices("rows", rows, n)
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
        total = 0 if self._gathered is None else self._gathered.size
        for native in self._native.values():
            total += native.n_evaluations
        return total

    @property
    def hit_rate(self) -> float:
        """Share of the row requests that the cache answered."""
        hits = sum(native.n_hits for native in self._native.values())
        misses = sum(native.n_misses for native in self._native.values())
        return hits / (hits + misses) if hits + misses else 0.0
