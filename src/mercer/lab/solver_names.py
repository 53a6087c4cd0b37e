"""Names of solvers, those of the literature among them."""

from __future__ import annotations

from typing import Any

from mercer.lab.baselines import Osuna, Platt, SvmFu, SvmLight, SvmQp
from mercer.lab.hull_solvers import Gilbert, Gsk, Mdm
from mercer.solvers import Solver, solving
from mercer.solvers.solving import SOLVERS

__all__ = ["LITERATURE", "resolve_solver"]

LITERATURE: dict[str, Any] = {
    kind.name: kind for kind in (Gilbert, Gsk, Mdm, Osuna, Platt, SvmFu, SvmLight, SvmQp)
}


def resolve_solver(solver: str | Solver) -> Solver:
    """The solver object a name stands for, of the library or of the literature.

    Parameters
    ----------
    solver : str or Solver
        A name that :func:`mercer.solve` takes, "gilbert", "gsk", "mdm", "osuna", "platt", "svmfu",
        "svmlight" or "svm-qp"; objects pass through.

    Examples
    --------
    >>> from mercer.lab import resolve_solver
    >>> resolve_solver("platt")
    Platt(trace=False)
    """
    if isinstance(solver, str) and solver in LITERATURE:
        found: Solver = LITERATURE[solver]()
        return found
    if isinstance(solver, str) and solver not in SOLVERS:
        known = sorted({*SOLVERS, *LITERATURE})
        raise ValueError(f"solver must be one of {known} or a solver object, got {solver!r}")
    return solving.resolve_solver(solver)
