"""The history of a search."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer._shown import shown
from mercer.kernels import Kernel
from mercer.selection.deviation import standard_error
from mercer.selection.held_out import BestHeldOut, HeldOut
from mercer.selection.objectives.base import NoValue, Objective
from mercer.selection.space import Space
from mercer.solvers.runs.deadline import Deadline, OutOfTime

__all__ = ["Budget", "History", "SearchEnd", "Watched", "nearest_to_middle"]

FloatArray = NDArray[np.float64]
NEVER = Deadline()


def nearest_to_middle(points: ArrayLike) -> int:
    """Position of the point nearest to the mean of all, the first of equal ones."""
    places = np.asarray(points, dtype=np.float64)
    return int(np.square(places - places.mean(axis=0)).sum(axis=1).argmin())


class SearchEnd(Exception):
    """The budget is spent, or the callback asked for an end."""


@dataclass(frozen=True)
class Budget:
    """The budget of a search.

    Attributes
    ----------
    max_evals : int or None
        Evaluations of the criterion.
    deadline : Deadline
        When it has to end.
    callback : callable or None
        Called with the history after every evaluation; a true value ends the search.
    others : tuple of History
        Of other kernels: a search that is clearly behind them may end early.
    sizes : tuple of int
        Rows of the samples to search, those of the others; none to find them.
    known : tuple of History
        Of an earlier search of the same: their cells cost nothing.
    """

    max_evals: int | None = None
    deadline: Deadline = NEVER
    callback: Callable[[Any], Any] | None = None
    others: tuple[History, ...] = ()
    sizes: tuple[int, ...] = ()
    known: tuple[History, ...] = ()

    __repr__ = shown()

    @property
    def is_limited(self) -> bool:
        """Whether a search may end before it has converged."""
        return self.max_evals is not None or bool(np.isfinite(self.deadline.moment))

    @property
    def is_spent(self) -> bool:
        """Whether the budget is used up."""
        return self.deadline.is_over or self.max_evals == 0

    def half(self) -> Budget:
        """For the first of two searches: half of the evaluations, and of the time that is left."""
        evals, deadline = self.max_evals, self.deadline
        if np.isfinite(deadline.moment):
            deadline = Deadline.after(0.5 * deadline.seconds_left)
        return replace(
            self, max_evals=None if evals is None else max(evals // 2, 1), deadline=deadline
        )

    def without(self, history: History) -> Budget:
        """The rest of the budget."""
        evals = self.max_evals
        new = len(history) - history.n_known
        return replace(self, max_evals=None if evals is None else max(evals - new, 0))


@dataclass(eq=False)
class History:
    """Every point a search evaluated.

    Attributes
    ----------
    names : list of str
        Names of the parameters.
    thetas : list of ndarray
        The points, of full metrics in the chart of ``spaces`` at the same place.
    values : list of float
        What the criterion was there.
    seconds : list of float
        When, from the start of the search.
    by_split : list of ndarray
        The values in each split, where the criterion has splits.
    greater_is_better : bool
        Whether values are to be large.
    is_stochastic : bool
        Whether values are draws: the result of a walk is then its last point and not the best.
    decides : bool
        Whether the criterion judges, and does not only lead to what another one judges.
    n_rows : int
        Rows that the criterion looks at, fewer than all if it is that of a sample.
    n_known : int
        Points whose values an earlier search had found.
    status : str
        Why the search ended: "converged", "max-evals", "max-time", "callback", "flat",
        "boundary", "no-value", "interrupted" or "behind" (another kernel).
    held_out : BestHeldOut or None
        Predictions of held-out rows at the best points, where the criterion makes any.
    also : dict of bytes to dict of str to ndarray
        Other scores of each split, by theta.

    Examples
    --------
    >>> from mercer import TunedSVC
    >>> X, y = [[0.1 * i] for i in range(20)], [0] * 10 + [1] * 10
    >>> machine = TunedSVC(kernel="linear", cv=2, max_evals=2, random_state=0).fit(X, y)
    >>> history = machine.history_[0]
    >>> history.names, history.greater_is_better
    (['log C'], False)
    """

    names: list[str]
    greater_is_better: bool
    is_stochastic: bool
    thetas: list[FloatArray] = field(default_factory=list)
    values: list[float] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    by_split: list[FloatArray] = field(default_factory=list)
    spaces: list[Space] = field(default_factory=list)
    decides: bool = True
    n_rows: int = 0
    n_known: int = 0
    status: str = "converged"
    held_out: BestHeldOut | None = None
    also: dict[bytes, dict[str, FloatArray]] = field(default_factory=dict)

    __repr__ = shown("status names values seconds n_rows")

    def __len__(self) -> int:
        return len(self.values)

    def add(
        self, space: Space, theta: FloatArray, value: float, seconds: float, by_split: FloatArray
    ) -> None:
        """One evaluation more."""
        self.by_split.append(by_split)
        self.spaces.append(space)
        self.thetas.append(np.array(theta))
        self.values.append(float(value))
        self.seconds.append(seconds)

    @property
    def points(self) -> FloatArray:
        """C and the kernel's parameters as numbers, where theta has their logarithms."""
        points = np.exp(np.array(self.thetas).reshape(len(self), len(self.names)))
        points[:, 0] *= [space.C_scale for space in self.spaces]
        return points

    @property
    def best(self) -> int:
        """Position of the best value; of equal ones that of the point nearest to their middle."""
        if not self.values:
            raise ValueError("nothing has been evaluated")
        values = np.asarray(self.values) * (-1.0 if self.greater_is_better else 1.0)
        values = np.where(np.isfinite(values), values, np.inf)
        equal = np.flatnonzero(values == values.min())
        return int(equal[nearest_to_middle(np.array(self.thetas)[equal])])

    def is_of_machine(self, other: History) -> bool:
        """Whether two searches are of one machine, up to the parameters that are searched."""
        return _given(self.spaces[0]) == _given(other.spaces[0])

    def held_out_at(self, theta: FloatArray) -> HeldOut | None:
        """What was predicted for held-out rows at one of the best points; None if not known."""
        return None if self.held_out is None else self.held_out.at(np.asarray(theta))

    def plot(self, ax: Any = None) -> Any:
        """Draw the values over the evaluations, and the best so far."""
        import matplotlib.pyplot as plt

        ax = plt.figure().gca() if ax is None else ax
        values = np.asarray(self.values)
        at = 1 + np.flatnonzero(np.isfinite(values))
        values = values[at - 1]
        collect = np.maximum if self.greater_is_better else np.minimum
        ax.plot(at, values, ".", alpha=0.5, label="evaluated")
        if not self.is_stochastic:
            ax.plot(at, collect.accumulate(values), label="best so far")
        ax.set_xlabel("evaluation")
        ax.set_ylabel("criterion")
        ax.legend()
        return ax


