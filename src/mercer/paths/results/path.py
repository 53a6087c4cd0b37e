"""A regularization path: the solution of a support vector machine for every C."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer.gram.native import count_rows
from mercer.kernels import Kernel
from mercer.paths.curves.regression_error import ErrorCurve
from mercer.paths.curves.step_function import StepFunction
from mercer.paths.inputs.kernel_values import KernelValues, OnRows
from mercer.paths.results.certified import bias_interval, certify_machine
from mercer.paths.results.segments import Segments
from mercer.paths.results.solutions import Solutions
from mercer.paths.results.summary import PathSummary, event_table, summarize
from mercer.problem import Certificate, Problem

__all__ = ["Path"]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Path(OnRows):
    """Support vector machines for all C from 0 to ``C_end``, made by :func:`svc_path` or
    :func:`svr_path`.

    Attributes
    ----------
    C : ndarray of shape (n_breakpoints,)
        The breakpoints, ascending, equal ones repeated: between them ``coef`` is affine
        in C. The first one is ``C_start``.
    C_start : float
        Up to here the decision is that of the smallest C; infinite if the path is trivial:
        the same constant for every C.
    C_begin : float
        The smallest C the path is known for; 0 unless it was asked to begin later, or
        began late.
    C_end : float
        How far the path is known; infinite if it is complete or trivial, 0 if it ended before
        the first solution was found.
    events : structured ndarray of shape (n_events,)
        Fields ``C``, ``row``, ``side`` (-1: now at zero, 0: now free, 1: now at its bound C
        times weight) and ``n_free`` afterwards.
    status : str
        "complete" (nothing changes any more), "C_max", "trivial", or why it ended early:
        "max-events", "max-time", "callback", "precision-limit".
    problem : Problem
        The problem at C = 1; for other C the box is C times as large.
    classes : ndarray of shape (2,) or None
        The labels; a positive decision means the second. None for regression.
    start : str
        How the first breakpoint was found: "exact", "artificial" or "artificial, late".
    violation : float
        Largest KKT violation met when solutions were recomputed on the way, and at the end of
        a path that ended for lack of digits.
    accuracy : float
        Bound of the relative duality gap between breakpoints: 0 for an exact path, at most
        what was asked for otherwise.
    kernel, rows : Kernel and rows, or None
        What it is made of; None for a path that was loaded without them.
    low_rank : LowRank or None
        The approximation of the kernel, if one was asked for; ``low_rank.trace_error_`` says
        how good it is. Everything else is exact for the approximate kernel.
    origin : ndarray of shape (n_features,) or None
        Where the path measures its rows from: not from zero if they lie far from it. Biases of
        ``segments`` are for that origin, :meth:`intercept` is not.
    """

    segments: Segments
    problem: Problem
    status: str
    classes: NDArray[Any] | None
    start: str
    start_rate: float
    C_begin: float
    violation: float
    accuracy: float
    seconds: float
    kernel_values: KernelValues | None = None
    origin: FloatArray | None = None

    @cached_property
    def solutions(self) -> Solutions:
        """Variables of the problem and bias at every C."""
        return Solutions(self.segments, self.problem, self.status, self.start_rate, self.C_begin)

    @property
    def C(self) -> FloatArray:
        """The breakpoints."""
        return self.solutions.C

    @property
    def C_start(self) -> float:
        """The first breakpoint."""
        return float(self.C[0])

    @property
    def C_end(self) -> float:
        """The largest C the path is known for."""
        return self.solutions.C_end

    @cached_property
    def events(self) -> NDArray[Any]:
        """Who changed sides where."""
        return event_table(self)

    def __repr__(self) -> str:
        rows, events = len(np.unique(self.problem.index)), len(self.segments.changed)
        return (
            f"<Path of {rows} rows: {events} events from C={self.C_start:.4g} to "
            f"{self.C_end:.4g}, {self.status}>"
        )

    def coef(self, C: float) -> FloatArray:
        """Coefficient of each row at ``C``: positive for the second class, in O(n).

        Parameters
        ----------
        C : float
            Positive, at most ``C_end``; infinite only if the path is complete.

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        return self.problem.row_coef(self.solutions.variables(C), self.n_rows)

    @property
    def n_rows(self) -> int:
        """Number of training rows."""
        return int(self.problem.index.max()) + 1 if self.rows is None else count_rows(self.rows)

    def intercept(self, C: float) -> float:
        """The bias at ``C``; always in :meth:`intercept_interval`."""
        return self.solutions.bias(C) - self._level(C)

    def _level(self, C: float) -> float:
        """What the bias has more for the origin of the path."""
        return 0.0 if self.origin is None else self.gram.level(self.coef(C))

    def free(self, C: float) -> NDArray[np.intp]:
        """The rows in the factor at ``C``; some may lie on a bound."""
        return self.solutions.free(C)

    def intercept_interval(self, C: float) -> tuple[float, float]:
        """Every bias that is optimal with the coefficients at ``C``.

        docs/theory/paths.md#bias-interval has the formula.
        """
        at, level = self.solutions, self._level(C)
        low, high = bias_interval(at.problem_at(C), self.gram, at.variables(C), at.bias(C))
        return low - level, high - level

    def certificate(self, C: float) -> Certificate:
        """How good the machine at ``C`` is, its intercept included, computed afresh."""
        at = self.solutions
        return certify_machine(at.problem_at(C), self.gram, at.variables(C), at.bias(C))

    def decision_function(self, X: Any, C: float | ArrayLike) -> FloatArray:
        """Values of the machine at ``C``; positive means ``classes[1]``.

        Parameters
        ----------
        X : rows
            For a precomputed kernel: values against all training rows.
        C : float or array-like of shape (n_values,)
            Positive, at most ``C_end``.

        Returns
        -------
        ndarray of shape (n_rows,), or (n_rows, n_values) for several C
        """
        return self._decide(self._known_values().read(X), C)

    def _decide(self, X: Any, C: float | ArrayLike) -> FloatArray:
        """Decision values at rows that were read."""
        if np.ndim(C) > 1 or not np.size(C):
            raise ValueError(f"C must be a number or a vector of them, got shape {np.shape(C)}")
        several = np.atleast_1d(np.asarray(C))
        coef = np.column_stack([self.coef(c) for c in several])
        out = self._known_values().expand(X, coef)
        out += [self.solutions.bias(c) for c in several]
        return out[:, 0] if np.ndim(C) == 0 else out

    def predict(self, X: Any, C: float) -> NDArray[Any]:
        """Class of each row at ``C``; the value itself for regression."""
        if self.classes is None:
            return self.decision_function(X, C)
        return np.asarray(self.classes[(self.decision_function(X, C) > 0).astype(np.intp)])

    def error(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        loss: str | None = None,
    ) -> StepFunction | ErrorCurve:
        """Error of the predictions as a function of C, exact at every C.

        Of a classifier the share of wrong ones, every crossing found; of regression the mean
        squared or absolute error, a function of C known in closed form between breakpoints.

        Parameters
        ----------
        X : rows
            For a precomputed kernel: values against all training rows.
        y : array-like of shape (n_rows,)
            Their classes or targets.
        sample_weight : array-like of shape (n_rows,), default=None
            Weights of the rows.
        loss : {"squared_error", "absolute_error"} or None, default=None
            Of regression; None is the squared error. Classifiers have none to choose.

        Returns
        -------
        StepFunction or ErrorCurve
            On [C_begin, C_end].
        """
        from mercer.paths.curves.path_error import path_error

        return path_error(self, X, y, sample_weight, loss)

    def leave_one_out(
        self,
        C_max: float = np.inf,
        sample_weight: ArrayLike | None = None,
        *,
        max_time: float | None = None,
    ) -> StepFunction:
        """Share of rows that the machine trained without them gets wrong, for every C.

        Exact, by one path without each row that is ever used: as many paths as there are
        such rows, each only as far as the row matters.

        Parameters
        ----------
        C_max : float, default=inf
            Where to end; at most ``C_end``.
        sample_weight : array-like of shape (n_rows,), default=None
            Weights of the errors.
        max_time : float, default=None
            Seconds after which the share of the rows so far is returned, with a warning.
        """
        from mercer.paths.validation.leave_one_out import leave_one_out

        return leave_one_out(self, C_max, sample_weight, max_time)

    def summary(self) -> PathSummary:
        """What happened, in numbers."""
        return summarize(self)

    def plot(self, X: Any = None, y: ArrayLike | None = None, *, axes: Any = None) -> Any:
        """Coefficients, number of free rows and, with ``X`` and ``y``, the error against C.

        Parameters
        ----------
        X, y : rows and classes, default=None
            Validation rows whose error is shown.
        axes : sequence of matplotlib axes, default=None
            Where to draw: two, or three with ``X``; a new figure if None.

        Returns
        -------
        ndarray of matplotlib axes
        """
        from mercer.paths.results.plot import plot_path

        return plot_path(self, X, y, axes)

    def save(self, file: str | os.PathLike[str]) -> None:
        """Write the path to a ``.npz`` file, without the rows and the kernel."""
        from mercer.paths.results.storage import save_path

        save_path(self, file)

    @staticmethod
    def load(file: str | os.PathLike[str], *, kernel: Kernel | None = None, X: Any = None) -> Path:
        """Read a path; with the kernel and the rows it was made of it can predict."""
        from mercer.paths.results.storage import load_path

        loaded = load_path(file, "Path", kernel, X)
        assert isinstance(loaded, Path)
        return loaded
