"""Fits of least squares machines: every alpha and every left-out row from one factorization."""

from __future__ import annotations

from mercer.least_squares.choice import SOLVERS, fit_least_squares
from mercer.least_squares.features import FeatureSolver, FeatureSystem
from mercer.least_squares.job import Job, LeastSquaresFit, squared_loss
from mercer.least_squares.leave_one_out import LeaveOneOutSystem
from mercer.least_squares.linear import LinearData, linear_cg, linear_lsqr, woodbury
from mercer.least_squares.low_rank_systems import AverageSystem, NystromSystem, SubsetSystem
from mercer.least_squares.moments import Moments
from mercer.least_squares.scan import Evaluator, Scan, default_alphas, gcv, scan

__all__ = [
    "SOLVERS",
    "AverageSystem",
    "Evaluator",
    "FeatureSolver",
    "FeatureSystem",
    "Job",
    "LeastSquaresFit",
    "LeaveOneOutSystem",
    "LinearData",
    "Moments",
    "NystromSystem",
    "Scan",
    "SubsetSystem",
    "default_alphas",
    "fit_least_squares",
    "gcv",
    "linear_cg",
    "linear_lsqr",
    "scan",
    "squared_loss",
    "woodbury",
]
