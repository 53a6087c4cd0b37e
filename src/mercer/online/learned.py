"""What an online machine has learned so far, and how it is kept."""

from __future__ import annotations

from abc import abstractmethod
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from mercer._threads import resolve_threads
from mercer.gram.bounded_expansion import LazyExpansion
from mercer.kernels import Gaussian
from mercer.machines.base import KernelMachine
from mercer.machines.linear_coef import linear_coef
from mercer.online.finishing import Finished
from mercer.online.history import History
from mercer.online.kept_rows import Ids
from mercer.online.reading import Reading
from mercer.online.stream import Rules, Stream
from mercer.training.rows import read_new_rows, takes_objects

__all__ = ["LearnedMachine"]

FloatArray = NDArray[np.float64]
# What the problem of a stream is made of.
_FIXED = ("C", "epsilon", "class_weight", "kernel", "degree", "gamma", "coef0", "precision",
          "keep_rows", "window")  # fmt: skip
_PLAIN = (str, Real, bool, dict)
_MEGABYTES = 2048.0  # of the kernel rows of kept examples, unless cache_size says otherwise


class LearnedMachine(KernelMachine):
    """Fitted attributes of a machine that learns from a stream."""

    _variables_per_row: ClassVar[int]

    @abstractmethod
    def _terms(self, targets: NDArray[Any], weight: FloatArray) -> FloatArray:
        """Linear term and box of each variable of each example."""

    @property
    @abstractmethod
    def _n_functions(self) -> int:
        """Number of functions."""

    @property
    @abstractmethod
    def _slack(self) -> float:
        """How far from the margin an example may lie that is kept without a coefficient."""

    def _rules(self) -> Rules:
        megabytes = _MEGABYTES if self.cache_size == "auto" else float(self.cache_size)
        size = min(2**20 * megabytes, 2.0**62)
        return Rules(
            n_functions=self._n_functions,
            variables_per_row=self._variables_per_row,
            selection="second-order" if self.selection == "auto" else self.selection,
            tol=float(self.tol),
            n_reprocess=int(self.n_reprocess),
            max_kept=int(self.max_support_vectors or 0),
            eviction=self._resolved_eviction(),
            # a function may give other values when it is asked again
            max_row_bytes=0 if self.kernel_.form().reads_python else int(max(size, 1.0)),
        )

    def _resolved_eviction(self) -> str:
        """What "auto" stands for."""
        if self.eviction != "auto":
            return str(self.eviction)
        merges = isinstance(self.kernel_, Gaussian) and self._variables_per_row == 1
        return "merging" if merges else "removal"

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
        state.pop("_fixed", None)
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
        self._history = History() if self._keeps_history else None
        if self._history is not None and seen is not None:
            self._history.add(*seen)
        self._fix()
        self._read(intercept)

    @property
    def _keeps_history(self) -> bool:
        """Whether examples are there that the machine does not need at the moment."""
        return bool(self.keep_rows or self._waits or self.window is not None)

    def _fix(self) -> None:
        """Remember what must not change while a stream goes on."""
        self._fixed = {name: getattr(self, name) for name in _FIXED if hasattr(self, name)}

    def _check_fixed(self) -> None:
        """Refuse parameters that are others than at the beginning of the stream."""
        for name, before in self._fixed.items():
            now = getattr(self, name)
            if now is before or (isinstance(now, _PLAIN) and now == before):
                continue
            raise ValueError(
                f"{name} must stay what it was when the stream began, {before!r}, got {now!r}: "
                "fit begins anew"
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

    @property
    def _expanded(self) -> LazyExpansion:
        return self._reading.expanded

    @property
    def support_ids_(self) -> Ids:
        """Positions of the support vectors in the stream, ascending; negative: merged ones."""
        check_is_fitted(self)
        return self._reading.ids

    @property
    def support_vectors_(self) -> Any:  # type: ignore[override]
        """The support vectors, in the order of ``support_ids_``."""
        check_is_fitted(self)
        vectors = self._reading.vectors
        is_empty = len(self._stream.kept) == 0 and not takes_objects(self.kernel)
        return np.empty((0, self.n_features_in_)) if is_empty else vectors

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
    def n_recomputed_(self) -> int:
        """Kernel rows computed again, since it was made or loaded: ``cache_size`` was too small."""
        check_is_fitted(self)
        return self._stream.n_recomputed

    @property
    def violation_(self) -> float:
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
        X = read_new_rows(self, X)
        return self._reading.values(X)
