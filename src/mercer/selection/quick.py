"""Machines that are asked for predictions only: many small problems, without certificates.

A search over C trains hundreds of machines, most of them small, and keeps none. Here a machine is
one native run on a whole matrix in single precision, from the solution of the C before. Rows that
are held out have a box of [0, 0], and the gradient tells their values; of several classes all C
share the kernel values of their predictions. A kernel value in single precision is off by some
6e-8 (root mean square), and values of a machine with coefficients beta by that times |beta|. Where
three times that is not small, or pair steps do not come to an end, the machine is solved again,
with its certificate.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer import _core
from mercer.formulations import Formulation
from mercer.gram import Gram
from mercer.problem import Problem
from mercer.selection.adjoint import Scaling
from mercer.selection.objectives.base import OutOfTime
from mercer.selection.objectives.splits import Split
from mercer.selection.shared import on_threads
from mercer.selection.small_parts import SmallParts
from mercer.selection.task import Task
from mercer.solvers import solve_many
from mercer.solvers.runs.deadline import Deadline

__all__ = ["QuickMachines"]

FloatArray = NDArray[np.float64]

_MOST_ROWS = 4000  # of a whole matrix
_LEAST_TOL = 1e-4  # that single precision reaches
_MOST_STEPS = 20_000
_CHUNK = 512
_ERROR_PER_NORM = 2e-7
_MOST_ERROR = 0.02  # of a decision value, in units of the targets


class QuickMachines:
    """The machines of every split and part of a task, for any kernel and ascending prices.

    Parameters
    ----------
    task : Task
        What is learned.
    splits : sequence of Split
        Rows to train on, and rows to test with.
    machine : estimator
        The machine at the price 1.
    scaling : Scaling
        How its problems change with the price.
    """

    def __init__(
        self, task: Task, splits: Sequence[Split], machine: object, scaling: Scaling
    ) -> None:
        self.task, self.splits, self.scaling = task, splits, scaling
        self.tol: float = task.machine.tol
        weights = [task.training_weight(split.times) for split in splits]
        self.units: list[list[Formulation]] = [
            [task.formulate(machine, part, weight) for weight in weights] for part in task.parts
        ]
        self._in_place: list[Problem] = []
        self._pairs = np.array(task.pairs)
        by_split = zip(*self.units, strict=True) if task.n_classes > 2 else ()
        self._small = [SmallParts.of(units) for units in by_split]
        self.deadline = Deadline()

    def suit(self, gram: Gram) -> bool:
        """Whether the machines can be trained so."""
        first, size = self.units[0][0], self._largest
        return (
            self.task.machine.solver == "auto"
            and self.tol >= _LEAST_TOL * self.task.unit
            and size <= _MOST_ROWS
            and 4 * size**2 <= gram.cache_bytes
            and not (gram.form.reads_python or gram.form.reads_stored or gram.precision_is_given)
            and gram.origin is None
            and gram.definiteness == "known"
            and gram.carries_single
            and first.kind in ("intercept", "origin")
            and not (first.problem.group_sum.any() or first.problem.is_endless)
        )

    @property
    def _largest(self) -> int:
        """Rows of the largest whole matrix."""
        return max(len(part.rows) for part in self.task.parts)

    def values(self, gram: Gram, prices: Sequence[float]) -> Iterator[FloatArray]:
        """Values at the held-out rows of each split, shape (n_test, n_prices, n_parts).

        ``prices`` ascend.
        """
        for precision in ("single", "double"):
            gram.native(precision)  # made before threads ask for them
        is_whole = gram.n_rows <= _MOST_ROWS
        if is_whole and len(self.units) == 1:
            return self._held_out(gram, prices)
        return self._of_many_classes(gram, prices, is_whole)

    def _held_out(self, gram: Gram, prices: Sequence[float]) -> Iterator[FloatArray]:
        """Values that the gradients tell: all rows are in every problem."""
        if not self._in_place:
            self._in_place = [_on_all_rows(unit.problem, gram.n_rows) for unit in self.units[0]]
        out = [np.empty((len(split.test), len(prices), 1)) for split in self.splits]

        def train(s: int) -> None:
            unit = self._in_place[s]
            at = np.searchsorted(unit.index, self.splits[s].test)
            with gram.visit():
                for j, (_, values, bias) in enumerate(self._followed(unit, gram, prices)):
                    out[s][:, j, 0] = values[at] + bias

        on_threads(train, range(len(out)), gram.n_threads)
        return iter(out)

    def _of_many_classes(
        self, gram: Gram, prices: Sequence[float], is_whole: bool
    ) -> Iterator[FloatArray]:
        """Values of pairs of classes: from the rows of each class, by products."""
        n_columns = max(self.task.n_classes - 1, 1)
        coef = np.zeros((len(self.splits), gram.n_rows, len(prices), n_columns))
        bias = np.zeros((len(self.splits), len(prices), len(self.units)))
        everywhere = range(len(self.splits))
        is_left = np.ones((len(self.units), len(self.splits)), dtype=bool)
        if is_whole and SmallParts.suit(gram):
            self._train_small(gram, prices, coef, bias)
            for s, small in enumerate(self._small):
                is_left[small.part if small else [], s] = False
        jobs = [
            (p, some)
            for p in range(len(self.units))
            for some in ([[s] for s in everywhere] if is_whole else [list(everywhere)])
            if is_left[p, some].all()
        ]

        def train(job: tuple[int, list[int]]) -> None:
            part, some = job
            rows = np.arange(gram.n_rows) if is_whole else self.task.parts[part].rows
            own = gram if is_whole else gram.reordered(rows, precision="auto")
            with own.visit(1 if is_whole else gram.n_threads):
                for s in some:
                    problem = self.units[part][s].problem
                    local = problem if is_whole else _moved(problem, rows)
                    betas = np.empty((len(prices), problem.n_variables))
                    for j, found in enumerate(self._followed(local, own, prices)):
                        betas[j], _, bias[s, j, part] = found
                    self._put(coef[s], part, problem, betas)

        on_threads(train, jobs, gram.n_threads)
        for s, split in enumerate(self.splits):
            yield self._expanded(gram, coef[s], split.test) + bias[s]

    def _train_small(
        self, gram: Gram, prices: Sequence[float], coef: FloatArray, bias: FloatArray
    ) -> None:
        """Train the machines of small pairs, those of a split and a price together."""

        def train(s: int) -> None:
            if (small := self._small[s]) is None:
                return
            index = small.problem.index
            column = self._columns(np.repeat(small.part, np.diff(small.offsets)), index)
            known = gram, prices, self.scaling, self.tol, self._seconds_left
            with gram.visit():
                for j, (betas, biases, again) in enumerate(small.followed(*known)):
                    coef[s, index, j, column], bias[s, j, small.part] = betas, biases
                    for part in small.part[again]:
                        problem = self.units[part][s].problem
                        at = s, problem.index, j, self._columns(part, problem.index)
                        found = next(self._followed(problem, gram, prices[j : j + 1]))
                        coef[at], _, bias[s, j, part] = found

        on_threads(train, range(len(self._small)), gram.n_threads)

    def _columns(self, part: Any, index: NDArray[np.intp]) -> NDArray[np.intp]:
        """Where the coefficients of pairs stand: with the other class of each row."""
        first, second = self._pairs[part].T
        return np.where(self.task.labels[index] == first, second - 1, first)

    def _put(self, coef: FloatArray, part: int, problem: Problem, betas: FloatArray) -> None:
        """Write coefficients by row, and of pairs by the other class (LIBSVM's layout)."""
        if self.task.n_classes <= 2:
            for j, beta in enumerate(betas):
                coef[:, j, 0] = problem.row_coef(beta, len(coef))
            return
        coef[problem.index, :, self._columns(part, problem.index)] = betas.T

    def _expanded(self, gram: Gram, coef: FloatArray, test: NDArray[np.intp]) -> FloatArray:
        """Values without the bias; of pairs the sum over the rows of both classes."""
        n_prices, task = coef.shape[1], self.task
        out = np.zeros((len(test), n_prices, len(self.units)))
        for c in range(task.n_classes if task.n_classes > 2 else 1):
            used = coef.any(axis=(1, 2))
            if task.n_classes > 2:
                used &= task.labels == c
            rows = np.flatnonzero(used)
            if not len(rows):
                continue
            own = coef[rows].reshape(len(rows), -1)
            found = gram.product(rows, own, rows=test, precision="single")
            found = found.reshape(len(test), n_prices, -1)
            if task.n_classes <= 2:
                return found
            columns = [p for p, pair in enumerate(task.pairs) if c in pair]
            out[:, :, columns] += found
        return out

    def _followed(
        self, unit: Problem, gram: Gram, prices: Sequence[float]
    ) -> Iterator[tuple[FloatArray, FloatArray, float]]:
        """Coefficients, values K beta and bias for one price after the other."""
        size = unit.n_variables
        beta, gradient, ridge = np.zeros(size), np.empty(0), unit.ridge
        options, native, known = _options(size, self.tol), gram.native("single"), None
        most_error = _MOST_ERROR * self.task.unit
        problem: _core.Problem | None = None
        for price in prices:
            box, new = price**self.scaling.box, price**self.scaling.ridge * unit.ridge
            arrays = (unit.index, unit.linear, box * unit.lower, box * unit.upper, new)
            last, problem = problem, _core.Problem(*arrays, unit.group, unit.group_sum)
            if last is not None:
                # the ridge is part of the gradient
                gradient = gradient + (ridge - new) * beta
                beta, known, _ = _core.carry(problem, last, beta, gradient, True)
            gradient, ridge = np.empty(size), new
            options.max_seconds = self._seconds_left()
            found = _core.chunked_solve(problem, native, options, beta, known, gradient, None)
            if found.status == "max-time":
                raise OutOfTime
            error = _ERROR_PER_NORM * float(np.sqrt(beta @ beta))
            if found.status != "converged" or found.drifted or error > most_error:
                beta, gradient = self._certified(unit, gram, price)
            values = unit.linear - gradient - ridge * beta
            # of one group, or none
            yield beta, values, float(_core.report_point(problem, beta, values)[1].sum())

    def _seconds_left(self) -> float:
        if self.deadline.is_over:
            raise OutOfTime
        return self.deadline.seconds_left

    def _certified(self, unit: Problem, gram: Gram, price: float) -> tuple[FloatArray, FloatArray]:
        box, ridge = price**self.scaling.box, price**self.scaling.ridge
        problem = Problem(
            unit.linear, box * unit.lower, box * unit.upper, unit.index, ridge * unit.ridge,
            unit.group, unit.group_sum,
        )  # fmt: skip
        solved = solve_many([[problem]], gram, tol=self.tol, max_time=self._seconds_left())[0]
        if not solved or solved[0].status == "max-time":
            raise OutOfTime
        found = solved[0]
        return found.coef.copy(), found.gradient.copy()


def _moved(problem: Problem, rows: NDArray[np.intp]) -> Problem:
    """The problem on a Gram of these rows only."""
    return problem.on_rows(np.searchsorted(rows, problem.index))


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


def _options(n_variables: int, tol: float) -> _core.ChunkedOptions:
    options = _core.ChunkedOptions()
    options.tolerance = tol
    options.chunk_size = min(_CHUNK, max(n_variables, 2))
    options.keep = options.chunk_size // 2
    options.max_iterations = max(_MOST_STEPS, 10 * n_variables)
    options.shrinking = True
    options.kernel_rows = _core.RowPolicy.full
    options.gradient_error = 0.0
    return options
