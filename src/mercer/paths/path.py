"""A regularization path: the solution of a support vector machine for every C."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer.gram import Expansion, Gram
from mercer.kernels import Kernel, Precomputed
from mercer.lowrank import LowRank
from mercer.native_kernel import count_rows, take_rows
from mercer.paths.certified import certify_machine
from mercer.paths.crossings import error_function
from mercer.paths.follow import Limits
from mercer.paths.segments import FREE, Segments
from mercer.paths.start import scaled_problem
from mercer.paths.step_function import StepFunction
from mercer.paths.summary import PathSummary, summarize
from mercer.problem import Certificate, Problem

__all__ = ["Path"]

FloatArray = NDArray[np.float64]
EVENT = np.dtype([("C", np.float64), ("row", np.int64), ("side", np.int8), ("n_free", np.int64)])


@dataclass(frozen=True, eq=False)
class Path:
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
        How far the path is known; infinite if it is complete.
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
        Largest KKT violation met when solutions were recomputed on the way.
    accuracy : float
        Bound of the relative duality gap between breakpoints: 0 for an exact path, at most
        what was asked for otherwise.
    low_rank : LowRank or None
        The approximation of the kernel, if one was asked for; ``low_rank.trace_error_`` says
        how good it is. Everything else is exact for the approximate kernel.
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
    kernel: Kernel | None
    rows: Any
    gram: Gram | None = None
    low_rank: LowRank | None = None

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
        s = self.segments
        out = np.empty(len(s.changed), EVENT)
        of = np.searchsorted(s.changes_end, np.arange(len(s.changed)), side="right")
        out["C"], out["n_free"] = self.C[of], s.n_free[of]
        out["row"] = self.problem.index[s.changed]
        bound = np.where(s.side > 0, s.upper[s.changed], s.lower[s.changed])
        out["side"] = np.where(s.side == FREE, 0, np.where(bound == 0, -1, 1))
        return out

    def __repr__(self) -> str:
        rows, events = len(np.unique(self.problem.index)), len(self.segments.changed)
        return (
            f"<Path of {rows} rows: {events} events from C={self.C_start:.4g} to "
            f"{self.C_end:.4g}, {self.status}>"
        )

    def __getstate__(self) -> dict[str, Any]:
        # kernel values are made again when they are needed
        return self.__dict__ | {"gram": None}

    # --- solutions -------------------------------------------------------------------

    def _locate(self, C: float) -> tuple[int, float]:
        """Segment and parameter of a C, checked."""
        value = float(C)
        if not (0 < value <= self.C_end and value >= self.C_begin * (1 - 1e-12)):
            raise ValueError(
                f"C must be positive and lie in [{self.C_begin:.6g}, {self.C_end:.6g}], where the "
                f"path is known, got {C}"
            )
        if value == np.inf and self.status != "complete":
            raise ValueError(f"the path is not complete ({self.status}): C must be finite")
        parameter = 1.0 / value
        if self.C_begin > 0:
            # rounding must not lead to before the beginning, where nothing is known
            parameter = min(parameter, float(self.segments.parameter[0]))
        return self.segments.locate(parameter), parameter

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
        k, t = self._locate(C)
        s = self.segments
        if t > s.parameter[0]:
            return float((s.bias[0] + (t - s.parameter[0]) * self.start_rate) / t)
        if self.status == "complete" and k == len(s) - 1:
            return float(s.bias[k] / s.parameter[k])
        return float((s.bias[k] + (t - s.parameter[k]) * s.bias_rate[k]) / t)

    def free(self, C: float) -> NDArray[np.intp]:
        """The rows in the factor at ``C``; some may lie on a bound."""
        sides = self.segments.sides(self._locate(C)[0])
        return np.unique(self.problem.index[sides == FREE])

    def intercept_interval(self, C: float) -> tuple[float, float]:
        """Every bias that is optimal with the coefficients at ``C``.

        An interval where no row pins it; see docs/theory/paths.md#bias-interval.
        """
        coef = self._variables(C)
        values = self._training_values(self.problem.row_coef(coef, self._n_rows))
        gradient = self.problem.linear - values[self.problem.index] - self.problem.ridge * coef
        low, high = C * self.segments.lower, C * self.segments.upper
        slack = 1e-9 * (high - low)
        rise, fall = coef < high - slack, coef > low + slack
        lowest = float(gradient[rise].max(initial=-np.inf))
        highest = float(gradient[fall].min(initial=np.inf))
        bias = self.intercept(C)
        rounding = 1e-8 * (1.0 + abs(bias))
        if lowest - rounding <= bias <= highest + rounding:
            # rounding must not put the bias next to the interval, or leave that empty
            return min(lowest, bias), max(highest, bias)
        return lowest, highest

    def certificate(self, C: float) -> Certificate:
        """How good the machine at ``C`` is, its intercept included, computed afresh."""
        problem, coef = scaled_problem(self.problem, C), self._variables(C)
        return certify_machine(problem, self._known_gram(), coef, self.intercept(C))

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
        values = np.atleast_1d(np.asarray(C, dtype=np.float64))
        weights = np.column_stack([self.coef(c) for c in values])
        used = np.flatnonzero(weights.any(axis=1))
        kernel = self._known_kernel()
        rows = used if isinstance(kernel, Precomputed) else take_rows(self.rows, used)
        out = Expansion(kernel, rows, weights[used]).evaluate(self._features(X))[0]
        out += [self.intercept(c) for c in values]
        return out[:, 0] if np.ndim(C) == 0 else out

    def predict(self, X: Any, C: float) -> NDArray[Any]:
        """Class of each row at ``C``; the value itself for regression."""
        if self.classes is None:
            return self.decision_function(X, C)
        return np.asarray(self.classes[(self.decision_function(X, C) > 0).astype(np.intp)])

    # --- the whole path --------------------------------------------------------------

    def error(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> StepFunction:
        """Share of wrong predictions as a function of C, exact: every crossing is found.

        Parameters
        ----------
        X : rows
            For a precomputed kernel: values against all training rows.
        y : array-like of shape (n_rows,)
            Their classes.
        sample_weight : array-like of shape (n_rows,), default=None
            Weights of the rows.

        Returns
        -------
        StepFunction
            On [0, C_end].
        """
        if self.classes is None:
            raise ValueError("error is for classifiers, this is a path of regression")
        labels = np.asarray(y)
        unknown = ~np.isin(labels, self.classes)
        if unknown.any():
            raise ValueError(f"y must hold the classes {self.classes}, got {labels[unknown][0]!r}")
        sign = np.where(labels == self.classes[1], 1.0, -1.0)
        weight = np.ones(len(sign)) if sample_weight is None else np.asarray(sample_weight, float)
        kernel, X = self._known_kernel(), self._features(X)

        def block(variables: NDArray[np.int64]) -> FloatArray:
            if isinstance(kernel, Precomputed):
                return np.asarray(X)[:, variables]
            return kernel(X, take_rows(self.rows, variables))

        return error_function(self, block, sign, weight)

    def leave_one_out(
        self, C_max: float = np.inf, sample_weight: ArrayLike | None = None
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
        """
        from mercer.paths.validation import leave_one_out_error

        if self.classes is None:
            raise ValueError("leave_one_out is for classifiers, this is a path of regression")
        limits = Limits(C_max=min(C_max, self.C_end))
        return leave_one_out_error(self, limits, sample_weight)

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

        return load_path(file, kernel, X)

    # --- kernel values ---------------------------------------------------------------

    def _known_kernel(self) -> Kernel:
        if self.kernel is None or self.rows is None:
            raise ValueError("this needs the kernel and X: give both to Path.load")
        return self.kernel

    def _features(self, X: Any) -> Any:
        """Rows as the kernel of the path takes them."""
        if self.low_rank is None:
            return X
        return np.ascontiguousarray(self.low_rank.transform(X))

    def _known_gram(self) -> Gram:
        if self.gram is not None:
            return self.gram
        return Gram(self._known_kernel(), self.rows, precision="double")

    def _training_values(self, coef: FloatArray) -> FloatArray:
        """Expansion at the training rows."""
        gram = self._known_gram()
        used = np.flatnonzero(coef)
        if not len(used):
            return np.zeros(len(coef))
        return gram.product(used, coef[used], precision="double")
