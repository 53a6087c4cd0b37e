"""How far a path holds where the digits of a double run out.

In t = 1/C slopes are proportional to t, and their rounding is not: far beyond the first breakpoint
it is all that is left of them. A path that comes that far ends where its certificate does.
"""

from __future__ import annotations

import numpy as np

from mercer.gram import Gram
from mercer.paths.results.segments import Segments
from mercer.problem import certify
from mercer.problem.family import Family

__all__ = ["certified_part"]

_TOLERANCE = 1e-3  # of a slope, relative to the linear term: what machines are trained to
_HALVINGS = 20  # of the range of log t in the last segment


def certified_part(family: Family, gram: Gram, segments: Segments) -> tuple[Segments, float]:
    """The part of a path whose certificate holds, and the violation at its end."""
    end = float(segments.end_parameter)
    if not 0 < end < np.inf:
        return segments, 0.0
    allowed = _TOLERANCE * family.problem.linear_size
    at_end = _violation(family, gram, segments, len(segments) - 1, end)
    if at_end <= allowed:
        return segments, at_end
    low, high = 0, len(segments)  # segments that begin well, and those that do not
    while high - low > 1:
        k = (low + high) // 2
        found = _violation(family, gram, segments, k, float(segments.parameter[k]))
        low, high = (k, high) if found <= allowed else (low, k)
    return _cut(family, gram, segments, low, allowed)


def _cut(
    family: Family, gram: Gram, segments: Segments, k: int, allowed: float
) -> tuple[Segments, float]:
    """The path up to the last good place of segment ``k``."""
    last = k == len(segments) - 1
    good = float(segments.parameter[k])
    bad = float(segments.end_parameter if last else segments.parameter[k + 1])
    at_good = _violation(family, gram, segments, k, good)
    for _ in range(_HALVINGS):
        t = float(np.sqrt(good) * np.sqrt(bad))
        found = _violation(family, gram, segments, k, t)
        if found <= allowed:
            good, at_good = t, found
        else:
            bad = t
    return segments.until(k, good), at_good


def _violation(family: Family, gram: Gram, segments: Segments, k: int, t: float) -> float:
    """KKT violation at a parameter of segment ``k``, computed afresh."""
    C = 1.0 / t
    # times C, as the box: what is at its bound meets it to the last digit
    found = certify(family.at(C), gram, segments.coef(k, t) * C)
    return float(found.violation)
