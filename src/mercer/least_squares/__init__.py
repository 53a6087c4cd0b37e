"""Fits of least squares machines: every alpha and every left-out row from one factorization."""

from __future__ import annotations

from mercer.least_squares.scan import default_alphas

__all__ = [
    "default_alphas",
]
