"""t times the decision values of a path as straight lines between its events."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from mercer.paths.curves.crossings import Block, margins

if TYPE_CHECKING:
    from mercer.paths.results.path import Path

__all__ = ["Polyline", "polyline"]

FloatArray = NDArray[np.float64]


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

    def at(self, t: FloatArray) -> FloatArray:
        """The values at other parameters, shape (n_rows, n_t)."""
        if not len(self.t):
            return np.broadcast_to(self.rate * t, (len(self.s), len(t)))
        k = np.clip(np.searchsorted(self.t, t, side="right") - 1, 0, max(len(self.t) - 2, 0))
        last = min(1, len(self.t) - 1)
        step = self.t[k + last] - self.t[k]
        share = np.divide(t - self.t[k], step, out=np.zeros_like(t), where=step > 0)
        share = np.minimum(share, 1.0)
        beyond = np.maximum(t - self.t[-1], 0.0) * self.rate
        return np.asarray((1.0 - share) * self.s[:, k] + share * self.s[:, k + last] + beyond)


def polyline(path: Path, block: Block, n_rows: int) -> Polyline:
    """That of a path, at rows known by their kernel values with the rows of its variables."""
    rate = path.over_C.start_rate
    if path.status == "trivial":
        return Polyline(np.zeros(0), np.zeros((n_rows, 0)), rate)
    parts = list(margins(path.segments, block))
    t = np.concatenate([parts[0][0], *(parameter[1:] for parameter, _ in parts[1:])])
    s = np.concatenate([parts[0][1], *(values[:, 1:] for _, values in parts[1:])], axis=1)
    if t[-1] == 0.0:
        s[:, -1] = 0.0  # beyond the last event s is proportional to t
    keep = np.r_[np.diff(t) < 0, True]  # of events at one place the last
    return Polyline(t[keep][::-1], s[:, keep][:, ::-1], rate)