def _given(space: Space) -> tuple[Any, ...]:
    """What of a machine a search does not move."""
    kernel, machine = space.kernel, space.machine
    moved = {name.partition("[")[0] for name in kernel.parameter_names}
    others = getattr(machine, "loss", None), getattr(machine, "class_weight", None)
    return (
        type(kernel),
        others,
        {
            name: value
            for name, value in kernel.get_params().items()
            if name not in moved and not isinstance(value, Kernel | np.ndarray)
        },
    )


def _rounded(theta: FloatArray) -> bytes:
    return np.round(theta, 9).tobytes()


class Watched:
    """A criterion that is always to be small, counted and within a budget.

    Parameters
    ----------
    objective : Objective
        The criterion.
    budget : Budget, default=None
        What the search may cost.
    ends_first : bool, default=True
        Whether the first evaluation is completed even if that takes too long.
    """

    def __init__(
        self, objective: Objective, budget: Budget | None = None, *, ends_first: bool = True
    ) -> None:
        self.objective, self.budget = objective, budget or Budget()
        self.ends_first = ends_first
        self.sign = -1.0 if objective.greater_is_better else 1.0
        self.history = History(
            objective.space.names, objective.greater_is_better, objective.is_stochastic
        )
        self.history.held_out = getattr(objective, "held_out", None)
        self.history.also = getattr(objective, "also", {})
        self.first_gradient: FloatArray = np.zeros(objective.space.n_dims)
        self._began = time.perf_counter()

    @property
    def bounds(self) -> FloatArray:
        """Range of every parameter."""
        return self.objective.space.bounds

    @cached_property
    def to_beat(self) -> tuple[float, float]:
        """The best value of other kernels on as many rows, to be small, and its standard error."""
        if not self.budget.others:
            return np.inf, 0.0
        size = self.history.n_rows
        known = [h for h in self.budget.others if h.decides and h.n_rows == size]
        known = [h for h in known if np.isfinite(h.values).any()]
        if not known:
            return np.inf, 0.0
        best = min(known, key=lambda h: self.sign * h.values[h.best])
        return self.sign * best.values[best.best], standard_error(best.by_split[best.best])

    def is_behind(self, lowest: float) -> bool:
        """Whether a value is worse than the best of other kernels; of a sample, clearly so."""
        value, noise = self.to_beat
        return bool(lowest > value + (noise if self.objective.task.is_sample else 0.0))

    def value(self, theta: FloatArray) -> float:
        """The value, to be small; infinite where there is none."""
        try:
            with self._within_time():
                value = self.objective.value(theta)
        except NoValue:
            return self._without_value(theta)
        self._note(theta, value)
        return self._finite(self.sign * value)

    def gradient(self, theta: FloatArray) -> tuple[float, FloatArray]:
        """Value and gradient, to be small; NaN and infinite entries of the gradient are 0."""
        try:
            with self._within_time():
                value, found = self.objective(theta)
        except NoValue:
            return self._without_value(theta), np.zeros(len(theta))
        gradient = self.sign * np.nan_to_num(found, nan=0.0, posinf=0.0, neginf=0.0)
        if not self.history.values:
            self.first_gradient = gradient
        self._note(theta, value)
        return self._finite(self.sign * value), gradient

    def _without_value(self, theta: FloatArray) -> float:
        """Infinite, in the middle of a search; at its first point the error that is raised."""
        if not np.isfinite(self.history.values).any():
            raise
        self._note(theta, self.sign * np.inf, np.empty(0))
        return np.inf

    def series(self, thetas: list[FloatArray]) -> list[FloatArray]:
        """Values of every split for several points with one kernel; :meth:`known` notes them."""
        if self.budget.known:
            return self._series_beside(thetas)
        with self._within_time():
            found: list[FloatArray] = self.objective.series(thetas)  # type: ignore[attr-defined]
        return found

    def _series_beside(self, thetas: list[FloatArray]) -> list[FloatArray]:
        """The same, where an earlier search may have found some of them."""
        found = [self._earlier.get(_rounded(theta)) for theta in thetas]
        new = [theta for theta, own in zip(thetas, found, strict=True) if own is None]
        self.history.n_known += len(thetas) - len(new)
        values: Iterator[FloatArray] = iter(())
        if new:
            with self._within_time():
                values = iter(self.objective.series(new))  # type: ignore[attr-defined]
        return [next(values) if own is None else own for own in found]

    @cached_property
    def _earlier(self) -> dict[bytes, FloatArray]:
        """Values of splits that earlier searches of this machine on as many rows have found."""
        found: dict[bytes, FloatArray] = {}
        own, space = self.history, self.objective.space
        for history in self.budget.known:
            is_same = history.decides and history.n_rows == own.n_rows and len(history) > 0
            if not is_same or _given(history.spaces[0]) != _given(space):
                continue
            pairs = zip(history.thetas, history.by_split, strict=True)
            found |= {_rounded(theta): by_split for theta, by_split in pairs}
            own.also |= history.also
            if own.held_out is not None and history.held_out is not None:
                own.held_out.adopt(history.held_out)
        return found

    def known(self, theta: FloatArray, value: float, by_split: FloatArray) -> float:
        """A value that was computed elsewhere, to be small."""
        self.check_budget()
        self._note(theta, value, by_split)
        return self._finite(self.sign * value)

    def move_chart(self, theta: FloatArray) -> FloatArray:
        """Let the chart of a full metric begin at ``theta``; what theta is there."""
        self.objective.space, moved = self.objective.space.moved_to(theta)
        return moved

    def _finite(self, value: float) -> float:
        return value if np.isfinite(value) else np.inf

    def check_budget(self) -> None:
        """End the search if the budget is used up, but not before the first evaluation."""
        budget = self.budget
        new = len(self.history) - self.history.n_known
        if budget.max_evals is not None and new >= budget.max_evals:
            self.history.status = "max-evals"
            raise SearchEnd
        if self._may_end and budget.deadline.is_over:
            self.history.status = "max-time"
            raise SearchEnd

    @property
    def _may_end(self) -> bool:
        """Whether there is a best point so far, or none is needed."""
        return bool(self.history.values) or not self.ends_first

    @contextmanager
    def _within_time(self) -> Iterator[None]:
        """For one evaluation: the search ends where it takes too long."""
        self.check_budget()
        self.objective.deadline = self.budget.deadline if self._may_end else NEVER
        try:
            yield
        except OutOfTime:
            self.history.status = "max-time"
            raise SearchEnd from None

    def _note(self, theta: FloatArray, value: float, by_split: FloatArray | None = None) -> None:
        if by_split is None:
            by_split = np.asarray(getattr(self.objective, "by_split", ()))
        seconds = time.perf_counter() - self._began
        self.history.add(self.objective.space, theta, value, seconds, by_split)
        if self.budget.callback is not None and self.budget.callback(self.history):
            self.history.status = "callback"
            raise SearchEnd
