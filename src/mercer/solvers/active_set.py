"""The revised simplex method: exact solutions, semi-definite kernels, warm starts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

from numpy.typing import ArrayLike

from mercer.gram import Gram
from mercer.problem import Problem, Solution
from mercer.solvers.basis import Basis, check_active_set_problem
from mercer.solvers.progress import Callback
from mercer.solvers.refinement import refined

__all__ = ["ActiveSet"]

Pricing = Literal["sprint", "full"]


@dataclass(frozen=True)
class ActiveSet:
    """One variable enters at a time, the free ones answer exactly (SVM-RSQP, spec 002, 4).

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
        Whether full pricings leave out variables that seem to have settled.
    refine : bool, default=True
        Whether to go on below the tolerance, to the accuracy of the arithmetic; for a linear
        kernel, where doubles do not carry to the tolerance, with twice their digits.
    """

    pricing: Pricing = "sprint"
    shrinking: bool = True
    refine: bool = True

    def __post_init__(self) -> None:
        if self.pricing not in get_args(Pricing):
            raise ValueError(f"pricing must be one of {get_args(Pricing)}, got {self.pricing!r}")

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
        found = Basis(problem, gram, start).solve(
            refine=self.refine,
            sprint=100 if self.pricing == "sprint" else 0,
            shrinking=self.shrinking,
            **limits,
        )
        return refined(problem, gram, found, **limits) if self.refine else found
