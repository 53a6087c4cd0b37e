"""Directions in which variables of a multiclass problem move, and their curvatures.

A direction t moves the coefficients of one row, those of row i_t by v_t, so that the curvature of
two directions is <v_s, v_t> k(x_i_s, x_i_t).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mercer.gram import Gram
from mercer.multiclass.certificate import is_full
from mercer.multiclass.problem import MulticlassProblem

__all__ = ["Directions", "all_directions", "curvatures", "free_directions"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Directions:
    """Directions that move variable ``classes`` of ``rows`` up, and ``others`` down if not -1."""

    rows: IntArray
    classes: IntArray
    others: IntArray

    def spread(self, amounts: FloatArray, shape: tuple[int, int]) -> FloatArray:
        """The change of all variables."""
        change = np.zeros(shape)
        np.add.at(change, (self.classes, self.rows), amounts)
        paired = self.others >= 0
        np.add.at(change, (self.others[paired], self.rows[paired]), -amounts[paired])
        return change

    def slopes(self, slope: FloatArray) -> FloatArray:
        """Those of the objective along the directions."""
        other = np.where(self.others >= 0, slope[self.others, self.rows], 0.0)
        return np.asarray(slope[self.classes, self.rows] - other)


def all_directions(problem: MulticlassProblem) -> Directions:
    """All variables of rows that are present."""
    may_move = np.broadcast_to(problem.upper > 0.0, problem.shape).copy()
    may_move[problem.own] = False
    rows, classes = np.nonzero(may_move.T)
    return Directions(rows, classes, np.full(len(rows), -1))


def free_directions(problem: MulticlassProblem, alpha: FloatArray) -> Directions:
    """Of every row the free variables or, if its slack is full, their differences."""
    rows, classes = np.nonzero(((alpha > 0.0) & (alpha < problem.upper)).T)
    others = np.full(len(rows), -1)
    if problem.one_slack and len(rows):
        first = np.searchsorted(rows, rows)
        paired = is_full(problem, alpha)[rows]
        others[paired] = classes[first[paired]]
        kept = ~paired | (first != np.arange(len(rows)))
        rows, classes, others = rows[kept], classes[kept], others[kept]
    return Directions(rows, classes, others)


def curvatures(problem: MulticlassProblem, gram: Gram, along: Directions) -> FloatArray:
    """Second derivatives of the objective along pairs of directions, negated."""
    vectors = _vectors(problem, along)
    kernel = gram.block(along.rows, along.rows, precision="double")
    return np.asarray((vectors @ vectors.T) * kernel)


def _vectors(problem: MulticlassProblem, along: Directions) -> FloatArray:
    """What each direction does to the coefficients of its row."""
    one_each = problem.on_rows(along.rows)
    places = np.arange(len(along.rows))
    alone = Directions(places, along.classes, along.others)
    return one_each.coefficients(alone.spread(np.ones(len(places)), one_each.shape)).T
