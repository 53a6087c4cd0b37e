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
_DIGITS = 64.0 * float(np.finfo(np.float64).eps)


@dataclass(frozen=True, eq=False)
class TubeKnots:
    """Beginning and end of each segment, one after the other.

    Attributes
    ----------
    segments : Segments
        The path over epsilon.
    nu, epsilon, bias : ndarray of shape (2 n_segments,)
        At the knots; nu never falls, epsilon never grows. Where epsilon has come down to rounding
        both variables of a row may grow, and nu beyond 1.
    """

    segments: Segments
    nu: FloatArray
    epsilon: FloatArray
    bias: FloatArray

    @staticmethod
    def of(segments: Segments, largest_sum: float) -> TubeKnots:
        """The knots of a path; nu = sum |coef| / (C W), ``largest_sum`` being C W."""
        s = segments
        ends = np.append(s.parameter[1:], s.end_parameter)
        bias = np.column_stack([s.bias, s.bias + (ends - s.parameter) * s.bias_rate])
        sums = s.absolute_sums()
        same = np.abs(sums[1:, 0] - sums[:-1, 1]) <= _rounding(s, largest_sum)[:-1]
        sums[:-1, 1] = np.where(same, sums[1:, 0], sums[:-1, 1])
        bias[:-1, 1] = np.where(same, bias[1:, 0], bias[:-1, 1])
        # rounding must not make it fall
        nu = np.maximum.accumulate(sums.ravel() / largest_sum)
        return TubeKnots(s, nu, np.column_stack([s.parameter, ends]).ravel(), bias.ravel())

    def at(self, nu: float) -> tuple[float, float, float, float]:
        """The least and the largest epsilon at ``nu``, and a bias for each."""
        # where nu is about to leave the value, and where it has just come up to it
        found = [
            np.interp(nu + by, self.nu, y)
            for y in (self.epsilon, self.bias)
            for by in (_ROUNDING, -_ROUNDING)
        ]
        low, high, bias_low, bias_high = (float(x) for x in found)
        return low, high, bias_low, bias_high

    def coef(self, nu: float) -> FloatArray:
        """The variables of the problem at ``nu``."""
        at = self.nu
        k = int(np.clip(np.searchsorted(at, nu, side="left") - 1, 0, len(at) - 2))
        left, right, width = self._point(k), self._point(k + 1), at[k + 1] - at[k]
        share = (nu - at[k]) / width if width > 0 else 1.0
        return right if share >= 1.0 else left + share * (right - left)

    def _point(self, knot: int) -> FloatArray:
        """The variables at a knot."""
        s, k = self.segments, knot // 2
        if knot % 2 == 0:
            return s.coef(k, float(s.parameter[k]))
        if knot + 1 < len(self.nu) and self.nu[knot] == self.nu[knot + 1]:
            return s.coef(k + 1, float(s.parameter[k + 1]))
        return self._snapped(s.coef(k, float(self.epsilon[knot])))

    def _snapped(self, coef: FloatArray) -> FloatArray:
        """The coefficients, those on their bound that rounding left beside it."""
        lower, upper = self.segments.lower, self.segments.upper
        close = _ROUNDING * (upper - lower)
        coef = np.where(coef <= lower + close, lower, coef)
        return np.where(coef >= upper - close, upper, coef)


def _rounding(segments: Segments, largest_sum: float) -> FloatArray:
    """Rounding of the sum of |coef| at the end of each segment."""
    begins = np.append(0, segments.values_end[:-1])
    rates = np.append(np.abs(segments.rates), 0.0)
    speed = np.add.reduceat(rates, begins) if len(begins) else np.zeros(0)
    speed[segments.n_free == 0] = 0.0
    return np.asarray(_DIGITS * (speed * segments.parameter + largest_sum))
