"""From values of machines to probabilities: maps of one value, and what joins several."""

from mercer.calibration.coupling import coupled
from mercer.calibration.joined import Calibration

__all__ = [
    "Calibration",
    "coupled",
]
