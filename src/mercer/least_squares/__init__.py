"""Fits of least squares machines: every alpha and every left-out row from one factorization."""

from __future__ import annotations

__all__: list[str] = []
