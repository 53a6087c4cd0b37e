"""A path: the machine at every value of one parameter."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer.gram.native import count_rows
from mercer.paths.curves.regression_error import ErrorCurve
from mercer.paths.curves.step_function import StepFunction
from mercer.paths.inputs.kernel_values import KernelValues, OnRows
from mercer.paths.inputs.moved_kernel import kernel_at
from mercer.paths.results.c_solutions import CSolutions
from mercer.paths.results.certified import bias_interval, certify_machine
from mercer.paths.results.kernel_solutions import KernelSolutions
from mercer.paths.results.one_class_solutions import OneClassSolutions
from mercer.paths.results.segments import Segments
from mercer.paths.results.solutions import Solutions
from mercer.paths.results.summary import PathSummary, event_table, summarize
from mercer.problem import Certificate, Problem

__all__ = ["Path"]

FloatArray = NDArray[np.float64]
_ON_BOUNDARY = 1e-9  # times rho: what rounding makes of 0


@dataclass(frozen=True, eq=False)
class Path(OnRows):
    """Machines for every value of one parameter between ``begin`` and ``end``.

    Made by :func:`svc_path` and :func:`svr_path` (C), :func:`nu_svc_path`, :func:`nu_svr_path` and
    :func:`one_class_path` (nu), and :func:`kernel_path` (gamma, or another parameter of the
    kernel). Saved and loaded by :mod:`mercer.io`.

    Attributes
    ----------
    parameter : str
        What ``value`` means in the methods: "C", "nu", or the parameter of the kernel that moves.
    breakpoints : ndarray of shape (n_breakpoints,)
        Values of the parameter where the formula of the solution changes, in the order of the
        path, equal ones repeated. Between them the coefficients are affine in the parameter; if
        it is one of the kernel, in its logarithm.
    begin, end : float
        From where and how far the path is known. Over C the end is infinite if the path is
        complete or trivial, and 0 if it ended before the first solution was found.
    first_event : float
        Where the first row changes sides. Over C the coefficients are proportional to C up to
        here; infinite if the path is trivial: the same constant for every C.
    C, nu, epsilon, gamma : float or ndarray of shape (n_breakpoints,)
        Those of the machines at the breakpoints, as far as machines of the kind have them; a
        number if it is the same for all.
    status : str
        "complete" (the solution no longer changes), "C_max", "nu_min", "epsilon_min" or "gamma_max"
        (the requested end; each parameter of a kernel has a status of this form), "trivial" (one
        constant for all values), or why it ended early: "max-events", "max-time", "callback",
        "precision-limit".
    events : structured ndarray of shape (n_events,)
        Fields with the name of the parameter, ``row``, ``side`` (-1: now at zero, 0: now free, 1:
        now at its bound) and ``n_free`` afterwards. Kernel paths have none.
    classes : ndarray of shape (2,) or None
        The labels; a positive decision means the second. None for regression and one class.
    solutions : Solutions
        The variables of the problem at every value. Over nu it also has the equivalent C of a
        classifier, ``C_at(nu)`` and ``C_interval(nu)``, and the tube of regression,
        ``epsilon_at(nu)`` and ``epsilon_interval(nu)``.
    problem : Problem
        The problem; over C the one at C = 1, whose box is C times as large for other C.
    start : str
        How the first breakpoint was found: "exact", "artificial" or "artificial, late".
    violation : float
        Largest KKT violation found when solutions were recomputed along the path, and at the end of
        a path with status "precision-limit"; over nu relative to the largest kernel value or
        target.
    accuracy : float
        Bound on the relative duality gap between breakpoints: 0 for an exact path, otherwise at
        most the requested accuracy.
    scores : ndarray of shape (n_breakpoints,) or None
        Mean score on held-out rows at each breakpoint, if the function was given ``cv``; NaN where
        ``max_time`` came first.
    kernel, rows : Kernel and rows
        The kernel and the rows of the machines.
    low_rank : LowRank or None
        The approximation of the kernel, if one was requested; ``low_rank.trace_error_`` measures
        its quality. Everything else is exact for the approximate kernel.

    Examples
    --------
    >>> from mercer import svc_path
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1]
    >>> path = svc_path(X, y, gamma=1.0)
    >>> path.parameter, path.status, path.coef(2.0).round(3).tolist()
    ('C', 'complete', [-1.699, 2.0, -2.0, 1.699])
    >>> path.predict(X, 100.0).tolist()
    [0, 1, 0, 1]
    """

    solutions: Solutions
    classes: NDArray[Any] | None = None
    kernel_values: KernelValues | None = None
    violation: float = 0.0
    accuracy: float = 0.0
    start: str = "exact"
    scores: FloatArray | None = None
    seconds: float = np.nan

    def __repr__(self) -> str:
        at, name = self.solutions, self.parameter
        count = len(np.unique(self.problem.index))
        return (
            f"<Path over {name} of {count} rows: {at.n_events} events from "
            f"{name}={at.first_event:.4g} to {at.end:.4g}, {at.status}>"
        )

    @property
    def parameter(self) -> str:
        """The name of what moves along the path."""
        return self.solutions.parameter

    @property
    def breakpoints(self) -> FloatArray:
        """Values of the parameter where the formula of the solution changes."""
        return self.solutions.breakpoints

    @property
    def begin(self) -> float:
        """The first value the path is known for."""
        return self.solutions.begin

    @property
    def end(self) -> float:
        """The last value the path is known for."""
        return self.solutions.end

    @property
    def first_event(self) -> float:
        """The breakpoint of the first event."""
        return self.solutions.first_event

    @property
    def status(self) -> str:
        """How the path ended."""
        return self.solutions.status

    @property
    def problem(self) -> Problem:
        """The problem whose box, sum or kernel moves."""
        return self.solutions.problem

    @property
    def segments(self) -> Segments:
        """The pieces between the breakpoints; not if the kernel moves."""
        segments: Segments = self._of_machines("segments")
        return segments

    @property
    def over_C(self) -> CSolutions:
        """The solutions of a path over C."""
        assert isinstance(self.solutions, CSolutions)
        return self.solutions

    @property
    def shift(self) -> FloatArray | None:
        """Where rows are measured from if they lie far from zero; only ``solutions`` show it."""
        return None if self.kernel_values is None else self.kernel_values.shift

    @property
    def C(self) -> Any:
        """C of the machines at the breakpoints, or of all of them."""
        return self._of_machines("C")

    @property
    def nu(self) -> FloatArray:
        """Nu of the machines at the breakpoints."""
        nu: FloatArray = self._of_machines("nu")
        return nu

    @property
    def epsilon(self) -> FloatArray:
        """Half-width of the tube at the breakpoints."""
        epsilon: FloatArray = self._of_machines("epsilon")
        return epsilon

    @property
    def gamma(self) -> FloatArray:
        """Gamma of the machines at the breakpoints."""
        if self.parameter == "gamma":
            return self.breakpoints
        gamma: FloatArray = self._of_machines("gamma")
        return gamma

    @property
    def moves_kernel(self) -> bool:
        """Whether the parameter is one of the kernel."""
        return isinstance(self.solutions, KernelSolutions)

    def _of_machines(self, name: str) -> Any:
        try:
            return getattr(self.solutions, name)
        except AttributeError:
            raise AttributeError(f"this path over {self.parameter} has no {name}") from None

    @cached_property
    def events(self) -> NDArray[Any]:
        """Who changed sides where."""
        return event_table(self)

    @property
    def n_rows(self) -> int:
        """Number of training rows."""
        return int(self.problem.index.max()) + 1 if self.rows is None else count_rows(self.rows)

    def coef(self, value: float) -> FloatArray:
        """Coefficient of each row, positive for the second class, in O(n).

        Parameters
        ----------
        value : float
            Of the parameter, from ``begin`` to ``end``; C infinite only if the path is complete.

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        return self.problem.row_coef(self.solutions.variables(value), self.n_rows)

    def intercept(self, value: float) -> float:
        """The bias; of an exact path over C the middle of :meth:`intercept_interval`.

        Of one class it is minus rho: negative values of the machine are outliers.
        """
        return self.solutions.bias(value) - self._offset(value)

    def _offset(self, value: float) -> float:
        """By how much the bias is larger because rows are shifted."""
        return 0.0 if self.shift is None else self.gram.shift_offset(self.coef(value))

    def intercept_interval(self, value: float) -> tuple[float, float]:
        """Every bias that is optimal with the coefficients, and with the tube of a regression.

        docs/theory/paths.md#bias-interval has the formula.
        """
        at, offset, gram = self.solutions, self._offset(value), self._values_at(value).gram
        low, high = bias_interval(at.problem_at(value), gram, at.variables(value), at.bias(value))
        return low - offset, high - offset

    def free(self, value: float) -> NDArray[np.intp]:
        """The rows in the factor; some may lie on a bound."""
        return self.solutions.free(value)

    def certificate(self, value: float) -> Certificate:
        """How good the machine is, its intercept included, computed afresh.

        Over nu a classifier is certified as the SVC that it is, a regression machine as a nu-SVR.
        """
        problem, coef, multiplier = self.solutions.certified_point(value)
        return certify_machine(problem, self._values_at(value).gram, coef, multiplier)

    def _values_at(self, value: float) -> KernelValues:
        """Kernel values of the machine at a value of the parameter."""
        known = self._known_values()
        if not self.moves_kernel:
            return known
        kernel = kernel_at(known.kernel, self.parameter, float(value))
        return KernelValues(kernel, known.rows, known.training)

    def decision_function(self, X: Any, value: float | ArrayLike) -> FloatArray:
        """Values of the machine; positive means ``classes[1]``, negative of one class an outlier.

        Parameters
        ----------
        X : rows
            For a precomputed kernel: values against all training rows.
        value : float or array-like of shape (n_values,)
            Of the parameter.

        Returns
        -------
        ndarray of shape (n_rows,), or (n_rows, n_values) for several values
        """
        return self.decide(self._known_values().read(X), value)

    def decide(self, X: Any, value: float | ArrayLike) -> FloatArray:
        """Decision values at rows that ``kernel_values`` has read."""
        if np.ndim(value) > 1 or not np.size(value):
            raise ValueError(
                f"{self.parameter} must be a number or a vector of them, got shape "
                f"{np.shape(value)}"
            )
        several = list(np.atleast_1d(np.asarray(value)))
        coef = np.column_stack([self.coef(at) for at in several])
        if self.moves_kernel:
            out = np.column_stack(
                [self._values_at(at).expand(X, coef[:, [k]]) for k, at in enumerate(several)]
            )
        else:
            out = self._known_values().expand(X, coef)
        out += [self.solutions.bias(at) for at in several]
        return out[:, 0] if np.ndim(value) == 0 else out

    def predict(self, X: Any, value: float) -> NDArray[Any]:
        """Class of each row; the value itself of regression; of one class -1 for an outlier."""
        return self.decided(self.decision_function(X, value), value)

    def decided(self, decision: FloatArray, value: float) -> NDArray[Any]:
        """Predictions from the decision values of the machine."""
        if self.is_one_class:
            return np.where(decision < -_ON_BOUNDARY * abs(self.intercept(value)), -1, 1)
        if self.classes is None:
            return decision
        return np.asarray(self.classes[(decision > 0).astype(np.intp)])

    @property
    def is_one_class(self) -> bool:
        """Whether the machines tell outliers from the other rows."""
        return isinstance(self.solutions, OneClassSolutions)

    def score(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        value: float | ArrayLike | None = None,
    ) -> Any:
        """Share of rows that are predicted right; of regression the coefficient R^2.

        Parameters
        ----------
        X : rows
            For a precomputed kernel: values against all training rows.
        y : array-like of shape (n_rows,)
            Classes or targets; of one class 1 and -1.
        sample_weight : array-like of shape (n_rows,), default=None
            Weights of the rows.
        value : float or array-like, default=None
            Of the parameter; None for every breakpoint.

        Returns
        -------
        float, or ndarray with the shape of ``value``
        """
        from mercer.paths.curves.path_score import path_score

        return path_score(self, X, y, value, sample_weight)

    def error(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        loss: str | None = None,
    ) -> StepFunction | ErrorCurve:
        """Error of the predictions as a function of C, exact at every C; for paths over C.

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
            On [begin, end].
        """
        from mercer.paths.curves.path_error import path_error

        self._require_C("error", "score takes any parameter")
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
        such rows, each only as far as the row matters. For classifiers over C.

        Parameters
        ----------
        C_max : float, default=inf
            Where to end; at most ``end``.
        sample_weight : array-like of shape (n_rows,), default=None
            Weights of the errors.
        max_time : float, default=None
            Seconds after which the share of the rows so far is returned, with a warning.
        """
        from mercer.paths.validation.leave_one_out import leave_one_out

        self._require_C("leave_one_out", "out_of_sample takes any machine")
        return leave_one_out(self, C_max, sample_weight, max_time)

    def _require_C(self, method: str, instead: str) -> None:
        if self.parameter != "C":
            raise ValueError(
                f"{method} is known for paths over C, this one is over {self.parameter}; {instead}"
            )

    def summary(self) -> PathSummary:
        """The events of the path, in numbers."""
        return summarize(self)

    def plot(self, X: Any = None, y: ArrayLike | None = None, *, axes: Any = None) -> Any:
        """Coefficients and the number of free rows against the parameter, and what else there is.

        Over C, with ``X`` and ``y``, the error; of nu-SVR the tube; where the kernel moves the
        support vectors and the scores.

        Parameters
        ----------
        X, y : rows and classes, default=None
            Validation rows whose error is shown, over C.
        axes : sequence of matplotlib axes, default=None
            Where to draw: one to three, as many as there are pictures; a new figure if None.

        Returns
        -------
        ndarray of matplotlib axes
        """
        from mercer.paths.results.plot_results import plot_any_path

        return plot_any_path(self, X, y, axes)
