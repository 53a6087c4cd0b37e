"""The data of a path: breakpoints, changed sides, and the free variables in between.

In the parameter t = 1/C and the variables a = coef/C a segment is affine: a_F(t) = values +
(t - parameter) rates, and so is the bias t b (docs/theory/paths.md#segments). Everything else is at
a bound. So a path takes the memory of its free variables, not of n times its breakpoints.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

__all__ = ["FREE", "LOWER", "UPPER", "Segments"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
LOWER, FREE, UPPER = -1, 0, 1


@dataclass(frozen=True, eq=False)
class Segments:
    """The pieces of a path, from the largest parameter down.

    Attributes
    ----------
    lower, upper : ndarray of shape (n_variables,)
        The box at C = 1.
    first_side : ndarray of shape (n_variables,) of int8
        Side of each variable before the first segment: -1 lower bound, 0 free, 1 upper bound.
    parameter, bias, bias_rate : ndarray of shape (n_segments,)
        Where each segment begins, C b there, and its rate per unit of the parameter.
    changes_end, values_end : ndarray of shape (n_segments,)
        Offsets behind the entries of a segment in the arrays below.
    changed, side : ndarray
        Variables that change sides at the beginning of a segment, and to which.
    values, rates : ndarray
        The free variables of a segment by ascending number: at its beginning, and their rates.
    end_parameter : float
        Where the last segment ends; 0 if the path is complete.
    """

    lower: FloatArray
    upper: FloatArray
    first_side: NDArray[np.int8]
    parameter: FloatArray
    bias: FloatArray
    bias_rate: FloatArray
    changes_end: IntArray
    values_end: IntArray
    changed: IntArray
    side: NDArray[np.int8]
    values: FloatArray
    rates: FloatArray
    end_parameter: float

    def __len__(self) -> int:
        return len(self.parameter)

    @property
    def n_variables(self) -> int:
        """Number of variables."""
        return len(self.lower)

    @cached_property
    def n_free(self) -> IntArray:
        """Number of free variables of each segment."""
        return np.diff(self.values_end, prepend=0)

    @cached_property
    def n_early(self) -> int:
        """Number of segments before the first event: in these only the bias bends."""
        rests = (self.changes_end == 0) & (self.fastest == 0)
        return max(int(np.logical_and.accumulate(rests).sum()) - 1, 0)

    @cached_property
    def fastest(self) -> FloatArray:
        """The largest size of a rate in each segment."""
        begins = np.append(0, self.values_end[:-1])
        sizes = np.maximum.reduceat(np.append(np.abs(self.rates), 0.0), begins)
        return np.asarray(np.where(self.n_free > 0, sizes, 0.0))

    @cached_property
    def _checkpoints(self) -> list[NDArray[np.int8]]:
        """Sides after every ``n_variables``-th change: n bytes for n changes."""
        sides, kept = self.first_side.copy(), []
        step = max(self.n_variables, 1)
        for begin in range(0, len(self.changed) + 1, step):
            kept.append(sides.copy())
            # a variable may change more than once: assignment keeps the last change
            sides[self.changed[begin : begin + step]] = self.side[begin : begin + step]
        return kept

    def sides(self, k: int) -> NDArray[np.int8]:
        """Side of each variable in segment ``k``, in O(n)."""
        step = max(self.n_variables, 1)
        end = int(self.changes_end[k])
        block = end // step
        sides = self._checkpoints[block].copy()
        sides[self.changed[block * step : end]] = self.side[block * step : end]
        return sides

    def free(self, k: int) -> tuple[FloatArray, FloatArray]:
        """Values at the beginning and rates of the free variables of segment ``k``."""
        begin = int(self.values_end[k - 1]) if k else 0
        entries = slice(begin, int(self.values_end[k]))
        return self.values[entries], self.rates[entries]

    def coef(self, k: int, parameter: float) -> FloatArray:
        """The point (in the box at C = 1) at a parameter inside segment ``k``."""
        sides = self.sides(k)
        values, rates = self.free(k)
        point = np.where(sides == UPPER, self.upper, self.lower)
        free = np.flatnonzero(sides == FREE)
        moved = values + (parameter - self.parameter[k]) * rates
        point[free] = np.clip(moved, self.lower[free], self.upper[free])
        return point

    def locate(self, parameter: float) -> int:
        """The segment that holds a parameter; the last one if several meet at it."""
        k = len(self) - int(np.searchsorted(self.parameter[::-1], parameter, side="left")) - 1
        return max(k, 0)

    def window(self, begin: int, end: int) -> tuple[IntArray, FloatArray]:
        """Variables free in some segment of ``begin:end``, and their values at the beginnings.

        Returns
        -------
        variables : ndarray of shape (n_moving,)
        values : ndarray of shape (n_moving, end - begin)
        """
        sides = self.sides(begin)
        opening = int(self.changes_end[begin])
        touched = self.changed[opening : int(self.changes_end[end - 1])]
        variables = np.union1d(np.flatnonzero(sides == FREE), touched)
        place = np.full(self.n_variables, -1)
        place[variables] = np.arange(len(variables))
        low, high = self.lower[variables], self.upper[variables]
        out = np.empty((len(variables), end - begin))
        for k in range(begin, end):
            if k > begin:
                moved = slice(int(self.changes_end[k - 1]), int(self.changes_end[k]))
                sides[self.changed[moved]] = self.side[moved]
            here = sides[variables]
            out[:, k - begin] = np.where(here == UPPER, high, low)
            out[here == FREE, k - begin] = self.free(k)[0]
        return variables, out

    def absolute_sums(self) -> FloatArray:
        """Sum of |a| at the beginning and at the end of every segment.

        Where several solutions belong to one parameter the end of a segment and the beginning
        of the next may differ.

        Returns
        -------
        ndarray of shape (n_segments, 2)
        """
        size = np.where(self.first_side > 0, np.abs(self.upper), np.abs(self.lower))
        size[self.first_side == FREE] = 0.0
        at_bounds, out = float(size.sum()), np.empty((len(self), 2))
        ends = np.append(self.parameter[1:], self.end_parameter)
        begin = 0
        for k, end in enumerate(self.changes_end.tolist()):
            for v, side in zip(self.changed[begin:end], self.side[begin:end], strict=True):
                bound = self.upper[v] if side > 0 else self.lower[v]
                now = 0.0 if side == FREE else abs(float(bound))
                at_bounds += now - size[v]
                size[v] = now
            begin = end
            values, rates = self.free(k)
            moved = values + (ends[k] - self.parameter[k]) * rates
            out[k] = at_bounds + np.abs(values).sum(), at_bounds + np.abs(moved).sum()
        return out

    def until(self, k: int, end_parameter: float) -> Segments:
        """The path up to a parameter of segment ``k``."""
        changes, values = int(self.changes_end[k]), int(self.values_end[k])
        parts = slice(None, k + 1)
        return Segments(
            self.lower,
            self.upper,
            self.first_side,
            self.parameter[parts],
            self.bias[parts],
            self.bias_rate[parts],
            self.changes_end[parts],
            self.values_end[parts],
            self.changed[:changes],
            self.side[:changes],
            self.values[:values],
            self.rates[:values],
            end_parameter,
        )

    def followed_by(self, other: Segments) -> Segments:
        """One path from two; the second begins where the first ends."""
        last = self.sides(len(self) - 1)
        moved = np.flatnonzero(last != other.first_side)
        shift = len(self.changed) + len(moved)
        return Segments(
            self.lower,
            self.upper,
            self.first_side,
            np.r_[self.parameter, other.parameter],
            np.r_[self.bias, other.bias],
            np.r_[self.bias_rate, other.bias_rate],
            np.r_[self.changes_end, other.changes_end + shift],
            np.r_[self.values_end, other.values_end + len(self.values)],
            np.r_[self.changed, moved, other.changed],
            np.r_[self.side, other.first_side[moved], other.side],
            np.r_[self.values, other.values],
            np.r_[self.rates, other.rates],
            other.end_parameter,
        )
