"""Leave-one-out: exact, by collapsing the box of a row, and what estimates or bounds it.

Glasmachers 2008, sections 9.1.2 and 9.1.5; Chapelle et al. 2002. A row without a coefficient
changes nothing when it is left out. For any other one its box is collapsed to [0, 0], its
coefficient moves to others, and the solver goes on from there. With f the machine and f_n that
without row n, and classes -1 and +1:

    errors     the rows with y_n f_n(x_n) <= 0
    span       the rows with y_n f(x_n) <= |beta_n| S_n^2, which is the same as long as no row
               becomes or ceases to be free
    span-like  sum_n s_n, s_n = 1 if y_n f_n(x_n) <= 0, else 1 - f_n(x_n) / f(x_n)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import pinvh

from mercer.selection.adjoint import Trained
from mercer.selection.gradient_sum import GradientSum
from mercer.selection.objectives.base import Objective
from mercer.selection.training_task import Part, TrainingTask
from mercer.solvers import solve
from mercer.solvers.runs.start import feasible_start

__all__ = ["LeaveOneOut", "NumberOfSupportVectors", "Span", "SpanLike", "without_row"]

FloatArray = NDArray[np.float64]


def without_row(machine: Trained, row: int, solver: object, tol: float) -> Trained:
    """The machine trained without a row, from the one trained with it."""
    problem = machine.problem
    own = problem.index == row
    lower, upper = (np.where(own, 0.0, bound) for bound in (problem.lower, problem.upper))
    smaller = replace(problem, lower=lower, upper=upper)
    start = feasible_start(smaller, np.where(own, 0.0, machine.solution.coef))
    found = solve(smaller, machine.gram, solver, start=start, tol=tol)  # type: ignore[arg-type]
    formulation = replace(machine.formulation, problem=smaller)
    return replace(machine, formulation=formulation, solution=found)


class _ByRow(Objective):
    """What all have in common: two classes with a free bias or none, pairs summed."""

    def __init__(self, task: TrainingTask) -> None:
        super().__init__(task)
        if not task.is_classifier or task.is_least_squares or self.space.penalty != "C":
            raise self._refused("an SVC")

    def _machines(self, theta: FloatArray) -> Iterator[tuple[Part, Trained]]:
        machines = self._train(theta, [self.task.training_weight()])[0]
        return zip(self.task.parts, machines, strict=True)

    def _left_out(self, machine: Trained) -> Iterator[tuple[int, Trained]]:
        """Every row with a coefficient, and the machine without it."""
        rows = machine.problem.row_coef(machine.solution.coef, self.task.n_rows)
        for row in np.flatnonzero(rows):
            self._check_time()
            self.n_trainings += 1
            own = self.task.machine
            yield int(row), without_row(machine, int(row), own.solver, own.tol)


class NumberOfSupportVectors(_ByRow):
    """Their number, a bound of the leave-one-out errors; prefers little regularization.

    Parameters
    ----------
    task : TrainingTask
        What is learned: classes, by an :class:`~mercer.SVC`.
    """

    name = "n_support"
    has_gradient = False

    def _evaluate(self, theta: FloatArray, with_gradient: bool) -> tuple[float, None]:
        in_use = np.zeros(self.task.n_rows, dtype=bool)
        for _, machine in self._machines(theta):
            in_use |= machine.fitted.coef != 0.0
        return float(in_use.sum()), None


class LeaveOneOut(_ByRow):
    """The weight of the rows that are wrong when left out, over that of all rows.

    Of several classes: of all pairs a row belongs to, summed.

    Parameters
    ----------
    task : TrainingTask
        What is learned: classes, by an :class:`~mercer.SVC`.
    """

    name = "loo"
    has_gradient = False

    def _evaluate(self, theta: FloatArray, with_gradient: bool) -> tuple[float, None]:
        wrong = 0.0
        for part, machine in self._machines(theta):
            margin = part.target[part.rows] * machine.values(part.rows)
            is_wrong = dict(zip(part.rows.tolist(), (margin <= 0).tolist(), strict=True))
            for row, smaller in self._left_out(machine):
                value = float(smaller.values(np.array([row]))[0])
                is_wrong[row] = part.target[row] * value <= 0.0
            wrong += float(sum(self.task.weight[row] for row, bad in is_wrong.items() if bad))
        return wrong / float(self.task.weight.sum()), None


class Span(_ByRow):
    """The share of rows that are wrong when left out, if the same rows stay free.

    H being the matrix of the free rows with its border (docs/theory/model_selection.md),
    S_n^2 = 1 / (H^-1)_nn of a free row and k_nn - h_n' H^-1 h_n of one on its bound.

    Parameters
    ----------
    task : TrainingTask
        What is learned: classes, by an :class:`~mercer.SVC`.
    """

    name = "span"
    has_gradient = False

    def _evaluate(self, theta: FloatArray, with_gradient: bool) -> tuple[float, None]:
        wrong = 0.0
        for part, machine in self._machines(theta):
            change = np.zeros(self.task.n_rows)
            rows, moves = span_changes(machine)
            change[rows] = moves
            margin = part.target[part.rows] * machine.values(part.rows)
            wrong += float(self.task.weight[part.rows] @ (margin <= change[part.rows]))
        return wrong / float(self.task.weight.sum()), None


def span_changes(machine: Trained) -> tuple[NDArray[np.intp], FloatArray]:
    """Rows with a coefficient, and by how much leaving one out lowers its margin: |beta| S^2."""
    problem, beta = machine.problem, machine.solution.coef
    free = machine.free
    used = np.flatnonzero(beta)
    bounded = used[~np.isin(used, free)]
    rows = problem.index
    n_groups = int((problem.group >= 0).any())
    system = np.zeros((len(free) + n_groups,) * 2)
    system[: len(free), : len(free)] = machine.gram.block(
        rows[free], rows[free], precision="double"
    )
    system[np.arange(len(free)), np.arange(len(free))] += problem.ridge[free]
    if n_groups:
        system[:-1, -1] = system[-1, :-1] = 1.0
    inverse = pinvh(system)
    spans = np.zeros(len(used))
    place = {int(variable): k for k, variable in enumerate(used)}
    diagonal = np.diagonal(inverse)[: len(free)]
    with np.errstate(divide="ignore"):
        spans[[place[int(i)] for i in free]] = 1.0 / diagonal
    if len(bounded):
        cross = np.ones((len(free) + n_groups, len(bounded)))
        cross[: len(free)] = machine.gram.block(rows[free], rows[bounded], precision="double")
        own = machine.gram.diagonal(precision="double")[rows[bounded]] + problem.ridge[bounded]
        left = np.einsum("ij,ij->j", cross, inverse @ cross)
        spans[[place[int(i)] for i in bounded]] = own - left
    return rows[used], np.abs(beta[used]) * np.maximum(spans, 0.0)


class SpanLike(_ByRow):
    """The sum of ``s_n`` over the rows, over their weight: an upper bound that has a gradient.

    Parameters
    ----------
    task : TrainingTask
        What is learned: classes, by an :class:`~mercer.SVC`.
    """

    name = "span_like"

    def _evaluate(self, theta: FloatArray, with_gradient: bool) -> tuple[float, FloatArray | None]:
        value, gradients = 0.0, GradientSum()
        share = self.task.weight / float(self.task.weight.sum())
        for part, machine in self._machines(theta):
            rows = machine.problem.index
            with_it = dict(zip(rows.tolist(), machine.values(rows).tolist(), strict=True))
            own = np.zeros(self.task.n_rows)
            for row, smaller in self._left_out(machine):
                f, without = with_it[row], _held_out_value(smaller, row)
                if part.target[row] * without <= 0.0:
                    value += share[row]
                    continue
                value += share[row] * float(np.clip(1.0 - without / f, 0.0, 1.0))
                if with_gradient and 0.0 < without / f < 1.0:
                    # (1 - f_n / f)' = (f_n f' - f f_n') / f^2
                    own[row] = share[row] * without / f**2
                    gradients.add(smaller, np.array([row]), np.array([-share[row] / f]))
            at = np.flatnonzero(own)
            if len(at):
                gradients.add(machine, at, own[at])
        return value, gradients.gradient(self.space.n_dims) if with_gradient else None


def _held_out_value(machine: Trained, row: int) -> float:
    """f at a row whose box is collapsed, which the gradient tells: f = linear - gradient + b."""
    own = int(np.flatnonzero(machine.problem.index == row)[0])
    return float(machine.problem.linear[own] - machine.solution.gradient[own] + machine.bias)
