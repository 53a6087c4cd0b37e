"""The solver of problems of all classes at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numpy.typing import ArrayLike

from mercer._floating import without_warnings
from mercer._memory import require_memory
from mercer.gram import Gram
from mercer.multiclass.problem import MulticlassProblem
from mercer.multiclass.run import Run
from mercer.multiclass.stopping import Stopping, Target
from mercer.problem import Problem, Solution
from mercer.solvers.auto import Auto
from mercer.solvers.runs.progress import Callback

__all__ = ["AllInOne", "solve_multiclass"]


@dataclass(frozen=True)
class AllInOne:
    """The solver of machines that learn all classes at once, with a choice of when to stop.

    Two classes are the usual two-class problem, which it leaves to ``solver="auto"``.

    Parameters
    ----------
    stopping : {"both", "violation", "gap"}, default="both"
        What ends a run, as in :func:`solve_multiclass`.

    Examples
    --------
    >>> from mercer import SVC
    >>> from mercer.multiclass import AllInOne
    >>> X, y = [[0.0], [1.0], [4.0], [5.0], [8.0], [9.0]], [0, 0, 1, 1, 2, 2]
    >>> machine = SVC(multiclass="crammer-singer", solver=AllInOne(stopping="gap")).fit(X, y)
    >>> machine.predict([[0.4], [4.6], [8.7]]).tolist()
    [0, 1, 2]
    """

    stopping: Stopping = "both"

    name = "all-in-one"

    def __post_init__(self) -> None:
        Target(self.stopping, 0.0)

    def solve(self, problem: MulticlassProblem | Problem, gram: Gram, **options: Any) -> Solution:
        """Solve ``problem``."""
        if isinstance(problem, Problem):
            return Auto().solve(problem, gram, **options)
        return solve_multiclass(problem, gram, stopping=self.stopping, **options)


@without_warnings
def solve_multiclass(
    problem: MulticlassProblem,
    gram: Gram,
    *,
    start: ArrayLike | None = None,
    tol: float = 1e-3,
    stopping: Stopping = "both",
    max_iter: int = -1,
    max_time: float | None = None,
    callback: Callback | None = None,
) -> Solution:
    """Solve a multiclass problem.

    Parameters
    ----------
    problem : MulticlassProblem
        What to solve.
    gram : Gram
        Kernel values of its rows.
    start : array-like of shape (n_classes, n_rows), default=None
        Where to start; moved into the bounds if it is not feasible.
    tol : float, default=1e-3
        Largest KKT violation accepted, or the largest relative gap if that is the ``stopping``.
    stopping : {"both", "violation", "gap"}, default="both"
        What ends a run: a violation of at most ``tol``, a relative duality gap of at most ``tol``,
        or that violation together with a gap of at most 1e-3, or ``tol`` if that is larger. An
        indefinite kernel has no gap, and the violation decides.
    max_iter : int, default=-1
        Bound on the steps, each of all variables of a row; -1 means ``max(10**7, 100 * n_rows)``.
    max_time : float, default=None
        Bound on the seconds.
    callback : callable, default=None
        Called with a :class:`~mercer.solvers.Progress` about every 50 ms; a true value ends the
        run.

    Returns
    -------
    Solution
        ``coef`` are the variables, of shape (n_classes, n_rows), 0 for own classes, and
        ``gradient`` their slopes; there are no multipliers.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import Gram
    >>> from mercer.kernels import Gaussian
    >>> from mercer.multiclass import multiclass_problem, solve_multiclass
    >>> problem = multiclass_problem("weston-watkins", np.array([0, 1, 2]), 3)
    >>> solution = solve_multiclass(problem, Gram(Gaussian(), [[0.0], [5.0], [10.0]]), tol=1e-6)
    >>> solution.status
    'converged'
    """
    target = Target(stopping, tol)
    if gram.n_rows != problem.n_rows:
        raise ValueError(f"gram must have {problem.n_rows} rows, got {gram.n_rows}")
    require_memory(
        8.0 * 8.0 * problem.n_rows * problem.n_classes,
        f"a machine of {problem.n_classes} classes on {problem.n_rows} rows",
        "choose multiclass='one-vs-all', or fewer rows",
    )
    gram.check_values()
    return Run(problem, gram, start, target, max_iter, max_time, callback).solution()
