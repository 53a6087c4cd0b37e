"""The revised simplex method: exact solutions, semi-definite kernels, warm starts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any, Literal, get_args

from numpy.typing import ArrayLike

from mercer.gram import Gram
from mercer.problem import Problem, Solution, certify
from mercer.solvers.active_set.basis import Basis, check_active_set_problem
from mercer.solvers.active_set.low_rank import solve_low_rank
from mercer.solvers.active_set.refinement import refined
from mercer.solvers.runs.progress import Callback
from mercer.solvers.runs.start import feasible_start

__all__ = ["ActiveSet"]

Pricing = Literal["sprint", "full"]


@dataclass(frozen=True)
class ActiveSet:
    """One variable enters the basis at a time, and the free ones adjust exactly.

    SVM-RSQP, Sentelle 2014, algorithm 1.

    Accepts every :class:`Problem` with a positive semi-definite kernel: any box, any groups,
    any ridge. The rank of the kernel does not matter.

    Attractive where few variables are free, C is large or an accurate solution is wanted:
    time and memory grow with the number of *free* variables (n m + m^2 for m of them), while
    variables at a bound cost next to nothing.

    Parameters
    ----------
    pricing : {"sprint", "full"}, default="sprint"
        How the entering variable is found: among the worst violators of the last full
        pricing while there are any, or always among all.
    shrinking : bool, default=True
        Whether full pricings leave out variables that stay far on the right side of their bounds.
    refine : bool, default=True
        Whether to go on below the tolerance, to the accuracy of the arithmetic; for a linear
        kernel, where doubles do not carry to the tolerance, with twice their digits.
    low_rank : int, default=None
        Rank of a pivoted incomplete Cholesky approximation to solve with in place of the
        kernel (Sentelle 2014, algorithm 6): without a ridge at most rank + 1 variables are
        free, and memory is n times the rank for every C. The certificate is still that of the
        machine returned, with the kernel itself: its primal value, gap and violation say what
        the approximation costs, and if they miss the tolerance the status is
        "precision-limit". ``trace`` has
        what holds for the approximate kernel, ``rank``, ``trace_error``,
        ``low_rank_objective``, ``low_rank_gap`` and ``low_rank_violation``, and the best bound
        of the optimal value known, ``best_primal`` and ``best_gap``: often a smaller gap, by
        the primal value of another machine.

    Examples
    --------
    >>> from mercer import SVC, ActiveSet
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]
    >>> SVC(kernel="linear", solver=ActiveSet()).fit(X, y).solver_
    'active-set'
    """

    pricing: Pricing = "sprint"
    shrinking: bool = True
    refine: bool = True
    low_rank: int | None = None

    def __post_init__(self) -> None:
        if self.pricing not in get_args(Pricing):
            raise ValueError(f"pricing must be one of {get_args(Pricing)}, got {self.pricing!r}")
        rank = self.low_rank
        if rank is not None and not (isinstance(rank, Integral) and rank > 0):
            raise ValueError(f"low_rank must be None or a positive integer, got {rank!r}")

    name = "active-set"

    def solve(
        self,
        problem: Problem,
        gram: Gram,
        *,
        start: ArrayLike | None = None,
        tol: float = 1e-3,
        max_iter: int = -1,
        max_time: float | None = None,
        callback: Callback | None = None,
    ) -> Solution:
        """Solve ``problem`` with the kernel values of ``gram``, in double precision.

        Any feasible ``start`` is turned into a basis first: the solution of another
        solver, of another C, of a path.
        """
        check_active_set_problem(problem, gram)
        limits: Any = {"tol": tol, "max_iter": max_iter, "max_time": max_time, "callback": callback}
        if self.low_rank is not None:
            exact = replace(self, low_rank=None)
            return solve_low_rank(problem, gram, self.low_rank, exact.solve, start=start, **limits)
        found = Basis(problem, gram, start).solve(
            refine=self.refine,
            sprint=100 if self.pricing == "sprint" else 0,
            shrinking=self.shrinking,
            **limits,
        )
        found = _not_below(start, found, problem, gram)
        return refined(problem, gram, found, **limits) if self.refine else found


def _not_below(start: ArrayLike | None, found: Solution, problem: Problem, gram: Gram) -> Solution:
    """What was found, or where the run started if rounding led it astray."""
    if found.converged:
        return found
    coef = feasible_start(problem, start)
    first = certify(problem, gram, coef)
    if found.objective >= first.objective:
        return found
    return replace(found, coef=coef, **vars(first))
