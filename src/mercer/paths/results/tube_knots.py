"""The ends of the segments of a path over the tube, read as a path over nu.

Between two knots coefficients, bias and epsilon are affine in nu. Where several solutions belong to
one epsilon the end of a segment and the beginning of the next differ, and a mean of the two is a
solution, too. Where they do not, the beginning of the next segment stands for both: rates can be so
large that epsilon has no digits to tell where a segment ends.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mercer.paths.results.segments import Segments

__all__ = ["TubeKnots"]

FloatArray = NDArray[np.float64]
_ROUNDING = 1e-12
_SUM_ROUNDING = 1e-13
_DIGITS = 64.0 * float(np.finfo(np.float64).eps)


@dataclass(frozen=True, eq=False)
class TubeKnots:
    """Beginning and end of each segment, one after the other.

    Knots where nu has fallen are left out: between nearly singular solutions at one epsilon an
    event may lead back.

    Attributes
    ----------
    segments : Segments
        The path over epsilon.
    nu, epsilon, bias : ndarray of shape (n_knots,)
        At the knots; nu never falls, epsilon never grows. Where epsilon has come down to rounding
        both variables of a row may grow, and nu beyond 1.
    segment : ndarray of shape (n_knots,)
        The segment whose beginning a knot is; for the end of one minus its number, less 1.
    """

    segments: Segments
    nu: FloatArray
    epsilon: FloatArray
    bias: FloatArray
    segment: NDArray[np.intp]

    @staticmethod
    def of(segments: Segments, largest_sum: float) -> TubeKnots:
        """The knots of a path; nu = sum |coef| / (C W), ``largest_sum`` being C W."""
        s, number = segments, np.arange(len(segments))
        ends = np.append(s.parameter[1:], s.end_parameter)
        bias = np.column_stack([s.bias, s.bias + (ends - s.parameter) * s.bias_rate])
        sums, place = s.absolute_sums(), np.column_stack([number, -number - 1])
        same = np.flatnonzero(np.abs(sums[1:, 0] - sums[:-1, 1]) <= _rounding(s, largest_sum)[:-1])
        for pair in (sums, bias, place):
            pair[same, 1] = pair[same + 1, 0]
        nu = sums.ravel() / largest_sum
        most = np.maximum.accumulate(nu)
        kept = np.flatnonzero(nu >= (1.0 - _SUM_ROUNDING) * most)
        epsilon = np.column_stack([s.parameter, ends]).ravel()
        return TubeKnots(s, most[kept], epsilon[kept], bias.ravel()[kept], place.ravel()[kept])

    def at(self, nu: float) -> tuple[float, float, float, float]:
        """The least and the largest epsilon at ``nu``, and a bias for each."""
        # where nu is about to leave the value, and where it has just come up to it
        found = [
            np.interp(nu * factor, self.nu, y)
            for y in (self.epsilon, self.bias)
            for factor in (1.0 + _ROUNDING, 1.0 - _ROUNDING)
        ]
        low, high, bias_low, bias_high = (float(x) for x in found)
        return low, high, bias_low, bias_high

    def coef(self, nu: float) -> FloatArray:
        """The variables of the problem at ``nu``."""
        at = self.nu
        j = min(int(np.searchsorted(at, nu, side="left")), len(at) - 1)
        i = max(j - 1, 0)
        left, right, width = self._point(i), self._point(j), at[j] - at[i]
        share = (nu - at[i]) / width if width > 0 else 1.0
        return right if share >= 1.0 else left + share * (right - left)

    def _point(self, knot: int) -> FloatArray:
        """The variables at a knot."""
        s, k = self.segments, int(self.segment[knot])
        if k >= 0:
            coef = s.coef(k, float(s.parameter[k]))
        else:
            coef = s.coef(-k - 1, float(self.epsilon[knot]))
        is_end = k < 0 or (knot > 0 and self.segment[knot - 1] < k)
        return self._snapped(coef) if is_end else coef

    def _snapped(self, coef: FloatArray) -> FloatArray:
        """A point at the end of a segment, on their bounds those that rounding left beside them."""
        lower, upper = self.segments.lower, self.segments.upper
        close = _ROUNDING * np.minimum(upper - lower, np.abs(coef).max(initial=0.0))
        coef = np.where(coef <= lower + close, lower, coef)
        return np.where(coef >= upper - close, upper, coef)


def _rounding(segments: Segments, largest_sum: float) -> FloatArray:
    """Rounding of the sum of |coef| at the end of each segment."""
    begins = np.append(0, segments.values_end[:-1])
    rates = np.append(np.abs(segments.rates), 0.0)
    speed = np.add.reduceat(rates, begins) if len(begins) else np.zeros(0)
    speed[segments.n_free == 0] = 0.0
    return np.asarray(_DIGITS * (speed * segments.parameter + largest_sum))
