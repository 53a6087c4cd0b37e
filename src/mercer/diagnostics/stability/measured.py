"""How much rows really change a machine: trained again without them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state

from mercer._shown import shown
from mercer.diagnostics.stability.checks import count
from mercer.gram.native import count_rows
from mercer.machines import SVC, SVR, NuSVC, NuSVR
from mercer.machines.least_squares.machine import LeastSquaresMachine
from mercer.predictions.fixed_machine import fixed_machine
from mercer.predictions.given_rows import fit_machine

__all__ = ["MeasuredStability", "measured_stability"]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class MeasuredStability:
    """Changes of values when rows are left out, one at a time.

    Attributes
    ----------
    rows : ndarray of shape (n_left_out,)
        The rows left out.
    changes : ndarray of shape (n_left_out,)
        Largest change of a value on the rows that were looked at.
    own_changes : ndarray of shape (n_left_out,)
        Change of the value of the row itself.
    labels_changed : ndarray of shape (n_left_out,)
        Share of values whose sign has changed (classifiers); 0 of regressors.
    """

    rows: NDArray[np.intp]
    changes: FloatArray
    own_changes: FloatArray
    labels_changed: FloatArray

    __repr__ = shown()

    @property
    def output(self) -> float:
        """The largest change: a lower end of alpha, to be compared with ``Stability.output``."""
        return float(self.changes.max(initial=0.0))


def measured_stability(
    machine: Any,
    X: Any,
    y: Any,
    sample_weight: ArrayLike | None = None,
    *,
    n_rows: int | None = 50,
    X_seen: Any = None,
    random_state: Any = None,
) -> MeasuredStability:
    """Train a machine again without some of its rows, and look at how its values change.

    A row is left out by a weight of 0, with C or alpha and the kernel held; support vector
    machines start from the solution of all rows, and rows without a coefficient, which change
    nothing, are not trained again.

    Parameters
    ----------
    machine : estimator
        A machine of mercer with weights and one value for each row, fitted on ``X`` and ``y``,
        which is not changed: of two classes, or a regressor. A free bias is allowed.
    X, y, sample_weight
        What it was fitted on.
    n_rows : int, default=50
        Rows that are left out, drawn at random; None means all of them.
    X_seen : rows, default=None
        Rows to look at the values of; None means ``X``.
    random_state : int, RandomState or None, default=None
        Draws the rows.

    Returns
    -------
    MeasuredStability

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from mercer import RLSC
    >>> from mercer.diagnostics.stability import machine_stability, measured_stability
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> machine = RLSC(alpha=100.0).fit(X, y)
    >>> found = measured_stability(machine, X, y, random_state=0)
    >>> found.output <= machine_stability(machine, X).output
    True
    """
    if not isinstance(machine, (SVC, NuSVC, SVR, NuSVR, LeastSquaresMachine)):
        name = type(machine).__name__
        raise TypeError(f"machine must be a classifier or regressor of mercer, got {name}")
    if len(getattr(machine, "classes_", (0, 1))) != 2:
        raise ValueError(f"machine must have two classes, got {len(machine.classes_)}")
    n = count_rows(X)
    weight = np.ones(n) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    rows = np.arange(n)
    if n_rows is not None and count("n_rows", n_rows) < n:
        drawn = check_random_state(random_state).choice(n, n_rows, replace=False)
        rows = np.sort(drawn)
    refit = _Refit(machine, X, y, weight)
    seen = X if X_seen is None else X_seen
    before, own = _values(machine, seen), _values(machine, X)
    found = np.zeros((3, len(rows)))
    for k, row in enumerate(rows):
        if row in refit.without_effect:
            continue
        without = refit.without(int(row))
        after = _values(without, seen)
        found[0, k] = np.abs(after - before).max(initial=0.0)
        found[1, k] = abs((_values(without, X) if X_seen is not None else after)[row] - own[row])
        if hasattr(machine, "classes_") and len(after):
            found[2, k] = ((after > 0) != (before > 0)).mean()
    return MeasuredStability(rows, found[0], found[1], found[2])


def _values(machine: Any, X: Any) -> FloatArray:
    of = machine.decision_function if hasattr(machine, "decision_function") else machine.predict
    return np.asarray(of(X), dtype=np.float64)


def _keeps_boxes(machine: Any) -> bool:
    """Whether a row that is left out leaves the boxes of the others as they are."""
    is_balanced = getattr(machine, "class_weight", None) == "balanced"
    return isinstance(machine, (SVC, SVR)) and not is_balanced


class _Refit:
    """Fits of a machine without one row, each from the solution of all rows."""

    def __init__(self, machine: Any, X: Any, y: Any, weight: FloatArray) -> None:
        self._X, self._y, self._weight = X, np.asarray(y), weight
        self._fixed = fixed_machine(machine)
        self._start: Any = None
        idle = np.flatnonzero(weight == 0)
        if isinstance(machine, LeastSquaresMachine):
            self._fixed.set_params(loo=False)
        else:
            self._fixed.set_params(warm_start=True)
            full = fit_machine(self._fixed, X, self._y, weight)
            self._start = full.solutions_
            if _keeps_boxes(machine):
                idle = np.setdiff1d(np.arange(len(weight)), machine.support_)
        self.without_effect = frozenset(idle.tolist())

    def without(self, row: int) -> Any:
        weight = self._weight.copy()
        weight[row] = 0.0
        if self._start is not None:
            self._fixed.solutions_ = self._start
        return fit_machine(self._fixed, self._X, self._y, weight)
