"""Fits of least squares machines: every alpha and every left-out row from one factorization."""

from __future__ import annotations

from mercer.least_squares.choice import fit_least_squares
from mercer.least_squares.job import Job, LeastSquaresFit
from mercer.least_squares.scan import Scan, default_alphas

__all__ = [
    "Job",
    "LeastSquaresFit",
    "Scan",
    "default_alphas",
    "fit_least_squares",
]
