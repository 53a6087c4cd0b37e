"""Points of hulls by a solver of the general problem: any kernel, any number of features."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from mercer.formulations import Formulation
from mercer.gram import Gram
from mercer.problem import Problem, Solution
from mercer.problem.inner_product import inner_product
from mercer.solvers import Solver, solve

__all__ = ["HullSolution", "solve_hulls", "stacked"]

FloatArray = NDArray[np.float64]

_TOL = 1e-6  # where none was asked for
_NO_DISTANCE = 1e-9  # of the largest |x|^2: smaller squared distances need a proof
_U = 2.0**-53


class HullSolution(NamedTuple):
    """A solution in terms of its hulls."""

    solution: Solution
    distance: float
    gap: float
    bias: float  # of the bisecting hyperplane, for a normal of length ``distance``
    status: str

    @property
    def costs(self) -> tuple[int, int, str]:
        """Iterations, kernel values, and who did it."""
        return self.solution.n_iter, self.solution.n_kernel, self.solution.solver


def stacked(a: Any, b: Any) -> Any:
    """The rows of both sides, one after the other."""
    if sp.issparse(a) or sp.issparse(b):
        return sp.vstack([sp.csr_array(a), sp.csr_array(b)]).tocsr()
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return np.vstack([a, b])
    return [*a, *b]


def solve_hulls(
    formulation: Formulation,
    gram: Gram,
    solver: str | Solver,
    tol: float | None,
    max_time: float | None,
) -> HullSolution:
    """Solve a formulation of nearest points or of the smallest norm.

    The optimal value is -d^2 / 2, and a gap g bounds it: d^2 >= |w|^2 - 2 g. A distance that is
    nothing next to the rows is one of hulls that overlap, unless the gap proves that they do not
    (docs/theory/problem.md#hulls-that-overlap). A kernel that is not positive semi-definite has no
    hulls, and nothing is proved.
    """
    problem = formulation.problem
    solution = solve(problem, gram, solver, tol=_TOL if tol is None else tol, max_time=max_time)
    square, bias = _measure(problem, gram, solution.coef)
    distance = float(np.sqrt(square))
    if solution.gap is None:
        return HullSolution(solution, distance, np.inf, bias, solution.status)
    largest = float(np.abs(gram.diagonal()[solution.coef != 0.0]).max(initial=0.0))
    least = max(square - 2.0 * solution.gap - _rounding(solution, largest), 0.0)
    is_nothing = least == 0.0 and square <= _NO_DISTANCE * largest
    if solution.status in ("converged", "precision-limit") and is_nothing:
        return HullSolution(solution, 0.0, distance, 0.0, "overlap")
    return HullSolution(solution, distance, distance - float(np.sqrt(least)), bias, solution.status)


def _rounding(solution: Solution, largest: float) -> float:
    """What rounding may do to |w|^2 = sum_i coef_i (K coef)_i: kernel values have some, too."""
    total = float(np.abs(solution.coef).sum())
    least = 4.0 * _U * total**2 * largest
    return max(total * solution.rounding, least) if np.isfinite(solution.rounding) else 4.0 * least


def _measure(problem: Problem, gram: Gram, coef: FloatArray) -> tuple[float, float]:
    """|w|^2 and the bias of the bisecting hyperplane, from kernel values in double precision.

    Gradients of a solution in single precision know eight digits of them. Without a constant of
    the shift of the rows (:meth:`mercer.Gram.shift_offset`).
    """
    support = np.flatnonzero(coef)
    own = coef[support]
    values = gram.product(support, own, rows=support, precision="double")
    if problem.n_groups < 2:
        return max(inner_product(own, values), 0.0), 0.0
    size = np.abs(own)
    bias = -float(size @ values) / float(size.sum()) - gram.shift_offset(coef)
    return max(inner_product(own, values), 0.0), bias
