"""Newton steps on the free variables of a small problem: its last digits, and a way out of valleys.

A direction t moves the coefficients of one row, those of row i_t by v_t, so that the curvature of
two directions is <v_s, v_t> k(x_i_s, x_i_t). Free variables are directions nu_p; of a row whose one
slack is full they are differences nu_p - nu_q. A little on the diagonal makes up for rows that
depend on others, and moves along what has no curvature to the next bound; repeated steps make up
for it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.linalg
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from mercer.gram import Gram
from mercer.multiclass.certificate import is_full
from mercer.multiclass.problem import MulticlassProblem

__all__ = ["count_free", "newton_step"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]
_PROXIMAL = 1e-13  # of the trace of the system


def count_free(problem: MulticlassProblem, alpha: FloatArray) -> int:
    """Variables strictly between their bounds."""
    return int(((alpha > 0.0) & (alpha < problem.upper)).sum())


@dataclass(frozen=True, eq=False)
class _Directions:
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


def newton_step(
    problem: MulticlassProblem, gram: Gram, alpha: FloatArray, slope: FloatArray
) -> FloatArray:
    """The point after a Newton step on the free variables, cut at the first bound."""
    along = _directions(problem, alpha)
    if not len(along.rows):
        return alpha
    vectors = _vectors(problem, along)
    kernel = gram.block(along.rows, along.rows, precision="double")
    system = (vectors @ vectors.T) * kernel
    system[np.diag_indices_from(system)] += _PROXIMAL * float(np.abs(np.diag(system)).sum())
    # more threads would only wait for each other
    with threadpool_limits(1, user_api="blas"):
        try:
            factor = scipy.linalg.cho_factor(system, overwrite_a=True)
        except scipy.linalg.LinAlgError:
            return alpha
        amounts = scipy.linalg.cho_solve(factor, along.slopes(slope))
    return _moved(problem, alpha, along.spread(amounts, problem.shape))


def _directions(problem: MulticlassProblem, alpha: FloatArray) -> _Directions:
    """Of every row the free variables or, if its slack is full, their differences."""
    rows, classes = np.nonzero(((alpha > 0.0) & (alpha < problem.upper)).T)
    others = np.full(len(rows), -1)
    if problem.one_slack and len(rows):
        first = np.searchsorted(rows, rows)
        paired = is_full(problem, alpha)[rows]
        others[paired] = classes[first[paired]]
        kept = ~paired | (first != np.arange(len(rows)))
        rows, classes, others = rows[kept], classes[kept], others[kept]
    return _Directions(rows, classes, others)


def _vectors(problem: MulticlassProblem, along: _Directions) -> FloatArray:
    """What each direction does to the coefficients of its row."""
    one_each = problem.on_rows(along.rows)
    places = np.arange(len(along.rows))
    alone = _Directions(places, along.classes, along.others)
    return one_each.coefficients(alone.spread(np.ones(len(places)), one_each.shape)).T


def _moved(problem: MulticlassProblem, alpha: FloatArray, change: FloatArray) -> FloatArray:
    """As far along the change as the bounds allow; what reaches one lies on it."""
    upper = np.broadcast_to(problem.upper, alpha.shape)
    with np.errstate(divide="ignore", invalid="ignore"):
        reach = np.where(change < 0.0, -alpha / change, (upper - alpha) / change)
    reach[change == 0.0] = np.inf
    step = min(1.0, float(reach.min()))
    if problem.one_slack:
        total, rise = alpha.sum(axis=0), change.sum(axis=0)
        open_rows = (rise > 0.0) & ~is_full(problem, alpha)
        room = (problem.upper - total)[open_rows] / rise[open_rows]
        step = min(step, float(room.min(initial=np.inf)))
    after = np.clip(alpha + step * change, 0.0, upper)
    stopped = reach <= step
    return np.where(stopped, np.where(change < 0.0, 0.0, upper), after)
