"""The problem restricted to some of its variables."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mercer.gram import Gram
from mercer.kernels import Precomputed
from mercer.problem import Problem, Solution
from mercer.solvers.smo import Smo

__all__ = ["solve_part"]

FloatArray = NDArray[np.float64]


def solve_part(
    problem: Problem,
    coef: FloatArray,
    members: NDArray[np.intp],
    gradient: FloatArray,
    matrix: FloatArray,
    tol: float,
    max_time: float,
) -> Solution:
    """Solve for the members, all other variables fixed (spec 003, 2.4).

    With G the gradient of the members and H their kernel matrix plus ridge, the linear term
    that stands for all others is G + H coef, and the members keep their sum.
    """
    part, ridge = coef[members], problem.ridge[members]
    restricted = Problem(
        gradient + matrix @ part + ridge * part,
        problem.lower[members],
        problem.upper[members],
        ridge=ridge,
        group_sum=[part.sum()],
    )
    gram = Gram(Precomputed(), matrix, precision="double", n_threads=1)
    solver = Smo(selection="second-order", refine=False, stopping="violation")
    return solver.solve(restricted, gram, start=part, tol=tol, max_time=max_time)
