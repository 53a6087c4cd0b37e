"""Solvers: each takes a :class:`~mercer.Problem` and returns a :class:`~mercer.Solution`."""

from mercer.solvers.active_set.basis import Basis
from mercer.solvers.active_set.solver import ActiveSet
from mercer.solvers.baselines import Osuna, Platt, SvmFu, SvmLight
from mercer.solvers.chunked import Chunked
from mercer.solvers.comparison.compare import compare
from mercer.solvers.comparison.result import Comparison
from mercer.solvers.hull import Gilbert, Gsk, Mdm
from mercer.solvers.linear_system import ConjugateGradient, Direct
from mercer.solvers.many import solve_many, solve_series
from mercer.solvers.runs.progress import Progress
from mercer.solvers.runs.start import feasible_start
from mercer.solvers.smo.selection import (
    CachedMaximumGain,
    HybridMaximumGain,
    LargeMaximumGain,
    MaximumGain,
    OneRowMaximumGain,
    RecentMaximumGain,
)
from mercer.solvers.smo.solver import Smo
from mercer.solvers.smo.step import CycleBreaking, OverRelaxed, PlanningAhead
from mercer.solvers.solving import Solver, resolve_solver, solve

__all__ = [
    "ActiveSet",
    "Basis",
    "CachedMaximumGain",
    "Chunked",
    "Comparison",
    "ConjugateGradient",
    "CycleBreaking",
    "Direct",
    "Gilbert",
    "Gsk",
    "HybridMaximumGain",
    "LargeMaximumGain",
    "MaximumGain",
    "Mdm",
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
