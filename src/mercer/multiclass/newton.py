"""Newton steps on the free variables of a small problem: its last digits, and a way out of valleys.

Free variables are directions nu_p; of a row whose one slack is full they are differences
nu_p - nu_q. A little on the diagonal makes up for rows that depend on others, and moves along what
has no curvature to the next bound; repeated steps make up for it.
"""

from __future__ import annotations

import numpy as np
import scipy.linalg
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from mercer.gram import Gram
from mercer.multiclass.certificate import is_full
from mercer.multiclass.directions import curvatures, free_directions
from mercer.multiclass.problem import MulticlassProblem

__all__ = ["count_free", "newton_step"]

FloatArray = NDArray[np.float64]
_PROXIMAL = 1e-13  # of the trace of the system


def count_free(problem: MulticlassProblem, alpha: FloatArray) -> int:
    """Variables strictly between their bounds."""
    return int(((alpha > 0.0) & (alpha < problem.upper)).sum())


def newton_step(
    problem: MulticlassProblem, gram: Gram, alpha: FloatArray, slope: FloatArray
) -> FloatArray:
    """The point after a Newton step on the free variables, cut at the first bound."""
    along = free_directions(problem, alpha)
    if not len(along.rows):
        return alpha
    system = curvatures(problem, gram, along)
    system[np.diag_indices_from(system)] += _PROXIMAL * float(np.abs(np.diag(system)).sum())
    # more threads would only wait for each other
    with threadpool_limits(1, user_api="blas"):
        try:
            factor = scipy.linalg.cho_factor(system, overwrite_a=True)
        except scipy.linalg.LinAlgError:
            return alpha
        amounts = scipy.linalg.cho_solve(factor, along.slopes(slope))
    return _moved(problem, alpha, along.spread(amounts, problem.shape))


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
