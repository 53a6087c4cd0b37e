"""Learning from a stream, and asking for labels: LASVM."""

from __future__ import annotations

from mercer.online.svc import OnlineSVC
from mercer.online.svr import OnlineSVR

__all__ = ["OnlineSVC", "OnlineSVR"]
