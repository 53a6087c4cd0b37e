"""The problem restricted to some of its variables."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mercer import _core
from mercer.gram import Gram
from mercer.kernels import Precomputed
from mercer.problem import Problem

__all__ = ["Part", "solve_part"]

FloatArray = NDArray[np.float64]


class Part(NamedTuple):
    """New coefficients of the members, their gradients, and how the run ended."""

    coef: FloatArray
    gradient: FloatArray
    status: str


def solve_part(
    problem: Problem,
    coef: FloatArray,
    members: NDArray[np.intp],
    gradient: FloatArray,
    matrix: FloatArray,
    tol: float,
    max_time: float,
) -> Part:
    """Solve for the members, all other variables fixed (Rifkin 2002, section 2.3.1).

    With G the gradient of the members and H their kernel matrix plus ridge, the linear term
    that stands for all others is G + H coef, and the members keep their sum.
    """
    before, ridge, n = coef[members], problem.ridge[members], len(members)
    options = _core.SmoOptions()
    options.tolerance, options.max_seconds = tol, min(max_time, 1e300)
    gram = Gram(Precomputed(positive_definite=True), matrix, precision="double", n_threads=1)
    after = before.copy()
    part = _core.Problem(
        np.arange(n),
        gradient + matrix @ before + ridge * before,
        problem.lower[members],
        problem.upper[members],
        ridge,
        np.zeros(n, dtype=np.int8),
        np.array([before.sum()]),
    )
    result = _core.smo_solve(part, gram.native(), options, after, gradient, None)
    change = after - before
    return Part(after, gradient - matrix @ change - ridge * change, result.status)
