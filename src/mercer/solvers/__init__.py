"""Solvers: each takes a :class:`~mercer.Problem` and returns a :class:`~mercer.Solution`."""

from mercer.solvers.active_set import ActiveSet
from mercer.solvers.baselines import Osuna, Platt, SvmFu, SvmLight
from mercer.solvers.basis import Basis
from mercer.solvers.chunked import Chunked
from mercer.solvers.compare import compare
from mercer.solvers.comparison import Comparison
from mercer.solvers.linear_system import ConjugateGradient, Direct
from mercer.solvers.many import solve_many, solve_series
from mercer.solvers.progress import Progress
from mercer.solvers.selection import (
    CachedMaximumGain,
    HybridMaximumGain,
    LargeMaximumGain,
    MaximumGain,
    OneRowMaximumGain,
    RecentMaximumGain,
)
from mercer.solvers.smo import Smo
from mercer.solvers.solving import Solver, resolve_solver, solve
from mercer.solvers.start import feasible_start
from mercer.solvers.step import CycleBreaking, OverRelaxed, PlanningAhead

__all__ = [
    "ActiveSet",
    "Basis",
    "CachedMaximumGain",
    "Chunked",
    "Comparison",
    "ConjugateGradient",
    "CycleBreaking",
    "Direct",
    "HybridMaximumGain",
    "LargeMaximumGain",
    "MaximumGain",
    "OneRowMaximumGain",
    "Osuna",
    "OverRelaxed",
    "PlanningAhead",
    "Platt",
    "Progress",
    "RecentMaximumGain",
    "Smo",
    "Solver",
    "SvmFu",
    "SvmLight",
    "compare",
    "feasible_start",
    "resolve_solver",
    "solve",
    "solve_many",
    "solve_series",
]
