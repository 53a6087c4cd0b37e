"""t times the decision values of a path as straight lines between its events."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from mercer.paths.curves.crossings import Block, margins

if TYPE_CHECKING:
    from mercer.paths.results.path import Path

__all__ = ["Polyline", "polyline"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Polyline:
    """s(x, t) = t f(x) of some rows, for every t = 1/C.

    Attributes
    ----------
    t : ndarray of shape (n_points,)
        Where it bends, ascending.
    s : ndarray of shape (n_rows, n_points)
        The values there.
    rate : float
        By which they grow beyond the last point: the value of the machine for C to 0.
    """

    t: FloatArray
    s: FloatArray
    rate: float

    def at(self, t: FloatArray, rows: IntArray) -> FloatArray:
        """The values of some rows at other parameters, (n_rows, n_t); for C = 0 those of f."""
        at_zero, known = np.isinf(t), np.where(np.isinf(t), 1.0, t)
        if not len(self.t):
            return np.broadcast_to(self.rate * known, (len(rows), len(t)))
        last = min(1, len(self.t) - 1)
        k = np.searchsorted(self.t, known, side="right") - 1
        k = np.clip(k, 0, len(self.t) - 1 - last)
        step = self.t[k + last] - self.t[k]
        share = np.divide(known - self.t[k], step, out=np.zeros_like(known), where=step > 0)
        share = np.minimum(share, 1.0)
        beyond = np.maximum(known - self.t[-1], 0.0) * self.rate
        own = rows[:, None]
        found = (1.0 - share) * self.s[own, k] + share * self.s[own, k + last] + beyond
        return np.asarray(np.where(at_zero, self.rate, found))

    def swings(self, loss: Callable[[FloatArray], FloatArray]) -> tuple[FloatArray, FloatArray]:
        """Parameters of the events, descending, and how far losses have moved up to each.

        Between events f is monotone, and so is a loss of f or of -f.
        """
        is_inner = self.t > 0
        t = np.r_[np.inf, self.t[is_inner][::-1]]
        f = (self.s[:, is_inner] / self.t[is_inner])[:, ::-1]
        f = np.column_stack([np.full(len(f), self.rate), f])
        steps = np.maximum(*(np.abs(np.diff(loss(own), axis=1)) for own in (f, -f)))
        return t, np.column_stack([np.zeros(len(f)), np.cumsum(steps, axis=1)])


def polyline(path: Path, block: Block, n_rows: int) -> Polyline:
    """That of a path, at rows known by their kernel values with the rows of its variables."""
    rate = path.over_C.start_rate
    if not np.isfinite(rate):
        rate = 0.0  # the path begins at C_min, and is never asked for smaller C
    if path.status == "trivial":
        return Polyline(np.zeros(0), np.zeros((n_rows, 0)), rate)
    parts = list(margins(path.segments, block))
    t = np.concatenate([parts[0][0], *(parameter[1:] for parameter, _ in parts[1:])])
    s = np.concatenate([parts[0][1], *(values[:, 1:] for _, values in parts[1:])], axis=1)
    if t[-1] == 0.0:
        s[:, -1] = 0.0  # beyond the last event s is proportional to t
    keep = np.r_[np.diff(t) < 0, True]  # of events at one place the last
    return Polyline(t[keep][::-1], s[:, keep][:, ::-1], rate)
