"""What online machines share: parameters, the beginning of a stream, chunks and epochs."""

from __future__ import annotations

import time
from contextlib import contextmanager
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions

from mercer._threads import resolve_threads
from mercer._warning import warn
from mercer.gram.native import Precision, count_rows, fixed_rows
from mercer.kernels import Gaussian, Kernel
from mercer.machines.base import KernelMachine
from mercer.machines.checked_input import are_ready
from mercer.online.finishing_machine import FinishingMachine
from mercer.online.history import History
from mercer.online.kept_rows import Ids, Packing
from mercer.online.stream import Stream
from mercer.online.uninterrupted import uninterrupted
from mercer.solvers.runs.deadline import Deadline
from mercer.solvers.runs.progress import Progress

__all__ = ["OnlineMachine"]

FloatArray = NDArray[np.float64]
_REPORT = 0.05  # seconds between two calls of the callback
_BYTES = (np.uint8, np.int8)


class OnlineMachine(FinishingMachine):
    """Base of the machines that learn from a stream."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **{
            name: KernelMachine._parameter_constraints[name]
            for name in (
                *("kernel", "degree", "gamma", "coef0", "tol", "cache_size", "verbose"),
                *("solver", "precision", "max_time", "n_threads", "callback"),
            )
        },
        "C": [Interval(Real, 0.0, None, closed="neither")],
        "selection": [StrOptions({"second-order", "most-violating"})],
        "n_epochs": [Interval(Integral, 1, None, closed="left")],
        "n_reprocess": [Interval(Integral, 0, None, closed="left")],
        "finishing": [StrOptions({"all", "kept", "none"})],
        "keep_rows": ["boolean"],
        "max_support_vectors": [Interval(Integral, 10, None, closed="left"), None],
        "eviction": [StrOptions({"removal", "projection", "merging"})],
        "shuffle": ["boolean"],
        "random_state": ["random_state"],
    }

    def _check_combination(self) -> None:
        if self._is_precomputed():
            raise ValueError("kernel must be a function of rows, got 'precomputed'")
        if not np.isfinite(self.C):
            raise ValueError(f"C must be finite, got {self.C!r}")
        if self.max_support_vectors is not None and self.keep_rows:
            raise ValueError(
                "keep_rows must be False with max_support_vectors, got True: the optimum of all "
                "rows would exceed the budget"
            )

    def _begin(self, X: Any, weight: FloatArray) -> None:
        """Choose the kernel and how rows are packed; nothing is learned yet."""
        kernel = self._resolve_kernel(X, weight)
        self._check_eviction(kernel)
        has_name = isinstance(self.kernel, str) and self.kernel != "linear"
        self.gamma_source_ = (
            f"first {count_rows(X)} rows" if has_name and isinstance(self.gamma, str) else "given"
        )
        self.kernel_ = kernel
        self._gamma = getattr(kernel, "gamma", 0.0)
        form = kernel.form()
        precision: Precision = self.precision
        if self.precision == "auto":
            is_short = getattr(X, "dtype", None) in (np.float32, *_BYTES)
            precision = "single" if is_short else "double"
        packing = Packing(
            form,
            precision,
            fixed_rows(X, precision, form).store_sparse,
            n_threads=resolve_threads(self.n_threads),
        )
        self._stream = Stream(kernel, self._rules(), packing)
        self._history = History() if self.keep_rows else None
        self._has_sparse_rows = bool(sp.issparse(X))
        self._fix()
        self.n_seen_ = 0
        self._changed()

    def _check_eviction(self, kernel: Kernel) -> None:
        if self.max_support_vectors is None or self.eviction != "merging":
            return
        if not isinstance(kernel, Gaussian) or self._n_sheets > 1:
            raise ValueError(
                "eviction='merging' needs a classifier with a Gaussian kernel, got "
                f"{type(self).__name__} with {kernel!r}: use 'removal' or 'projection'"
            )

    @contextmanager
    def _as_it_was(self) -> Any:
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
        is_known = not first and not self._takes_objects() and self._is_known_width(X)
        is_absent = not first and _is_nothing(sample_weight)
        if is_absent:  # its length is looked at all the same
            sample_weight = np.ones(len(np.asarray(sample_weight)))
        if is_known and are_ready(X, y, needs_y=True):
            weight = self._check_weight(sample_weight, X)
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

    def _learn(
        self,
        X: Any,
        order: NDArray[np.intp],
        targets: NDArray[Any],
        weight: FloatArray,
        ids: Ids,
        deadline: Deadline,
    ) -> None:
        """Take in rows in this order, but for those without weight; ``_n_taken`` counts them."""
        present = np.flatnonzero(weight[order] > 0)
        self._stream.follow(self._rules())
        self._stream.packing.n_threads = resolve_threads(self.n_threads)
        terms = self._terms(targets, weight)
        try:
            with self._display(1) as display:
                watch = self._watch(display)
                self._stream.take(X, order[present], ids, terms, deadline, watch)
        finally:
            with uninterrupted():
                taken = self._stream.n_taken
                self._n_taken = len(order) if taken == len(present) else int(present[taken])
                self._changed()

    def _watch(self, display: Any) -> Any:
        """What is told of the progress, and whether to stop."""
        callback = display.watch(0, self.callback) if display else self.callback
        if callback is None:
            return None
        began = last = time.perf_counter()

        def watch(stream: Stream) -> bool:
            nonlocal last
            now = time.perf_counter()
            if now - last < _REPORT:
                return False
            last = now
            learner = stream.learner
            violation, objective = learner.violations().max(), learner.objectives().sum()
            report = Progress(stream.n_taken, violation, objective, stream.n_kept, now - began)
            return bool(callback(report))

        return watch

    def _learn_chunk(self, X: Any, targets: NDArray[Any], weight: FloatArray) -> None:
        """Take in a chunk of a stream."""
        X, n, first = self._of_one_kind(X), len(weight), self.n_seen_
        ids = np.arange(first, first + n)
        try:
            self._learn(X, np.arange(n), targets, weight, ids, Deadline.after(self.max_time))
        finally:
            with uninterrupted():
                done = self._n_taken
                if self._history is not None:
                    self._history.add(X[:done], targets[:done], weight[:done], ids[:done])
                self.n_seen_ = first + done
                self.shape_fit_ = (self.n_seen_, self.shape_fit_[1])
        if done < n:
            warn(
                f"{type(self).__name__} took in {done} of {n} rows of the chunk before max_time "
                "or the callback ended it; n_seen_ counts them",
                ConvergenceWarning,
            )

    def _learn_epochs(self, X: Any, targets: NDArray[Any], weight: FloatArray) -> None:
        """Take in all rows, ``n_epochs`` times, then finish."""
        deadline = Deadline.after(self.max_time)
        random = check_random_state(self.random_state)
        n = len(weight)
        ids = np.arange(n)
        self.n_seen_ = n
        if self._history is not None:
            self._history.add(X, targets, weight, ids)
        for _ in range(self.n_epochs):
            order = random.permutation(n) if self.shuffle else ids
            self._learn(X, order, targets, weight, ids, deadline)
            if self._n_taken < n:
                warn(
                    f"{type(self).__name__} took in {self._n_taken} of {n} rows before max_time "
                    "or the callback ended it",
                    ConvergenceWarning,
                )
                self.fit_status_ = 1
                return
        if self.finishing == "all" and self.max_support_vectors is None:
            self._finish_all(X, targets, weight, ids, deadline)
        elif self.finishing != "none":
            self._finish_kept(deadline)


def _is_nothing(sample_weight: ArrayLike | None) -> bool:
    """Whether all rows of a chunk have a weight of zero, which is to say that none is there."""
    weight = np.asarray(sample_weight)
    return weight.dtype.kind in "fiub" and weight.ndim == 1 and not weight.any()
