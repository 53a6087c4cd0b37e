"""Least squares problems are one linear system: solved directly or by conjugate gradients."""

from __future__ import annotations

from mercer.solvers.linear_system.conjugate_gradient import (
    Iterate,
    LowRankPreconditioner,
    conjugate_gradient,
)
from mercer.solvers.linear_system.dual_system import DualSystem
from mercer.solvers.linear_system.factors import CholeskyFactor, SpectralFactor
from mercer.solvers.linear_system.kernel_cg import kernel_cg, preconditioner_features
from mercer.solvers.linear_system.solvers import ConjugateGradient, Direct
from mercer.solvers.linear_system.system import System

__all__ = [
    "CholeskyFactor",
    "ConjugateGradient",
    "Direct",
    "DualSystem",
    "Iterate",
    "LowRankPreconditioner",
    "SpectralFactor",
    "System",
    "conjugate_gradient",
    "kernel_cg",
    "preconditioner_features",
]
