"""Least squares machines are one linear system: solved directly, for all alphas, or by CG."""

from __future__ import annotations

from mercer.solvers.linear_system.choice import SOLVERS, fit_least_squares
from mercer.solvers.linear_system.conjugate_gradient import (
    Iterate,
    LowRankPreconditioner,
    conjugate_gradient,
)
from mercer.solvers.linear_system.dual import DualSystem
from mercer.solvers.linear_system.factors import CholeskyFactor, SpectralFactor
from mercer.solvers.linear_system.features import FeatureSolver, FeatureSystem
from mercer.solvers.linear_system.fit import Job, LeastSquaresFit, squared_loss
from mercer.solvers.linear_system.kernel import kernel_cg, preconditioner_features
from mercer.solvers.linear_system.linear import LinearData, linear_cg, linear_lsqr, woodbury
from mercer.solvers.linear_system.low_rank import AverageSystem, NystromSystem, SubsetSystem
from mercer.solvers.linear_system.moments import Moments
from mercer.solvers.linear_system.scan import Scan, default_alphas, gcv, scan
from mercer.solvers.linear_system.solvers import ConjugateGradient, Direct, factored
from mercer.solvers.linear_system.system import Evaluator, System

__all__ = [
    "SOLVERS",
    "AverageSystem",
    "CholeskyFactor",
    "ConjugateGradient",
    "Direct",
    "DualSystem",
    "Evaluator",
    "FeatureSolver",
    "FeatureSystem",
    "Iterate",
    "Job",
    "LeastSquaresFit",
    "LinearData",
    "LowRankPreconditioner",
    "Moments",
    "NystromSystem",
    "Scan",
    "SpectralFactor",
    "SubsetSystem",
    "System",
    "conjugate_gradient",
    "default_alphas",
    "factored",
    "fit_least_squares",
    "gcv",
    "kernel_cg",
    "linear_cg",
    "linear_lsqr",
    "preconditioner_features",
    "scan",
    "squared_loss",
    "woodbury",
]
