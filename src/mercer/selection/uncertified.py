"""Machines that are asked for predictions only: many small problems, without certificates.

A search over C trains hundreds of machines, most of them small, and keeps none. All machines of a
kernel, those of every split, pair of classes and C, are one native call (core/plan/follow.hpp).
Each starts from the solution of the C before, in single precision where that is enough. Held-out
rows have a box of [0, 0], so that their values can be read from the gradient; with several classes
all C share the kernel values of their predictions. A machine that does not converge is solved
again, with its certificate.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer import _core
from mercer.formulations import Formulation
from mercer.gram import Gram
from mercer.gram.native import Precision
from mercer.problem import Family, Powers, Problem
from mercer.selection.objectives.base import OutOfTime
from mercer.selection.training_task import TrainingTask
from mercer.solvers import solve
from mercer.solvers.runs.deadline import Deadline
from mercer.training.splits import Split

__all__ = ["UncertifiedMachines", "joined_problem"]

FloatArray = NDArray[np.float64]

_MOST_ROWS = 4000  # of a whole matrix
_LEAST_TOL = 0.9999e-4  # that single precision reaches; 1e-4 may be rounded
_MOST_ERROR = 0.02
_NAMES = ("linear", "lower", "upper", "index", "ridge", "group")


class UncertifiedMachines:
    """The machines of every split and part of a task, for any kernel and ascending C.

    Parameters
    ----------
    task : TrainingTask
        What is learned.
    splits : sequence of Split
        Rows to train on, and rows to test with.
    machine : estimator
        The machine at C = 1.
    powers : Powers
        How its problems change with C.
    most_error : float, default=0.02
        Of a decision value, in units of the targets, that single precision may make.
    """

    def __init__(
        self,
        task: TrainingTask,
        splits: Sequence[Split],
        machine: object,
        powers: Powers,
        most_error: float = _MOST_ERROR,
    ) -> None:
        self.most_error = most_error
        self.task, self.splits, self.powers = task, splits, powers
        self.tol: float = task.machine.tol / task.target_scale
        weights = [task.training_weight(split.times) for split in splits]
        self.units: list[list[Formulation]] = [
            [task.formulate(machine, part, weight) for weight in weights] for part in task.parts
        ]
        self._pairs = np.array(task.pairs)
        self.deadline = Deadline()

    def suit(self, gram: Gram) -> bool:
        """Whether the machines can be trained so."""
        first, size = self.units[0][0], self._largest
        return (
            self.task.machine.solver == "auto"
            and self.tol >= _LEAST_TOL
            and size <= _MOST_ROWS
            and 4 * size**2 <= gram.cache_bytes
            and not (gram.form.reads_python or gram.form.reads_stored or gram.precision_is_given)
            and gram.origin is None
            and gram.definiteness == "known"
            and gram.carries_single
            and first.kind in ("intercept", "origin")
            and not (first.problem.group_sum.any() or first.problem.may_be_unbounded)
        )

    @property
    def _largest(self) -> int:
        """Rows of the largest whole matrix."""
        return max(len(part.rows) for part in self.task.parts)

    def values(
        self, gram: Gram, Cs: Sequence[float], accuracy: float = 1.0
    ) -> Iterator[FloatArray]:
        """Values at the held-out rows of each split, shape (n_test, n_C, n_parts).

        In units of the task. ``Cs`` ascend. An ``accuracy`` below 1 is a factor of the
        tolerance, and needs double precision.
        """
        problems, joined, offsets = self._problems
        shape = (len(Cs), joined.n_variables)
        coef, gradient = np.empty(shape), np.empty(shape)
        box, _, ridge = self.powers.at(np.array(Cs))
        found: Any = _core.follow_parts(
            joined._native,
            offsets,
            gram.native("double"),
            gram.native("single"),
            box,
            ridge,
            self._options(accuracy),
            coef,
            gradient,
        )
        if found is None:
            raise OutOfTime
        multiplier, is_good = found
        for j, k in zip(*np.nonzero(is_good == 0), strict=True):
            own = slice(offsets[k], offsets[k + 1])
            problem, start = Family(problems[k], self.powers).at(Cs[j]), coef[j, own]
            coef[j, own], gradient[j, own], multiplier[j, k] = self._certified(
                problem, gram, start, accuracy
            )
        bias = multiplier.reshape(len(Cs), len(self.splits), len(self.units))
        if self._is_in_place:
            # K beta = linear - gradient - ridge beta
            kernel = joined.linear - gradient - np.outer(ridge, joined.ridge) * coef
            return self._held_out(kernel, bias, offsets)
        return self._of_many_classes(gram, coef, offsets, bias, accuracy)

    @property
    def _is_in_place(self) -> bool:
        """Whether all rows are in every problem."""
        return len(self.units) == 1

    @cached_property
    def _problems(self) -> tuple[list[Problem], Problem, NDArray[np.intp]]:
        """Those of all splits and parts at C = 1, all of them as one, and their offsets."""
        n_rows = self.task.n_rows
        found = [unit.problem for units in zip(*self.units, strict=True) for unit in units]
        if self._is_in_place:
            found = [_on_all_rows(problem, n_rows) for problem in found]
        return found, *joined_problem(found)

    def _options(self, accuracy: float) -> _core.FollowOptions:
        options = _core.FollowOptions()
        options.tolerance = accuracy * self.tol
        options.most_error = self.most_error if accuracy == 1.0 else 0.0
        options.max_seconds = self._seconds_left()
        return options

    def _held_out(
        self, kernel: FloatArray, bias: FloatArray, offsets: NDArray[np.intp]
    ) -> Iterator[FloatArray]:
        """Values that the gradients tell, of each split."""
        for s, split in enumerate(self.splits):
            # rows of a problem are in order, with several variables of some of them
            at = np.searchsorted(self._problems[0][s].index, split.test)
            yield (kernel[:, offsets[s] + at].T + bias[:, s, 0])[:, :, None]

    def _of_many_classes(
        self,
        gram: Gram,
        coef: FloatArray,
        offsets: NDArray[np.intp],
        bias: FloatArray,
        accuracy: float,
    ) -> Iterator[FloatArray]:
        """Values of pairs of classes: from the rows of each class, by products."""
        joined, n_parts = self._problems[1], len(self.units)
        precision: Precision = "single" if accuracy == 1.0 else "double"
        part = np.repeat(np.tile(np.arange(n_parts), len(self.splits)), np.diff(offsets))
        column = self._columns(part, joined.index)
        for s, split in enumerate(self.splits):
            own = slice(offsets[s * n_parts], offsets[(s + 1) * n_parts])
            spread = np.zeros((gram.n_rows, len(coef), self.task.n_classes - 1))
            spread[joined.index[own], :, column[own]] = coef[:, own].T
            yield self._expanded(gram, spread, split.test, precision) + bias[:, s]

    def _columns(self, part: Any, index: NDArray[np.intp]) -> NDArray[np.intp]:
        """Where the coefficients of pairs stand: with the other class of each row."""
        first, second = self._pairs[part].T
        return np.where(self.task.labels[index] == first, second - 1, first)

    def _expanded(
        self, gram: Gram, coef: FloatArray, test: NDArray[np.intp], precision: Precision
    ) -> FloatArray:
        """Values without the bias: the sum over the rows of both classes of a pair."""
        n_C, task = coef.shape[1], self.task
        out = np.zeros((len(test), n_C, len(self.units)))
        used = coef.any(axis=(1, 2))
        for c in range(task.n_classes):
            rows = np.flatnonzero(used & (task.labels == c))
            if not len(rows):
                continue
            own = coef[rows].reshape(len(rows), -1)
            found = gram.product(rows, own, rows=test, precision=precision)
            found = found.reshape(len(test), n_C, -1)
            columns = [p for p, pair in enumerate(task.pairs) if c in pair]
            out[:, :, columns] += found
        return out

    def _seconds_left(self) -> float:
        if self.deadline.is_over:
            raise OutOfTime
        return self.deadline.seconds_left

    def _certified(
        self, problem: Problem, gram: Gram, start: FloatArray, accuracy: float
    ) -> tuple[FloatArray, FloatArray, float]:
        """Coefficients, gradient and multiplier of a machine that had not converged."""
        tol, left = accuracy * self.tol, self._seconds_left()
        found = solve(problem, gram, start=start, tol=tol, max_time=left)
        if found.status == "max-time":
            raise OutOfTime
        return found.coef, found.gradient, float(found.multiplier.sum())


def joined_problem(problems: Sequence[Problem]) -> tuple[Problem, NDArray[np.intp]]:
    """Problems of equal group sums, one after the other in the arrays of one, and their offsets."""
    arrays = {name: np.concatenate([getattr(p, name) for p in problems]) for name in _NAMES}
    offsets = np.cumsum([0, *(problem.n_variables for problem in problems)])
    return Problem(**arrays, group_sum=problems[0].group_sum), offsets


def _on_all_rows(problem: Problem, n_rows: int) -> Problem:
    """The problem with a variable that cannot move for each row that has none, by rows."""
    missing = np.setdiff1d(np.arange(n_rows), problem.index)
    index = np.concatenate([problem.index, missing])
    order, zeros = np.argsort(index, kind="stable"), np.zeros(len(missing))
    linear, lower, upper, ridge = (
        np.concatenate([known, zeros])[order]
        for known in (problem.linear, problem.lower, problem.upper, problem.ridge)
    )
    group = np.concatenate([problem.group, np.full(len(missing), min(problem.n_groups, 1) - 1)])
    return Problem(linear, lower, upper, index[order], ridge, group[order], problem.group_sum)
