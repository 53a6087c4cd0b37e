"""Machines of pairs of classes trained with one more row, from where they were.

One Gram holds the rows and the new ones; each problem starts from the solution without the new
row. The margin of a row is less what its own coefficient lends it, for one unit of its weight,

    y_i f(x_i) - |beta_i| k(x_i, x_i) / w_i,

a lower bound of its margin when left out (Jaakkola & Haussler 1999, without a bias). For
kernels with k(x, x) = 1 that keeps the order of the margins, and tells apart those of 1: all rows
of a machine with large C may have it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.gram import Gram
from mercer.gram.native import count_rows, take_rows
from mercer.machines.kernel_values import make_gram, resolve_kernel
from mercer.predictions.copies import first_copies
from mercer.predictions.fixed_kernel import has_fixed_kernel
from mercer.predictions.stacked_rows import stacked
from mercer.predictions.trials import Trial
from mercer.solvers.solving import resolve_solver, solve_by
from mercer.training.rows import read_new_rows

__all__ = ["RetrainedPairs"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]
Pair = tuple[int, int]
_TOL = 1e-5  # coefficients rank rows, too: with that p-values were those of the active set
_BLOCK = 64  # new rows that share a Gram


@dataclass(frozen=True, eq=False)
class _Block:
    """Kernel values of the rows and some new ones, and the first copy of each."""

    gram: Gram
    first: IntArray


class RetrainedPairs:
    """Machines of pairs of classes on shared kernel values, from where they were.

    A pair of classes changes only if the new row is in one of them: margins of the other pairs
    are those without it.
    """

    def __init__(self, machine: Any, X: Any, labels: IntArray, weight: FloatArray | None) -> None:
        self._machine, self._labels = machine, labels
        self._X = X
        self._weight = np.ones(len(labels)) if weight is None else weight
        self._class_weight = machine.class_weight_
        self._n_classes = len(machine.classes_)
        self._solver = resolve_solver(machine.solver, shrinking=machine.shrinking)
        self._starts: dict[Pair, FloatArray] = {}
        if self._n_classes == 2:
            self._starts[0, 1] = machine.solutions_[0].coef
        self._table: FloatArray | None = None

    def trials(self, Z: Any) -> Iterator[list[Trial]]:
        """For each new row a trial of each label."""
        Z, n = read_new_rows(self._machine, Z), len(self._labels)
        is_fixed = has_fixed_kernel(self._machine, self._X)
        size = _BLOCK if is_fixed else 1
        for begin in range(0, count_rows(Z), size):
            some = np.arange(begin, min(begin + size, count_rows(Z)))
            block = self._block(take_rows(Z, some))
            table = self._without(block, is_fixed)
            for j in range(len(some)):
                yield [self._trial(block, n + j, c, table) for c in range(self._n_classes)]

    def _block(self, new: Any) -> _Block:
        rows = stacked(self._X, new)
        weight = np.append(self._weight, np.ones(count_rows(new)))
        kernel = resolve_kernel(self._machine, rows, weight)
        bias = getattr(self._machine, "fit_intercept", True)
        gram = make_gram(self._machine, kernel, rows, weight, bias=bias)
        return _Block(gram, first_copies(rows))

    def _without(self, block: _Block, is_fixed: bool) -> FloatArray | None:
        """Margin of each row in each pair of its class, without a new row."""
        if self._n_classes == 2 or (is_fixed and self._table is not None):
            return self._table
        table = np.full((len(self._labels), self._n_classes), np.inf)
        for pair in combinations(range(self._n_classes), 2):
            rows = self._rows(pair)
            found, _, self._starts[pair] = self._solve(block, pair, rows, self._labels[rows])
            table[rows, sum(pair) - self._labels[rows]] = found
        self._table = table
        return table

    def _rows(self, pair: Pair) -> IntArray:
        return np.flatnonzero((self._labels == pair[0]) | (self._labels == pair[1]))

    def _trial(self, block: _Block, new: int, label: int, table: FloatArray | None) -> Trial:
        n = len(self._labels)
        own = np.full((n + 1, self._n_classes), np.inf)
        if table is not None:
            own[:n] = table
        slack = 0.0
        for other in range(self._n_classes):
            if other == label:
                continue
            pair = (min(label, other), max(label, other))
            rows = np.append(self._rows(pair), new)
            labels = np.append(self._labels[rows[:-1]], label)
            found, inexact, _ = self._solve(block, pair, rows, labels)
            own[np.append(rows[:-1], n), sum(pair) - labels] = found
            slack = max(slack, inexact)
        return Trial(own.min(axis=1), slack)

    def _solve(
        self, block: _Block, pair: Pair, rows: IntArray, labels: IntArray
    ) -> tuple[FloatArray, float, FloatArray]:
        """Margins of the rows of a pair, how exact they are, and the coefficients."""
        machine, n = self._machine, len(self._labels)
        # of two classes the second is positive, as in a fit: ties are broken alike
        sign = np.where(labels == pair[1 if self._n_classes == 2 else 0], 1.0, -1.0)
        weight = np.append(self._weight, 1.0)[np.minimum(rows, n)] * self._class_weight[labels]
        formulation = machine._formulate(sign, weight)
        start = self._starts.get(pair)
        if start is not None:
            start = np.append(start, np.zeros(len(rows) - len(start)))
        options = {"tol": min(machine.tol, _TOL), "max_iter": machine.max_iter}
        problem = formulation.problem.on_rows(rows)
        solution = solve_by(self._solver, problem, block.gram, start=start, **options)
        fitted = formulation.fitted_parameters(solution)
        scale = fitted.scale or 1.0
        # K beta = linear - gradient - ridge beta; a penalized bias is part of K
        values = problem.linear - solution.gradient - problem.ridge * solution.coef
        bias = 0.0 if formulation.kind == "penalized" else fitted.intercept
        error = solution.error if np.isfinite(solution.error) else 0.0
        inexact = scale * (solution.violation + error)
        share = scale * _per_copy(np.abs(solution.coef), weight, block.first[rows], sign)
        found = sign * (scale * values + bias) - share * block.gram.diagonal()[rows]
        return found, inexact, solution.coef


def _per_copy(
    size: FloatArray, weight: FloatArray, first: IntArray, sign: FloatArray
) -> FloatArray:
    """Coefficient per unit of weight, the same for all copies of a row.

    Their sum is unique, which copy has how much of it is not.
    """
    copies = np.unique(2 * first + (sign > 0), return_inverse=True)[1]
    return np.asarray((np.bincount(copies, size) / np.bincount(copies, weight))[copies])
