"""Regression of a stream."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import RegressorMixin
from sklearn.utils.validation import column_or_1d

from mercer._sklearn import Interval
from mercer.machines.docstrings import documented
from mercer.machines.fit_context import fit_context
from mercer.online.beginning import begun, check_kernel_values
from mercer.online.machine import OnlineMachine
from mercer.online.parameters import check_combination
from mercer.online.svc import OnlineSVC
from mercer.online.target_task import TargetTask
from mercer.online.uninterrupted import as_it_was
from mercer.solvers.runs.progress import Callback
from mercer.training.checked_input import naming
from mercer.training.rows import read_training_rows

__all__ = ["OnlineSVR"]

FloatArray = NDArray[np.float64]


@documented(like=OnlineSVC, without=("classes_", "class_weight_", "queried_", "stop_reason_"))
class OnlineSVR(RegressorMixin, OnlineMachine):
    """Support vector regression of a stream, by LASVM.

    As :class:`OnlineSVC`, with two variables for each example: one that pulls the function up, one
    that pulls it down.

    Parameters
    ----------
    epsilon : float, default=0.1
        Half-width of the tube without loss.
    eviction : {"auto", "removal", "projection"}, default="auto"
        How an example leaves where there are too many: its coefficient goes to the nearest one, or
        is spread so that the function changes least. "auto" is removal.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import OnlineSVR
    >>> X = np.random.default_rng(0).uniform(0, 6, (500, 1))
    >>> machine = OnlineSVR(gamma=1.0, C=10.0).partial_fit(X, np.sin(X[:, 0]))
    >>> bool(machine.score(X, np.sin(X[:, 0])) > 0.9)
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **OnlineMachine._parameter_constraints,
        "epsilon": [Interval(Real, 0.0, None, closed="left")],
    }

    def __init__(
        self,
        *,
        C: float = 1.0,
        epsilon: float = 0.1,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        selection: str = "auto",
        tol: float = 1e-3,
        n_epochs: int = 1,
        n_reprocess: int = 1,
        finishing: str = "all",
        keep_rows: bool = False,
        max_support_vectors: int | None = None,
        eviction: str = "auto",
        window: int | None = None,
        shuffle: bool = True,
        random_state: Any = None,
        cache_size: float | str = "auto",
        verbose: bool = False,
        solver: Any = "auto",
        precision: str = "auto",
        max_time: float | None = None,
        n_threads: int | None = None,
        callback: Callback | None = None,
    ) -> None:
        self.C = C
        self.epsilon = epsilon
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.selection = selection
        self.tol = tol
        self.n_epochs = n_epochs
        self.n_reprocess = n_reprocess
        self.finishing = finishing
        self.keep_rows = keep_rows
        self.max_support_vectors = max_support_vectors
        self.eviction = eviction
        self.window = window
        self.shuffle = shuffle
        self.random_state = random_state
        self.cache_size = cache_size
        self.verbose = verbose
        self.solver = solver
        self.precision = precision
        self.max_time = max_time
        self.n_threads = n_threads
        self.callback = callback

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Learn from all rows, from the beginning.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training rows.
        y : array-like of shape (n_samples,)
            Targets.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights; to the optimum of all rows a weight of 2 is the row given twice.

        Returns
        -------
        self : object
        """
        with as_it_was(self):
            check_combination(self)
            X, y, weight = read_training_rows(self, X, y, sample_weight, y_numeric=True)
            targets = _as_targets(y)
            self._learned = begun(self, self._task, X, weight, is_chunk=False)
            check_kernel_values(self._learned.kernel, X)
        return self._learn_epochs(X, targets, weight)

    @fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Learn from a chunk of a stream, in its order, looking at each row once.

        A chunk that is refused leaves the machine as it was. After an interrupt it is as after the
        last whole example, or before the chunk if that is learned as a whole; after ``max_time``
        such a chunk is in, but not solved to the end. ``n_seen_`` tells what was learned.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            A chunk of rows.
        y : array-like of shape (n_samples,)
            Targets.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights: factors of C. Rows of weight 0 are passed over; those of the first chunk must
            not all be.

        Returns
        -------
        self : object
        """
        with as_it_was(self):
            X, y, weight = self._read_chunk(X, y, sample_weight, y_numeric=True)
            targets = _as_targets(y)
            if not hasattr(self, "_learned"):
                self._learned = begun(self, self._task, X, weight)
            check_kernel_values(self._learned.kernel, X)
            return self._learn_chunk(X, targets, weight)

    @property
    def _task(self) -> TargetTask:
        return TargetTask(self.C, self.epsilon)

    def _restored_task(self, saved: Mapping[str, Any]) -> TargetTask:
        return self._task

    def predict(self, X: Any) -> FloatArray:
        """Value at each row."""
        return self._values(X)[:, 0]


def _as_targets(y: Any) -> FloatArray:
    """Targets of a chunk as numbers."""
    with naming(y=y):
        y = y if np.ndim(y) == 1 else column_or_1d(y, warn=True)
        return np.asarray(y, dtype=np.float64)
