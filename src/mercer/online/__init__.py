"""Learning from a stream, and asking for labels: LASVM."""

from __future__ import annotations

from mercer.online.curves import LearningCurves, learning_curves
from mercer.online.svc import OnlineSVC
from mercer.online.svr import OnlineSVR

__all__ = ["LearningCurves", "OnlineSVC", "OnlineSVR", "learning_curves"]
