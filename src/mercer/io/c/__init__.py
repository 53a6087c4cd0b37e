"""Machines as C source."""

from __future__ import annotations

from mercer.io.c.export import to_c

__all__ = ["to_c"]
