"""From values of machines to probabilities: maps of one value, and what joins several."""

from mercer.calibration.coupling import coupled
from mercer.calibration.joined import METHODS, Calibration
from mercer.calibration.layout import Layout

__all__ = [
    "METHODS",
    "Calibration",
    "Layout",
    "coupled",
]
