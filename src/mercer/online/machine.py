"""What online machines share: parameters, chunks that are read, and fitted attributes."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from mercer._sklearn import Interval, StrOptions
from mercer.gram.bounded_expansion import LazyExpansion
from mercer.machines.base import KernelMachine
from mercer.machines.linear_coef import linear_coef
from mercer.online.call_watch import CallWatch
from mercer.online.finisher import Finisher
from mercer.online.kept_rows import Ids
from mercer.online.learned import CERTIFIED, SAVED, Learned
from mercer.online.parameters import check_combination, check_fixed
from mercer.online.stream_learner import StreamLearner
from mercer.online.target_task import Task
from mercer.online.uninterrupted import uninterrupted
from mercer.solvers.runs.deadline import Deadline
from mercer.training.checked_input import are_ready
from mercer.training.rows import read_new_rows, read_training_rows, takes_objects
from mercer.training.weights import check_weight

__all__ = ["OnlineMachine"]

FloatArray = NDArray[np.float64]


class OnlineMachine(KernelMachine):
    """Base of the machines that learn from a stream.

    Its parameters say how; ``_learned`` is what it has learned, once a stream has begun.
    """

    _learned: Learned
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

    @abstractmethod
    def _restored_task(self, saved: Mapping[str, Any]) -> Task:
        """What was learned, from what a file or a pickle holds."""

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = False
        return tags

    def _sums_vanish(self) -> bool:
        return True

    # --- learning --------------------------------------------------------------------

    def _read_chunk(
        self, X: Any, y: Any, sample_weight: ArrayLike | None, **options: Any
    ) -> tuple[Any, Any, FloatArray]:
        """Checked rows, targets and weights; of one row the long way takes longer than learning."""
        check_combination(self)
        is_absent = is_ready = False
        has_begun = hasattr(self, "_learned")
        if has_begun:
            check_fixed(self, self._learned.fixed)
            is_ready = not takes_objects(self.kernel) and self._is_known_width(X)
            is_absent = _is_nothing(sample_weight)
        if is_absent:  # its length is looked at all the same
            sample_weight = np.ones(len(np.asarray(sample_weight)))
        if is_ready and are_ready(X, y, needs_y=True):
            weight = check_weight(sample_weight, len(X))
        else:
            X, y, weight = read_training_rows(
                self, X, y, sample_weight, reset=not has_begun, **options
            )
        return X, y, 0.0 * weight if is_absent else weight

    def _learn_chunk(self, X: Any, targets: NDArray[Any], weight: FloatArray) -> Self:
        learner = StreamLearner(self, self._learned, CallWatch(self.callback))
        try:
            learner.learn_chunk(X, targets, weight)
        finally:
            self._set_fitted(learner.learned)
        return self

    def _learn_epochs(self, X: Any, targets: NDArray[Any], weight: FloatArray) -> Self:
        learner = StreamLearner(self, self._learned, CallWatch(self.callback))
        try:
            learner.learn_epochs(X, targets, weight)
        finally:
            self._set_fitted(learner.learned)
        return self

    def _set_fitted(self, learned: Learned) -> None:
        """Fitted attributes, from what is learned."""
        with uninterrupted():
            self._learned = learned
            self.kernel_, self.gamma_source_ = learned.kernel, learned.gamma_source
            self._gamma = getattr(learned.kernel, "gamma", 0.0)
            self.n_seen_ = learned.n_seen
            self.shape_fit_ = (self.n_seen_, getattr(self, "n_features_in_", 0))
            for name in CERTIFIED:
                self.__dict__.pop(name, None)
            self.__dict__.update(learned.certified)

    def finish(self) -> Self:
        """Make the solution optimal, with a certificate in ``solutions_``.

        On the examples that are kept, or with ``keep_rows=True`` on all that were seen: then it is
        that of a batch machine. Learning may go on afterwards.

        Returns
        -------
        self : object
        """
        finisher = self._finisher()
        try:
            finisher.finish()
        finally:
            self._set_fitted(finisher.learned)
        return self

    def forget(self, ids: ArrayLike) -> Self:
        """Remove examples as if they had never been seen; needs ``keep_rows=True`` or a window.

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
        finisher = self._finisher()
        if not self.keep_rows and self.window is None:
            raise ValueError(
                "forget needs all examples that count: construct the machine with "
                "keep_rows=True or a window, got keep_rows=False"
            )
        try:
            finisher.forget(ids)
        finally:
            self._set_fitted(finisher.learned)
        return self

    def _finisher(self) -> Finisher:
        check_is_fitted(self)
        self._validate_params()
        check_fixed(self, self._learned.fixed)
        deadline, watch = Deadline.after(self.max_time), CallWatch(self.callback)
        return Finisher(self, self._learned, deadline, watch)

    # --- what was learned ------------------------------------------------------------

    def __getstate__(self) -> dict[str, Any]:
        """Plain values: what is kept of the stream, not the core's part."""
        state = dict(super().__getstate__())
        learned = state.pop("_learned", None)
        return state if learned is None else state | learned.saved()

    def __setstate__(self, state: dict[str, Any]) -> None:
        saved = {name: value for name, value in state.items() if name in SAVED}
        for name in SAVED:
            self.__dict__.pop(name, None)
        super().__setstate__({name: value for name, value in state.items() if name not in SAVED})
        if "_kept" in saved:
            self._learned = Learned.restored(self, self._restored_task(saved), saved)

    @property
    def _expanded(self) -> LazyExpansion:
        return self._learned.reading.expanded

    def _values(self, X: Any) -> FloatArray:
        """Values of the functions, shape (n_rows, n_functions)."""
        X = read_new_rows(self, X)
        return self._learned.reading.values(X)

    @property
    def _standing(self) -> Learned:
        """What was learned, by a machine that has learned."""
        check_is_fitted(self)
        return self._learned

    @property
    def support_ids_(self) -> Ids:
        """Positions of the support vectors in the stream, ascending; negative: merged ones."""
        return self._standing.reading.ids

    @property
    def support_vectors_(self) -> Any:  # type: ignore[override]
        """The support vectors, in the order of ``support_ids_``."""
        vectors = self._standing.reading.vectors
        is_empty = len(self._learned.stream.kept) == 0 and not takes_objects(self.kernel)
        return np.empty((0, self.n_features_in_)) if is_empty else vectors

    @property
    def dual_coef_(self) -> FloatArray:
        """Coefficients of the support vectors, one row for each function."""
        return self._standing.reading.coef

    @property
    def intercept_(self) -> FloatArray:
        """Bias of each function."""
        return self._standing.reading.intercept

    @property
    def n_kept_(self) -> int:
        """Examples that are kept: support vectors, and others that may become some."""
        return self._standing.stream.n_kept

    @property
    def kept_bytes_(self) -> int:
        """Memory of the kernel rows that are kept, in bytes."""
        return self._standing.stream.kernel_bytes

    @property
    def n_recomputed_(self) -> int:
        """Kernel rows computed again, since it was made or loaded: ``cache_size`` was too small."""
        return self._standing.stream.n_recomputed

    @property
    def violation_(self) -> float:
        """Largest KKT violation: certified after finishing, else on the kept examples."""
        learned = self._standing
        if "solutions_" in vars(self):
            return max(solution.violation for solution in self.solutions_)
        return float(learned.reading.violation.max(initial=0.0))

    @property
    def objective_(self) -> float:  # type: ignore[override]
        """Dual objective, summed over functions."""
        learned = self._standing
        if "solutions_" in vars(self):
            return float(sum(solution.objective for solution in self.solutions_))
        return float(learned.reading.objective.sum())

    @property
    def coef_(self) -> Any:
        """Weights of the features; linear kernels only."""
        check_is_fitted(self)
        return linear_coef(self, np.empty(0, dtype=np.intp))


def _is_nothing(sample_weight: ArrayLike | None) -> bool:
    """Whether all rows of a chunk have a weight of zero, which is to say that none is there."""
    weight = np.asarray(sample_weight)
    return weight.dtype.kind in "fiub" and weight.ndim == 1 and not weight.any()
