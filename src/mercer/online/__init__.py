"""Learning from a stream, and asking for labels: LASVM."""

from __future__ import annotations

from mercer.online.svc import OnlineSVC

__all__ = ["OnlineSVC"]
