"""The fit with the parameters found, in the time that is left for it.

A machine that is stopped on the way may predict far worse than one that has learned less: of
190,000 rows, after a seventh of the time they take, 63 % of new rows are right; a machine of half
of the rows takes a third of that time, and 86 % are right (of all rows 87 %). So trials of more and
more rows show what a fit takes, until one takes a tenth of the time that is left; the fit after
that has all rows, or as many as the time allows.
"""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from mercer._sklearn import safe_indexing
from mercer._warning import warn
from mercer.machines.least_squares.machine import LeastSquaresMachine
from mercer.selection.training_task import TrainingTask
from mercer.solvers.runs.deadline import Deadline
from mercer.training.rows import is_precomputed

__all__ = ["LastFit", "last_fit"]

_FIRST = 2000  # rows that are always fitted
_LEAST_SECONDS = 1.0  # that they may take
_GROWTH = 8.0  # of the rows, from one trial to the next
# Of the rows, by which the time of a fit grows: from that of few rows to that of kernel values, and
# of least squares from that of kernel values to that of factors.
_POWERS, _OF_FACTORS = (1.4, 2.0), (2.0, 3.0)
_MEASURED = 0.1  # seconds of a fit from which on it tells of that growth
_DOUBT = 0.15  # larger than measured: the power grows with the rows
_SHARE = 0.85  # of the time left that is planned with
_TRIAL = 0.1  # of the time left that a trial may take; one of half of it tells enough
_WORTH = 1.1  # a fit to so many times the rows is worth its time
_USABLE = 1e-2  # relative gap of a machine that was stopped and is kept nevertheless


@dataclass(frozen=True, eq=False)
class LastFit:
    """A fitted machine, and the warnings about it.

    Attributes
    ----------
    machine : estimator
        Fitted; ``shape_fit_`` tells to how many rows.
    seconds : float
        That the fit took.
    messages : list of (str, warning class)
        Of this fit alone.
    """

    machine: Any
    seconds: float
    messages: list[tuple[str, type[Warning]]]

    @property
    def is_stopped(self) -> bool:
        """Whether the time ended the fit."""
        if isinstance(self.machine, LeastSquaresMachine):
            told = any(issubclass(category, ConvergenceWarning) for _, category in self.messages)
            return bool(told and self.machine.residual_ > self.machine.tol)
        return any(s.status == "max-time" for s in getattr(self.machine, "solutions_", ()))

    @property
    def is_usable(self) -> bool:
        """Whether it is as good as done."""
        gap = self._gap if self.is_stopped else 0.0
        return gap is not None and gap <= _USABLE

    @property
    def _gap(self) -> float | None:
        """How far a fit that was stopped is from its end."""
        if isinstance(self.machine, LeastSquaresMachine):
            return float(self.machine.residual_)
        return self.machine.dual_gap_

    def tell(self, n_rows: int, name: str) -> None:
        """Warn of what users should know of a machine for ``n_rows`` rows."""
        for message, category in self.messages:
            is_told_below = self.is_stopped and issubclass(category, ConvergenceWarning)
            # the limit of this fit is not one that anybody gave
            if not is_told_below and "max_time=" not in message:
                warn(message, category)
        size = int(self.machine.shape_fit_[0])
        if size < n_rows:
            within = " within each class" if hasattr(self.machine, "classes_") else ""
            warn(
                f"{name}: there was time to fit the machine to {size:,} of {n_rows:,} rows, at "
                f"equal intervals{within}; allow more for all of them"
            )
        if self.is_stopped:
            warn(
                f"{name}: the time was over before the machine had converged: {self._state}; allow "
                "more",
                ConvergenceWarning,
            )

    @property
    def _state(self) -> str:
        gap, tol = self._gap, self.machine.tol
        if isinstance(self.machine, LeastSquaresMachine):
            return f"relative residual {gap:.2g} (tol={tol:g})"
        told = "unknown" if gap is None else format(gap, ".2g")
        return f"KKT violation {self.machine.violation_:.2g} (tol={tol:g}), relative gap {told}"


def last_fit(
    machine: Any,
    task: TrainingTask,
    X: Any,
    y: Any,
    sample_weight: ArrayLike | None = None,
    deadline: Deadline | None = None,
) -> LastFit:
    """Fit ``machine`` to all rows or, before a deadline, to as many as the time allows.

    Machines of a kernel matrix always have all rows.
    """
    deadline = deadline or Deadline()
    given = X, y, sample_weight
    if not np.isfinite(deadline.moment):
        return LastFit(machine.fit(*given), 0.0, [])
    if is_precomputed(machine.kernel):
        return _fitted(machine, given, max(deadline.seconds_left, _LEAST_SECONDS))
    size = min(_FIRST, task.n_rows)
    found = _on_sample(machine, task, given, size, max(deadline.seconds_left, _LEAST_SECONDS))
    powers = _OF_FACTORS if task.is_least_squares else _POWERS
    power = powers[1]
    while size < task.n_rows and found.is_usable:
        larger = _possible(size, task.n_rows, found.seconds, deadline.seconds_left, power)
        if larger < min(_WORTH * size, task.n_rows):
            break
        more = _on_sample(machine, task, given, larger, max(deadline.seconds_left, 1e-3))
        if not more.is_usable:
            break
        if found.seconds >= _MEASURED:
            power = _power(larger / size, more.seconds / found.seconds, powers)
        size, found = larger, more
    return found


def _power(rows: float, seconds: float, powers: tuple[float, float] = _POWERS) -> float:
    """By which the time grows, from how rows and seconds have grown, with room for doubt."""
    measured = float(np.log(max(seconds, 1e-9)) / np.log(rows))
    return float(np.clip(measured + _DOUBT, *powers))


def _possible(size: int, most: int, seconds: float, left: float, power: float) -> int:
    """Rows of the next fit: as many as the time allows, after a trial that tells how many.

    A fit whose size is guessed from far below leaves time that is too short for another one.
    """
    seconds = max(seconds, 1e-9)
    allowed = size * (_SHARE * left / seconds) ** (1.0 / power)
    if allowed >= most:
        return most
    if seconds < 0.5 * _TRIAL * left:
        allowed = min(allowed, size * (_TRIAL * left / seconds) ** (1.0 / power))
    return int(min(allowed, _GROWTH * size))


def _on_sample(
    machine: Any, task: TrainingTask, given: tuple[Any, Any, Any], size: int, seconds: float
) -> LastFit:
    if size >= task.n_rows:
        return _fitted(machine, given, seconds)
    rows = task.sample_rows(size)
    some = (None if own is None else safe_indexing(own, rows) for own in given)
    return _fitted(machine, tuple(some), seconds)


def _fitted(machine: Any, given: tuple[Any, ...], seconds: float) -> LastFit:
    """A copy of the machine, fitted within a time that is not one of its parameters."""
    began = time.perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fitted = clone(machine).set_params(max_time=seconds).fit(*given)
    fitted.set_params(max_time=None)
    told = [(str(own.message), own.category) for own in caught]
    return LastFit(fitted, time.perf_counter() - began, told)
