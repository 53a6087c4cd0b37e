"""Steps of all rows at once in the functions of one or two classes: two-class problems.

Steps of single rows are slow where rows are much alike (docs/theory/multiclass.md#class-steps).
With relative margins rows move coefficients t_i from one class to another, with absolute ones from
a class to all,

    c_i += t_i v,    v = e_a - e_b  or  e_a - (1 ... 1)/N,

which gains slope't - |v|^2/2 t'Kt: a machine without a bias that tells class a from class b, or
from all others. Each t_i has a box, within which no variable of its row leaves its bounds.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mercer.multiclass.certificate import variable_violations
from mercer.multiclass.problem import MulticlassProblem
from mercer.problem import Problem

__all__ = ["ClassStep", "class_steps"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]
_MOST_PAIRS = 1000  # of classes; with more of them steps of rows alone are faster
_SNAP = 1e-14  # share of a bound that is rounding


@dataclass(frozen=True, eq=False)
class ClassStep:
    """What all rows may do in some direction v of the classes."""

    problem: MulticlassProblem
    first: int
    second: int | None  # None for all classes
    slope: FloatArray
    lower: FloatArray
    upper: FloatArray

    @property
    def curvature(self) -> float:
        """|v|^2."""
        return 2.0 if self.second is not None else 1.0 - 1.0 / self.problem.n_classes

    @property
    def violation(self) -> float:
        """Largest slope of a row that may follow it."""
        rise = np.where(self.upper > 0.0, self.slope, 0.0).max(initial=0.0)
        return float(max(rise, -np.where(self.lower < 0.0, self.slope, 0.0).min(initial=0.0)))

    @property
    def rows(self) -> IntArray:
        """Those that may move."""
        return np.flatnonzero(self.lower < self.upper)

    def two_class_problem(self) -> Problem:
        """Of |v|^2 t, so that its kernel is the kernel."""
        rows, curvature = self.rows, self.curvature
        return Problem(
            index=rows,
            linear=self.slope[rows],
            lower=curvature * self.lower[rows],
            upper=curvature * self.upper[rows],
            group=np.full(len(rows), -1, dtype=np.int8),
            group_sum=np.empty(0),
        )

    def amounts(self, coef: FloatArray) -> FloatArray:
        """The t of all rows from a solution; what lies at a bound lies at it exactly."""
        rows, curvature = self.rows, self.curvature
        t = np.zeros(self.problem.n_rows)
        low, high = self.lower[rows], self.upper[rows]
        t[rows] = np.where(coef >= curvature * high, high, np.clip(coef / curvature, low, high))
        t[rows] = np.where(coef <= curvature * low, low, t[rows])
        return t

    def move(self, alpha: FloatArray, t: FloatArray) -> None:
        """Change the variables by a step."""
        p = self.problem
        is_first = p.labels == self.first
        if self.second is None:
            alpha[:, is_first] += t[is_first]
        else:
            alpha[self.second] += np.where(p.labels == self.second, 0.0, t)
        alpha[self.first] -= np.where(is_first, 0.0, t)
        alpha[p.own] = 0.0
        near = _SNAP * p.upper
        touched = slice(None) if self.second is None else [self.first, self.second]
        part = alpha[touched]
        part = np.where(part <= near, 0.0, part)
        alpha[touched] = np.where(part >= p.upper - near, p.upper, part)
        alpha[p.own] = 0.0

    def spread(self, values: FloatArray, products: FloatArray) -> None:
        """Change the values of all classes by the ``products`` Kt."""
        values[self.first] += products
        if self.second is None:
            values -= products / self.problem.n_classes
        else:
            values[self.second] -= products


def class_steps(
    problem: MulticlassProblem, alpha: FloatArray, values: FloatArray, tolerance: float
) -> Iterator[ClassStep]:
    """A round of steps, each from where ``alpha`` and ``values`` are by then."""
    if problem.margins == "absolute":
        for c in range(problem.n_classes):
            yield _from_all(problem, alpha, values, c)
        return
    if problem.n_classes * (problem.n_classes - 1) // 2 > _MOST_PAIRS:
        return
    for a, b in _worst_pairs(problem, alpha, values, tolerance):
        yield _between(problem, alpha, values, int(a), int(b))


def _from_all(p: MulticlassProblem, alpha: FloatArray, values: FloatArray, c: int) -> ClassStep:
    """Rows of other classes move alpha_ic by -t, those of class c all their variables by t."""
    slope, lower, upper = -(p.margin + values[c]), alpha[c] - p.upper, alpha[c].copy()
    own = np.flatnonzero(p.labels == c)
    others = np.delete(np.arange(p.n_classes), c)
    variables = alpha[np.ix_(others, own)]
    slope[own] = (p.margin + values[np.ix_(others, own)]).sum(axis=0)
    lower[own] = -variables.min(axis=0)
    upper[own] = p.upper[own] - variables.max(axis=0)
    return ClassStep(p, c, None, slope, lower, np.maximum(upper, 0.0))


def _between(
    p: MulticlassProblem, alpha: FloatArray, values: FloatArray, a: int, b: int
) -> ClassStep:
    """Rows of class a move alpha_ib by t, those of b alpha_ia by -t, others both."""
    in_a, in_b = p.labels == a, p.labels == b
    if p.one_slack:
        room = np.maximum(p.upper - alpha.sum(axis=0), 0.0)
        rise_a, rise_b = np.where(in_b, room, np.inf), np.where(in_a, room, np.inf)
    else:
        rise_a, rise_b = p.upper - alpha[a], p.upper - alpha[b]
    fall_a, fall_b = alpha[a], alpha[b]
    lower = -np.minimum(np.where(in_a, np.inf, rise_a), np.where(in_b, np.inf, fall_b))
    upper = np.minimum(np.where(in_a, np.inf, fall_a), np.where(in_b, np.inf, rise_b))
    slope = values[b] - values[a] + p.margin * (in_a.astype(np.float64) - in_b)
    return ClassStep(p, a, b, slope, lower, upper)


def _worst_pairs(
    p: MulticlassProblem, alpha: FloatArray, values: FloatArray, tolerance: float
) -> IntArray:
    """Pairs of classes by the violation of the variables between them, the worst first."""
    each = variable_violations(p, alpha, p.slopes(values))
    order = np.argsort(p.labels, kind="stable")
    present, first = np.unique(p.labels[order], return_index=True)
    worst = np.zeros((p.n_classes, p.n_classes))
    worst[:, present] = np.maximum.reduceat(each[:, order], first, axis=1)
    worst = np.triu(np.maximum(worst, worst.T), 1)
    chosen = np.argsort(-worst, axis=None, kind="stable")
    chosen = chosen[worst.ravel()[chosen] > tolerance]
    return np.column_stack(np.unravel_index(chosen, worst.shape))
