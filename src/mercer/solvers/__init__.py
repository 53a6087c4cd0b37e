"""Solvers: each takes a :class:`~mercer.Problem` and returns a :class:`~mercer.Solution`."""

from mercer.solvers.active_set.basis import Basis
from mercer.solvers.active_set.solver import ActiveSet
from mercer.solvers.chunked import Chunked
from mercer.solvers.divide import Divide
from mercer.solvers.linear_system import ConjugateGradient, Direct
from mercer.solvers.many import solve_many, solve_series
from mercer.solvers.runs.progress import Progress
from mercer.solvers.smo.solver import Smo
from mercer.solvers.solving import Solver, solve

__all__ = [
    "ActiveSet",
    "Basis",
    "Chunked",
    "ConjugateGradient",
    "Direct",
    "Divide",
    "Progress",
    "Smo",
    "Solver",
    "solve",
    "solve_many",
    "solve_series",
]
