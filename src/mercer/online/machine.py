"""What online machines share: chunks of a stream, finishing, forgetting."""

from __future__ import annotations

import time
from abc import abstractmethod
from contextlib import contextmanager
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags, check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from mercer._threads import resolve_threads
from mercer._warning import warn
from mercer.gram.native import Precision, count_rows, fixed_rows, take_rows
from mercer.kernels import Gaussian, Kernel
from mercer.machines.base import KernelMachine
from mercer.machines.checked_input import are_ready
from mercer.machines.linear_coef import linear_coef
from mercer.online.finishing import Finished, finished
from mercer.online.history import History
from mercer.online.kept_rows import Ids, Packing
from mercer.online.reading import Reading
from mercer.online.stream import Rules, Stream
from mercer.solvers.runs.deadline import Deadline
from mercer.solvers.runs.progress import Progress

__all__ = ["OnlineMachine"]

FloatArray = NDArray[np.float64]
_REPORT = 0.05  # seconds between two calls of the callback
_BYTES = (np.uint8, np.int8)


class OnlineMachine(KernelMachine):
    """Base of the machines that learn from a stream."""

    _n_sheets: ClassVar[int]
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

    @abstractmethod
    def _terms(self, targets: NDArray[Any], weight: FloatArray) -> FloatArray:
        """Linear term and box of each variable of each example."""

    @property
    @abstractmethod
    def _n_functions(self) -> int:
        """Number of functions."""

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = False
        return tags

    def _sums_vanish(self) -> bool:
        return True

    def __getstate__(self) -> dict[str, Any]:
        """Plain values: what is kept of the stream, not the core's part."""
        state = dict(super().__getstate__())
        stream = state.pop("_stream", None)
        state.pop("_reading", None)
        if stream is not None:
            reading = self._reading
            state["_kept"] = stream.saved() | {"intercept": reading.given_intercept}
        if history := state.pop("_history", None):
            state["_seen"] = history.all()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = dict(state)
        kept, seen = state.pop("_kept", None), state.pop("_seen", None)
        super().__setstate__(state)
        if kept is None:
            return
        intercept = kept.pop("intercept", None)
        self._stream = Stream.restored(
            self.kernel_, self._rules(), kept, resolve_threads(self.n_threads)
        )
        self._history = History() if self.keep_rows else None
        if self._history is not None and seen is not None:
            self._history.add(*seen)
        self._read(intercept)

    # --- beginning -------------------------------------------------------------------

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

    def _rules(self) -> Rules:
        return Rules(
            n_functions=self._n_functions,
            n_sheets=self._n_sheets,
            selection=self.selection,
            tol=float(self.tol),
            n_reprocess=int(self.n_reprocess),
            max_kept=int(self.max_support_vectors or 0),
            eviction=self.eviction,
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

    def _changed(self, found: Finished | None = None) -> None:
        """Everything that was worked out before the stream moved is out of date."""
        for name in ("solutions_", "dual_gap_", "fit_status_", "solver_"):
            self.__dict__.pop(name, None)
        self._read(None if found is None else found.intercept)
        self.shape_fit_ = (self.n_seen_, getattr(self, "n_features_in_", 0))
        if found is not None:
            gaps = [s.relative_gap for s in found.solutions if s.relative_gap is not None]
            self.solutions_ = found.solutions
            self.solver_ = found.solutions[0].solver
            self.dual_gap_ = max(gaps) if len(gaps) == len(found.solutions) else None
            self.fit_status_ = int(not all(map(self._is_done, found.solutions)))

    def _read(self, intercept: FloatArray | None) -> None:
        precision = "single" if self.precision == "single" else "double"
        self._reading = Reading(self._stream, intercept, precision, self.n_threads)

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
        if not first and self._is_known_width(X) and are_ready(X, y, needs_y=True):
            return X, y, self._check_weight(sample_weight, X)
        return self._validate_fit(X, y, sample_weight, reset=first, **options)

    def _check_kernel_values(self, X: Any) -> None:
        """Refuse rows with k(x, x) beyond the range of numbers."""
        wrong = np.flatnonzero(~np.isfinite(self.kernel_.diag(X)))
        if len(wrong):
            raise ValueError(
                f"kernel values must be finite, got k(x, x) beyond the range of numbers for row "
                f"{wrong[0]} of X: scale the features"
            )

    # --- learning --------------------------------------------------------------------

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
                return
        if self.finishing == "all" and self.max_support_vectors is None:
            self._finish_all(X, targets, weight, ids, deadline)
        elif self.finishing != "none":
            self._finish_kept(deadline)

    # --- finishing -------------------------------------------------------------------

    def finish(self) -> Self:
        """Make the solution optimal, with a certificate in ``solutions_``.

        On the examples that are kept, or with ``keep_rows=True`` on all that were seen: then it is
        that of a batch machine. Learning may go on afterwards.

        Returns
        -------
        self : object
        """
        check_is_fitted(self)
        self._validate_params()
        deadline = Deadline.after(self.max_time)
        if self._history is not None and len(self._history):
            self._finish_all(*self._history.all(), deadline)
        else:
            self._finish_kept(deadline)
        return self

    def _finish_kept(self, deadline: Deadline) -> None:
        state = self._stream.state()
        if not len(state["ids"]):
            return
        found = self._finished(self._stream.rows(), state["terms"], state["beta"], deadline)
        self._stream.restart(found.beta)
        self._changed(found)
        self._warn_if_early()

    def _finish_all(
        self,
        X: Any,
        targets: NDArray[Any],
        weight: FloatArray,
        ids: Ids,
        deadline: Deadline,
        solver: Any = None,
        left_out: NDArray[np.intp] | None = None,
    ) -> None:
        """The optimum of all rows but some; the stream goes on from its support vectors."""
        terms = self._terms(targets, weight)
        if left_out is not None:
            terms.reshape(len(terms), -1, 3)[left_out, :, 1:] = 0.0
        found = self._finished(X, terms, self._start(ids), deadline, solver, weight)
        support = np.flatnonzero(found.beta.any(axis=1))
        state = {
            "slots": np.arange(len(support)),
            "ids": ids[support],
            "terms": terms[support],
            "beta": found.beta[support],
            "gradient": None,
        }
        if not len(support):
            return
        self._stream.begin(state, take_rows(X, support))
        self._changed(found)
        self._warn_if_early()

    def _start(self, ids: Ids) -> FloatArray:
        """The variables of all rows as the stream has them."""
        state = self._stream.state()
        start = np.zeros((len(ids), state["beta"].shape[1]))
        places = np.minimum(np.searchsorted(ids, state["ids"]), len(ids) - 1)
        is_there = ids[places] == state["ids"]
        start[places[is_there]] = state["beta"][is_there]
        return start

    def _finished(
        self,
        rows: Any,
        terms: FloatArray,
        beta: FloatArray,
        deadline: Deadline,
        solver: Any = None,
        weight: FloatArray | None = None,
    ) -> Finished:
        weight = np.ones(len(terms)) if weight is None else weight
        with self._display(self._n_functions) as display:
            callback = display.watch(0, self.callback) if display else self.callback
            return finished(
                self._make_gram(self.kernel_, rows, weight),
                terms,
                beta,
                n_functions=self._n_functions,
                solver=self.solver if solver is None else solver,
                tol=self.tol,
                deadline=deadline,
                callback=callback,
            )

    def _warn_if_early(self) -> None:
        if self.fit_status_:
            self._warn_not_converged()

    # --- forgetting ------------------------------------------------------------------

    def forget(self, ids: ArrayLike) -> Self:
        """Remove examples as if they had never been seen; needs ``keep_rows=True``.

        The machine becomes the optimum of all other examples, certified in ``solutions_``: the
        active-set method goes on from the present solution with the boxes of the removed examples
        collapsed to zero.

        Parameters
        ----------
        ids : array-like of int
            Positions of the examples in the stream, counted from 0.

        Returns
        -------
        self : object
        """
        check_is_fitted(self)
        self._validate_params()
        if self._history is None:
            raise ValueError(
                "forget needs all examples that were seen: construct the machine with "
                "keep_rows=True, got keep_rows=False"
            )
        wanted = np.unique(np.asarray(ids).ravel())
        if len(wanted) and wanted.dtype.kind not in "iu":
            raise TypeError(f"ids must be integers, got an array of {wanted.dtype}")
        places = self._history.places_of(wanted.astype(np.int64))
        if (places < 0).any():
            raise ValueError(
                f"ids must be positions of examples that are kept, got {wanted[places < 0][0]}"
            )
        if len(places):
            self._forget_places(places)
        return self

    def _forget_places(self, places: NDArray[np.intp]) -> None:
        assert self._history is not None
        rows, targets, weight, seen = self._history.all()
        self._check_rest(np.delete(targets, places), np.delete(weight, places))
        deadline = Deadline.after(self.max_time)
        self._finish_all(rows, targets, weight, seen, deadline, "active-set", places)
        self._history.drop(places)

    def _check_rest(self, targets: NDArray[Any], weight: FloatArray) -> None:
        """Refuse to forget what a machine cannot do without."""
        if not (weight > 0).any():
            raise ValueError("ids must leave an example of positive weight, got all of them")

    # --- what was learned ------------------------------------------------------------

    @property
    def support_ids_(self) -> Ids:
        """Positions of the support vectors in the stream, ascending; negative: merged ones."""
        check_is_fitted(self)
        return self._reading.ids

    @property
    def support_vectors_(self) -> Any:  # type: ignore[override]
        """The support vectors, in the order of ``support_ids_``."""
        check_is_fitted(self)
        return self._reading.vectors

    @property
    def dual_coef_(self) -> FloatArray:
        """Coefficients of the support vectors, one row for each function."""
        check_is_fitted(self)
        return self._reading.coef

    @property
    def intercept_(self) -> FloatArray:
        """Bias of each function."""
        check_is_fitted(self)
        return self._reading.intercept

    @property
    def n_kept_(self) -> int:
        """Examples that are kept: support vectors, and others that may become some."""
        check_is_fitted(self)
        return self._stream.n_kept

    @property
    def kept_bytes_(self) -> int:
        """Memory of the kernel rows that are kept, in bytes."""
        check_is_fitted(self)
        return self._stream.kernel_bytes

    @property
    def budget_error_(self) -> FloatArray:
        """Bound of what the budget has done to each function, in the norm of its space.

        The sum over all evictions of how far each moved the function.
        """
        check_is_fitted(self)
        return np.asarray(self._reading.state["errors"]).copy()

    @property
    def violation_(self) -> float:  # type: ignore[override]
        """Largest KKT violation: certified after finishing, else on the kept examples."""
        check_is_fitted(self)
        if "solutions_" in vars(self):
            return max(solution.violation for solution in self.solutions_)
        return float(self._reading.violation.max(initial=0.0))

    @property
    def objective_(self) -> float:  # type: ignore[override]
        """Dual objective, summed over functions."""
        check_is_fitted(self)
        if "solutions_" in vars(self):
            return float(sum(solution.objective for solution in self.solutions_))
        return float(self._reading.objective.sum())

    @property
    def coef_(self) -> Any:
        """Weights of the features; linear kernels only."""
        check_is_fitted(self)
        return linear_coef(self, np.empty(0, dtype=np.intp))

    def _values(self, X: Any) -> FloatArray:
        """Values of the functions, shape (n_rows, n_functions)."""
        X = self._validate_predict(X)
        return self._reading.values(X)
