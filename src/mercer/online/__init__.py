"""Learning from a stream, evaluating as it goes, and asking for labels."""

from __future__ import annotations

from mercer.online.curves import LearningCurves, learning_curves
from mercer.online.prequential import PrequentialCurve, prequential
from mercer.online.svc import OnlineSVC
from mercer.online.svr import OnlineSVR

__all__ = [
    "LearningCurves",
    "OnlineSVC",
    "OnlineSVR",
    "PrequentialCurve",
    "learning_curves",
    "prequential",
]
