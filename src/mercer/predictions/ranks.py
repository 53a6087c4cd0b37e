"""Where a new score stands among known ones: p-values and the ends of intervals.

A row of weight 2 counts as two. With scores s_i of weight w_i, W their sum, and s of the new
row, which counts as one more (Vovk et al. 2005):

    p = (sum of w_i over s_i > s  +  tau (1 + sum of w_i over s_i = s)) / (W + 1)

tau = 1 counts ties in full; drawn from [0, 1] it makes p uniform ("smoothed").
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Counts", "count", "lower_ends"]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Counts:
    """Weights of the known scores above new ones, equal to them, and altogether."""

    above: FloatArray
    tied: FloatArray
    total: FloatArray

    def __add__(self, other: Counts) -> Counts:
        """The counts among the known scores of both."""
        return Counts(self.above + other.above, self.tied + other.tied, self.total + other.total)

    def p_values(self, tau: FloatArray | float = 1.0) -> FloatArray:
        """Share of scores at least as large as the new ones, which are among them."""
        return (self.above + tau * (self.tied + 1.0)) / (self.total + 1.0)


def count(scores: FloatArray, weight: FloatArray, new: FloatArray, slack: float = 0.0) -> Counts:
    """Compare new scores with known ones; those nearer than ``slack`` are ties."""
    order = np.argsort(scores)
    ordered = scores[order]
    below = np.concatenate([[0.0], np.cumsum(weight[order])])
    first = np.searchsorted(ordered, new - slack, side="left")
    last = np.searchsorted(ordered, new + slack, side="right")
    total = below[-1]
    return Counts(total - below[last], below[last] - below[first], np.full(new.shape, total))


def lower_ends(ends: FloatArray, weight: FloatArray, alpha: float) -> FloatArray:
    """The floor(alpha (W + 1))-th smallest end of each row, minus infinity for the 0-th.

    A value y stays unless the ends at or below it weigh at most alpha (W + 1) - 1: then its
    p-value is at most alpha. (Barber et al. 2021).

    Parameters
    ----------
    ends : ndarray of shape (n_rows, n_known)
        Lower ends.
    weight : ndarray of shape (n_known,)
        Weight of each.
    alpha : float
        Level.
    """
    # whole numbers are not to depend on rounding
    needed = alpha * (weight.sum() + 1.0) - 1.0 + 1e-9
    if needed < 0.0:
        return np.full(len(ends), -np.inf)
    order = np.argsort(ends, axis=1)
    below = np.cumsum(weight[order], axis=1)
    place = np.minimum((below <= needed).sum(axis=1), ends.shape[1] - 1)
    chosen = np.take_along_axis(order, place[:, None], axis=1)
    return np.asarray(np.take_along_axis(ends, chosen, axis=1)[:, 0])
