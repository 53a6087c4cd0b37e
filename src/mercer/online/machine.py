"""What online machines share: parameters, chunks and epochs."""

from __future__ import annotations

import time
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from mercer._sklearn import Interval, StrOptions
from mercer._threads import resolve_threads
from mercer._warning import warn
from mercer.gram import Gram
from mercer.gram.native import count_rows, take_rows
from mercer.machines.base import KernelMachine
from mercer.machines.solving import display_of
from mercer.online.beginning_machine import BeginningMachine
from mercer.online.chunks import ChunkLearner
from mercer.online.history import History
from mercer.online.kept_rows import Ids, stacked
from mercer.online.stream import Stream
from mercer.online.uninterrupted import uninterrupted
from mercer.solvers.runs.deadline import Deadline
from mercer.solvers.runs.progress import Callback, Progress
from mercer.training.rows import is_precomputed

__all__ = ["OnlineMachine"]

FloatArray = NDArray[np.float64]
LARGE_CHUNK = 100  # rows from which a chunk is learned as a whole, and that tell a rule of gamma
_REPORT = 0.05  # seconds between two calls of the callback
_BYTES = (np.uint8, np.int8)


class OnlineMachine(BeginningMachine):
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
        "selection": [StrOptions({"auto", "second-order", "most-violating"})],
        "n_epochs": [Interval(Integral, 1, None, closed="left")],
        "n_reprocess": [Interval(Integral, 0, None, closed="left")],
        "finishing": [StrOptions({"all", "kept", "none"})],
        "keep_rows": ["boolean"],
        "max_support_vectors": [Interval(Integral, 10, None, closed="left"), None],
        "eviction": [StrOptions({"auto", "removal", "projection", "merging"})],
        "window": [Interval(Integral, 2, None, closed="left"), None],
        "shuffle": ["boolean"],
        "random_state": ["random_state"],
    }

    def _check_combination(self) -> None:
        if is_precomputed(self.kernel):
            raise ValueError("kernel must be a function of rows, got 'precomputed'")
        if not np.isfinite(self.C):
            raise ValueError(f"C must be finite, got {self.C!r}")
        if self.max_support_vectors is not None and self.keep_rows:
            raise ValueError(
                "keep_rows must be False with max_support_vectors, got True: the optimum of all "
                "rows would exceed the budget"
            )

        if self.window is not None and (self.keep_rows or self.max_support_vectors is not None):
            name = "keep_rows" if self.keep_rows else "max_support_vectors"
            raise ValueError(
                f"{name} must not be set with a window, got {getattr(self, name)!r}: the window "
                "says what is kept"
            )

    def _learn(
        self,
        X: Any,
        order: NDArray[np.intp],
        targets: NDArray[Any],
        weight: FloatArray,
        ids: Ids,
        deadline: Deadline,
        *,
        one_by_one: bool = False,
    ) -> None:
        """Learn the rows in this order, except those without weight; ``_n_taken`` counts them.

        ``ids`` has those of the rows of ``X``.
        """
        present = np.flatnonzero(weight[order] > 0)
        self._stream.follow(self._rules())
        self._stream.packing.n_threads = resolve_threads(self.n_threads)
        terms, rows = self._terms(targets, weight), order[present]
        try:
            with display_of(self) as display:
                callback = display.watch(0, self.callback) if display else self.callback
                if not one_by_one and self._takes_whole(len(rows)):
                    self._take_whole(X, rows, ids, terms, deadline, callback)
                else:
                    watch = self._watch(callback)
                    self._stream.take(X, rows, ids, terms, deadline, watch)
        finally:
            with uninterrupted():
                taken = self._stream.n_taken
                self._n_taken = len(order) if taken == len(present) else int(present[taken])
                self._changed()

    def _takes_whole(self, n: int) -> bool:
        """Whether so many examples are learned in one problem with the kept ones.

        Many are, and so are few where the kernel rows of one by one would take too much memory.
        """
        is_free = self.selection == "auto" and self.max_support_vectors is None
        if not is_free or self.kernel_.form().reads_python:
            return False
        # rows that grow one by one leave gaps of about their own size
        size = 2 * (4 if self._stream.packing.precision == "single" else 8)
        row_bytes = size * (self._stream.n_kept + n) ** 2
        return n >= LARGE_CHUNK or row_bytes > self._rules().max_row_bytes

    def _take_whole(
        self,
        X: Any,
        rows: NDArray[np.intp],
        ids: Ids,
        terms: FloatArray,
        deadline: Deadline,
        callback: Callback | None,
    ) -> None:
        def make_gram(rows: Any) -> Gram:
            return self._make_gram(self.kernel_, rows, np.ones(count_rows(rows)))

        learner = ChunkLearner(self._stream, make_gram, self.tol, self._slack, deadline, callback)
        learner.take(X, rows, ids, terms)
        if not learner.is_converged and self._stream.n_taken == len(rows):
            warn(
                f"{type(self).__name__} took in the chunk, but max_time or the callback ended it "
                "before its problem was solved; finish() goes on",
                ConvergenceWarning,
            )

    def _watch(self, callback: Callback | None) -> Any:
        """Report the progress; return whether to stop."""
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

    @property
    def _judges(self) -> bool:
        """Whether values of examples before they are learned are remembered."""
        return bool(getattr(self, "probability", False))

    def _judge(self, X: Any, targets: NDArray[Any], weight: FloatArray) -> None:
        """Remember values of examples that are not learned yet."""

    def _learn_chunk(self, X: Any, targets: NDArray[Any], weight: FloatArray) -> None:
        """Take in a chunk of a stream, in two halves where the second has to be judged."""
        X, n = self._of_one_kind(X), len(weight)
        learn = self._learn_rows if self.window is None else self._learn_window
        cut = n // 2 if self._judges and not self.n_seen_ else 0
        for part in (slice(0, cut), slice(cut, n)):
            # not after a first half that was cut short
            if part.start < part.stop and (not cut or self.n_seen_ == part.start):
                self._judge(X[part], targets[part], weight[part])
                learn(X[part], targets[part], weight[part])

    def _learn_window(self, X: Any, targets: NDArray[Any], weight: FloatArray) -> None:
        """The optimum of the last examples, a chunk among them."""
        present = np.flatnonzero(weight > 0)
        ids = np.arange(self.n_seen_, self.n_seen_ + len(weight))
        new = (take_rows(X, present), targets[present], weight[present], ids[present])
        deadline = Deadline.after(self.max_time)
        with self._as_it_was():
            if self._waits:
                self._settle(X, weight, learns=False)
            before = self._history or History()
            self._history = before.followed_by(*new, most=self.window)
            self.n_seen_ += len(weight)
            self._n_taken = len(weight)
            self._finish_all(*self._history.all(), deadline)

    def _learn_rows(self, X: Any, targets: NDArray[Any], weight: FloatArray) -> None:
        if self._waits:
            with self._as_it_was():
                self._settle(X, weight)
        n, first = len(weight), self.n_seen_
        ids = np.arange(first, first + n)
        try:
            self._learn(X, np.arange(n), targets, weight, ids, Deadline.after(self.max_time))
        finally:
            with uninterrupted():
                done = self._n_taken
                if self._history is not None:
                    self._history.add(X[:done], targets[:done], weight[:done], ids[:done])
                if not self._keeps_history:
                    self._history = None
                self.n_seen_ = first + done
                self.shape_fit_ = (self.n_seen_, self.shape_fit_[1])
        if done < n:
            warn(
                f"{type(self).__name__} took in {done} of {n} rows of the chunk before max_time "
                "or the callback ended it; n_seen_ counts them",
                ConvergenceWarning,
            )

    def _settle(self, X: Any, weight: FloatArray, *, learns: bool = True) -> None:
        """Choose gamma from the first rows, with a chunk; learn those before it anew."""
        before = self._history.all() if self._history else None
        some, its_weight = X, weight
        if before is not None:
            some, its_weight = stacked([before[0], X]), np.append(before[2], weight)
        present = np.flatnonzero(its_weight > 0)
        is_whole = before is None and self._takes_whole(len(present))
        self._waits = len(present) < min(LARGE_CHUNK, self.window or LARGE_CHUNK)
        if not (self._waits or is_whole):
            present = present[:LARGE_CHUNK]
        self._set_kernel(self._resolve_kernel(take_rows(some, present), its_weight[present]), X)
        self.gamma_source_ = f"first {len(present)} rows"
        if before is not None and learns:
            rows, targets, its_weight, ids = before
            order = np.arange(len(ids))
            never = Deadline.after(None)
            self._learn(rows, order, targets, its_weight, ids, never, one_by_one=True)

    def _learn_epochs(self, X: Any, targets: NDArray[Any], weight: FloatArray) -> None:
        """Take in all rows, ``n_epochs`` times, then finish."""
        if self.window is not None:
            return self._learn_chunk(X, targets, weight)
        deadline = Deadline.after(self.max_time)
        random = check_random_state(self.random_state)
        n = len(weight)
        ids = np.arange(n)
        self.n_seen_ = n
        if self._history is not None:
            self._history.add(X, targets, weight, ids)
        for _ in range(self.n_epochs):
            order = random.permutation(n) if self.shuffle else ids
            if self._judges and self._judged is None:
                first, second = np.array_split(order, 2)
                self._learn(X, first, targets, weight, ids, deadline)
                self._judge(take_rows(X, second), targets[second], weight[second])
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
