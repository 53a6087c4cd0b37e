"""How paths end early: what all of them may have for a ``status``."""

from __future__ import annotations

__all__ = ["ENDED", "STOPPED"]

STOPPED = ("max-time", "callback", "max-events")
ENDED = (*STOPPED, "precision-limit")
