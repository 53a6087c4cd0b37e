"""From decision values to probabilities: maps of one value, and how several are combined."""

from mercer.calibration.joined import Calibration

__all__ = [
    "Calibration",
]
