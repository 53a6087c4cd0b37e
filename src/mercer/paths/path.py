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
from mercer.paths.certified import bias_interval, certify_machine
from mercer.paths.crossings import sign_changes
from mercer.paths.kernel_values import KernelValues, OnRows
from mercer.paths.limits import Limits
from mercer.paths.numbers import plain, positive, real
from mercer.paths.regression_error import LOSSES, ErrorCurve, regression_error
from mercer.paths.segments import FREE, Segments
from mercer.paths.start import scaled_problem
from mercer.paths.step_function import StepFunction
from mercer.paths.summary import PathSummary, event_table, summarize
from mercer.paths.training_rows import read_labels, read_targets, read_weight
from mercer.problem import Certificate, Problem
from mercer.solvers.deadline import Deadline

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
        How far the path is known; infinite if it is complete, 0 if it ended before the first
        solution was found.
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
    def C(self) -> FloatArray:
        """The breakpoints."""
        with np.errstate(divide="ignore"):
            return np.asarray(1.0 / self.segments.parameter)

    @property
    def C_start(self) -> float:
        """The first breakpoint."""
        return float(self.C[0])

    @property
    def C_end(self) -> float:
        """The largest C the path is known for."""
        end = self.segments.end_parameter
        return np.inf if end == 0.0 else 1.0 / end

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

    def _locate(self, C: float) -> tuple[int, float]:
        """Segment and parameter of a C, checked."""
        self._check_known()
        value = real("C", C)
        # C_end is 1 / (1 / C): rounding must not shut out the C that was asked for
        if not self.C_begin * (1 - 1e-12) <= value <= self.C_end * (1 + 1e-12) or value <= 0:
            raise ValueError(
                f"C must be positive and lie in [{self.C_begin:.6g}, {self.C_end:.6g}], where the "
                f"path is known, got {plain(C)}"
            )
        if value == np.inf and self.status != "complete":
            raise ValueError(f"C must be finite: the path is not complete ({self.status})")
        parameter = 1.0 / min(value, self.C_end)
        if self.C_begin > 0:
            # rounding must not lead to before the beginning, where nothing is known
            parameter = min(parameter, float(self.segments.parameter[0]))
        return self.segments.locate(parameter), parameter

    def _check_known(self) -> None:
        if self.C_end == 0.0:
            raise ValueError(
                f"no C is known: the path ended before its first solution ({self.status})"
            )

    def coef(self, C: float) -> FloatArray:
        """Coefficient of each row at ``C``: positive for the second class, in O(n).

        Parameters
        ----------
        C : float
            Positive, at most ``C_end``.

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        return self.problem.row_coef(self._variables(C), self._n_rows)

    def _variables(self, C: float) -> FloatArray:
        """The variables of the problem at ``C``."""
        k, t = self._locate(C)
        s = self.segments
        # times C, not divided by t: what is at its bound meets it to the last digit
        if t > s.parameter[0]:
            return np.asarray(s.coef(0, s.parameter[0]) * float(C))
        if self.status == "complete" and k == len(s) - 1:
            # nothing is at its bound any more: the coefficients stay what they are
            return np.asarray(s.coef(k, s.parameter[k]) / s.parameter[k])
        return np.asarray(s.coef(k, t) * float(C))

    @property
    def _n_rows(self) -> int:
        return int(self.problem.index.max()) + 1 if self.rows is None else count_rows(self.rows)

    def intercept(self, C: float) -> float:
        """The bias at ``C``; always inside :meth:`intercept_interval`."""
        return self._bias(C) - self._level(C)

    def _level(self, C: float) -> float:
        """What the bias has more for the origin of the path."""
        return 0.0 if self.origin is None else self.gram.level(self.coef(C))

    def _bias(self, C: float) -> float:
        """The bias at ``C`` for the origin of the path."""
        k, t = self._locate(C)
        s = self.segments
        if t > s.parameter[0]:
            # b = (bias + (t - parameter) rate) / t, for a C whose t is infinite too
            at_breakpoint = float(s.bias[0] - s.parameter[0] * self.start_rate)
            return float(self.start_rate + at_breakpoint * float(C))
        if self.status == "complete" and k == len(s) - 1:
            return float(s.bias[k] / s.parameter[k])
        return float((s.bias[k] + (t - s.parameter[k]) * s.bias_rate[k]) / t)

    def free(self, C: float) -> NDArray[np.intp]:
        """The rows in the factor at ``C``; some may lie on a bound."""
        sides = self.segments.sides(self._locate(C)[0])
        return np.unique(self.problem.index[sides == FREE])

    def intercept_interval(self, C: float) -> tuple[float, float]:
        """Every bias that is optimal with the coefficients at ``C``.

        docs/theory/paths.md#bias-interval has the formula.
        """
        coef, bias, level = self._variables(C), self._bias(C), self._level(C)
        low, high = bias_interval(self._problem_at(C), self.gram, coef, bias)
        return low - level, high - level

    def _problem_at(self, C: float) -> Problem:
        """The problem at ``C``; for an infinite one at a C beyond which nothing changes."""
        return scaled_problem(self.problem, 2.0 * float(self.C[-1]) if np.inf == C else C)

    def certificate(self, C: float) -> Certificate:
        """How good the machine at ``C`` is, its intercept included, computed afresh."""
        coef, bias = self._variables(C), self._bias(C)
        return certify_machine(self._problem_at(C), self.gram, coef, bias)

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
        out += [self._bias(c) for c in several]
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
        allowed = (None,) if self.classes is not None else (None, *LOSSES)
        if loss not in allowed:
            raise ValueError(f"loss must be one of {allowed}, got {loss!r}")
        self._check_known()
        values = self._known_values()
        X = values.read(X)
        weight = read_weight(sample_weight, count_rows(X))

        def block(variables: NDArray[np.int64]) -> FloatArray:
            return values.block(X, self.problem.index[variables])

        if self.classes is None:
            targets = read_targets(y, len(weight))
            return regression_error(self, block, targets, weight, loss or LOSSES[0])
        sign = np.where(read_labels(y, self.classes, len(weight)) == 1, 1.0, -1.0)
        return sign_changes(self, block, len(sign)).error(sign, weight)

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
        from mercer.paths.leave_one_out import leave_one_out_error

        if self.classes is None:
            raise ValueError("leave_one_out is for classifiers, this is a path of regression")
        self._check_known()
        deadline = Deadline.after(max_time)
        limits = Limits(C_max=min(positive("C_max", C_max), self.C_end), deadline=deadline)
        weight = read_weight(sample_weight, self._n_rows)[self.problem.index]
        found = leave_one_out_error(self, limits, weight)
        if found.error is None:
            raise ValueError(f"max_time={plain(max_time)} is too short to leave out any row")
        found.warn_if_incomplete("the error is that of these")
        return found.error

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
        from mercer.paths.plot import plot_path

        return plot_path(self, X, y, axes)

    def save(self, file: str | os.PathLike[str]) -> None:
        """Write the path to a ``.npz`` file, without the rows and the kernel."""
        from mercer.paths.storage import save_path

        save_path(self, file)

    @staticmethod
    def load(file: str | os.PathLike[str], *, kernel: Kernel | None = None, X: Any = None) -> Path:
        """Read a path; with the kernel and the rows it was made of it can predict."""
        from mercer.paths.storage import load_path

        loaded = load_path(file, "Path", kernel, X)
        assert isinstance(loaded, Path)
        return loaded
