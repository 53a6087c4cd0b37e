"""The beginning of a stream, and of each chunk: its kernel, checked rows, what may be refused."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from mercer._threads import resolve_threads
from mercer.gram.native import Precision, count_rows, fixed_rows
from mercer.kernels import Gaussian, Kernel
from mercer.online.finishing_machine import FinishingMachine
from mercer.online.history import History
from mercer.online.kept_rows import Packing
from mercer.online.stream import Stream
from mercer.training.checked_input import are_ready
from mercer.training.rows import takes_objects
from mercer.training.weights import check_weight

__all__ = ["BeginningMachine"]

FloatArray = NDArray[np.float64]
_SHORT = (np.float32, np.uint8, np.int8)
_RULES = ("scale", "median")  # of gamma, that look at the rows


class BeginningMachine(FinishingMachine):
    """Beginning, and beginning again."""

    # Values of examples before they were learned, their targets and weights.
    _judged: tuple[Any, ...] | None

    def _begin(self, X: Any, weight: FloatArray, *, is_chunk: bool = True) -> None:
        """Choose the kernel and how rows are packed; nothing is learned yet.

        A rule of gamma waits for more rows than a small first chunk has.
        """
        self._waits = is_chunk and self._has_rule()
        self._history = History() if self._keeps_history else None
        self._judged = None
        self._has_sparse_rows = bool(sp.issparse(X))
        self.gamma_source_ = f"first {count_rows(X)} rows" if self._has_rule() else "given"
        self._set_kernel(self._resolve_kernel(X, weight), X)
        self._fix()
        self.n_seen_ = 0
        self._changed()

    def _has_rule(self) -> bool:
        """Whether the kernel depends on rows."""
        if isinstance(self.kernel, str):
            return self.kernel != "linear" and isinstance(self.gamma, str) and self.gamma in _RULES
        if not isinstance(self.kernel, Kernel):
            return False
        try:
            self.kernel.form()
        except ValueError:
            return True
        return False

    def _set_kernel(self, kernel: Kernel, X: Any) -> None:
        """An empty stream with this kernel, for rows like ``X``."""
        self._check_eviction(kernel)
        self.kernel_ = kernel
        self._gamma = getattr(kernel, "gamma", 0.0)
        form = kernel.form()
        precision: Precision = self.precision
        if self.precision == "auto":
            precision = "single" if getattr(X, "dtype", None) in _SHORT else "double"
        packing = Packing(
            form,
            precision,
            fixed_rows(X, precision, form).store_sparse,
            n_threads=resolve_threads(self.n_threads),
        )
        self._stream = Stream(kernel, self._rules(), packing)

    def _check_eviction(self, kernel: Kernel) -> None:
        if self.max_support_vectors is None or self.eviction != "merging":
            return
        if not isinstance(kernel, Gaussian) or self._variables_per_row > 1:
            raise ValueError(
                "eviction='merging' needs a classifier with a Gaussian kernel, got "
                f"{type(self).__name__} with {kernel!r}: use 'removal' or 'projection'"
            )

    @contextmanager
    def _as_it_was(self) -> Iterator[None]:
        """Leave the machine as it was if a chunk is refused."""
        before = dict(vars(self))
        try:
            yield
        except BaseException:
            self.__dict__.clear()
            self.__dict__.update(before)
            raise

    def _of_one_kind(self, X: Any) -> Any:
        """Rows of a chunk, sparse or dense as those of the first were."""
        if self._has_sparse_rows == sp.issparse(X) or not hasattr(X, "shape"):
            return X
        return sp.csr_matrix(X) if self._has_sparse_rows else X.toarray()

    def _validate_chunk(
        self, X: Any, y: Any, sample_weight: ArrayLike | None, *, first: bool, **options: Any
    ) -> tuple[Any, Any, FloatArray]:
        """Checked rows, targets and weights; of one row the long way takes longer than learning."""
        is_known = not first and not takes_objects(self.kernel) and self._is_known_width(X)
        is_absent = not first and _is_nothing(sample_weight)
        if is_absent:  # its length is looked at all the same
            sample_weight = np.ones(len(np.asarray(sample_weight)))
        if is_known and are_ready(X, y, needs_y=True):
            weight = check_weight(sample_weight, len(X))
        else:
            X, y, weight = self._validate_fit(X, y, sample_weight, reset=first, **options)
        return X, y, 0.0 * weight if is_absent else weight

    def _check_kernel_values(self, X: Any) -> None:
        """Refuse rows with k(x, x) beyond the range of numbers."""
        wrong = np.flatnonzero(~np.isfinite(self.kernel_.diag(X)))
        if len(wrong):
            raise ValueError(
                f"kernel values must be finite, got k(x, x) beyond the range of numbers for row "
                f"{wrong[0]} of X: scale the features"
            )


def _is_nothing(sample_weight: ArrayLike | None) -> bool:
    """Whether all rows of a chunk have a weight of zero, which is to say that none is there."""
    weight = np.asarray(sample_weight)
    return weight.dtype.kind in "fiub" and weight.ndim == 1 and not weight.any()
