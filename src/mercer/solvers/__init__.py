"""Solvers: each takes a :class:`~mercer.Problem` and returns a :class:`~mercer.Solution`."""

from mercer.solvers.chunked import Chunked
from mercer.solvers.linear_system import ConjugateGradient, Direct
from mercer.solvers.progress import Progress
from mercer.solvers.smo import Smo
from mercer.solvers.solving import Solver, resolve_solver, solve
from mercer.solvers.start import feasible_start

__all__ = [
    "Chunked",
    "ConjugateGradient",
    "Direct",
    "Progress",
    "Smo",
    "Solver",
    "feasible_start",
    "resolve_solver",
    "solve",
]
