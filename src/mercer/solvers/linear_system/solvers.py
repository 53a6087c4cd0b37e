"""Least squares problems in the general form: solved by one linear system."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer._memory import require_memory
from mercer.gram import Gram
from mercer.problem import Problem, Solution, certify
from mercer.solvers.linear_system.dual_system import DualSystem
from mercer.solvers.linear_system.kernel_cg import kernel_cg
from mercer.solvers.linear_system.system import System
from mercer.solvers.runs.progress import Callback

__all__ = ["ConjugateGradient", "Direct"]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class Direct:
    """One factorization of the kernel matrix; least squares problems only.

    Examples
    --------
    >>> from mercer import Gram, solve
    >>> from mercer.formulations import least_squares
    >>> from mercer.kernels import Linear
    >>> from mercer.solvers import Direct
    >>> problem = least_squares([1.0, 2.0], alpha=1.0, fit_intercept=False).problem
    >>> solve(problem, Gram(Linear(), [[1.0], [2.0]]), Direct()).coef.round(6).tolist()
    [0.166667, 0.333333]
    """

    name: str = "direct"

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
        """Solve ``problem``; only the problem and the gram matter."""
        began, evaluations = time.perf_counter(), gram.n_evaluations
        free, system = _as_system(problem, self.name)
        rows = problem.index[free]
        require_memory(
            16.0 * len(rows) ** 2,
            f"solver {self.name!r} with {len(rows)} variables",
            "solver 'cg' stores no kernel values",
        )
        matrix = lambda: gram.native("double").block(rows, rows)  # noqa: E731
        coef = DualSystem.of(system, matrix, 1.0, clip=gram.is_positive_definite).solve(1.0)[0]
        return _wrap(self.name, problem, gram, free, coef, tol, 1, (began, evaluations))


@dataclass(frozen=True)
class ConjugateGradient:
    """Conjugate gradients on products with the kernel matrix; least squares problems only.

    Parameters
    ----------
    rank : int, default=0
        Rank of the preconditioner where the rows are at hand (the machines); 0 for none.

    Examples
    --------
    >>> from mercer import Gram, solve
    >>> from mercer.formulations import least_squares
    >>> from mercer.kernels import Linear
    >>> from mercer.solvers import ConjugateGradient
    >>> problem = least_squares([1.0, 2.0], alpha=1.0, fit_intercept=False).problem
    >>> gram = Gram(Linear(), [[1.0], [2.0]])
    >>> solve(problem, gram, ConjugateGradient(), tol=1e-9).coef.round(6).tolist()
    [0.166667, 0.333333]
    """

    rank: int = 0
    name: str = "cg"

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
        """Solve ``problem`` until no residual exceeds ``tol``."""
        began, evaluations = time.perf_counter(), gram.n_evaluations
        free, system = _as_system(problem, self.name)
        part = _Part(gram, problem.index[free])
        size = float(np.linalg.norm(system.scale[:, None] * system.targets))
        # residuals are scaled by s: a tolerance on the largest of them is one on the norm
        relative = tol * float(system.scale.min()) / size if size > 0 else 1.0
        coef, _, run = kernel_cg(
            part,  # type: ignore[arg-type]
            system,
            1.0,
            tol=0.5 * relative,
            max_iter=None if max_iter < 0 else max_iter,
        )
        found = _wrap(self.name, problem, gram, free, coef, tol, run.n_iter, (began, evaluations))
        if not found.converged and 0 <= max_iter <= run.n_iter:
            return replace(found, status="max-iter")
        return found


class _Part:
    """Products with the rows and columns of some variables."""

    def __init__(self, gram: Gram, rows: NDArray[np.intp]) -> None:
        self.gram, self.rows = gram, rows

    def product(self, columns: None, weights: FloatArray, *, precision: Any) -> FloatArray:
        spread = np.zeros((self.gram.n_rows, weights.shape[1]))
        np.add.at(spread, self.rows, weights)
        return self.gram.product(None, spread, precision=precision)[self.rows]


def _as_system(problem: Problem, name: str) -> tuple[NDArray[np.intp], System]:
    """Free variables, and the system they solve with alpha = 1 and weights 1 / ridge."""
    pinned = (problem.lower == 0) & (problem.upper == 0)
    open_box = (problem.lower == -np.inf) & (problem.upper == np.inf) & (problem.ridge > 0)
    free = np.flatnonzero(open_box)
    groups = np.unique(problem.group[free])
    if not (pinned | open_box).all() or len(groups) > 1 or problem.group_sum.any():
        raise ValueError(
            f"solver {name!r} takes least squares problems: no bounds (or both 0), a positive "
            "ridge and at most one group, of sum 0. Use solver='smo'"
        )
    if not len(free):
        raise ValueError(f"solver {name!r} needs a variable that is not fixed at 0, got none")
    system = System(problem.linear[free][:, None], 1.0 / problem.ridge[free], bool(groups[0] >= 0))
    return free, system


def _wrap(
    name: str,
    problem: Problem,
    gram: Gram,
    free: NDArray[np.intp],
    coef: FloatArray,
    tol: float,
    n_iter: int,
    began: tuple[float, int],
) -> Solution:
    point = np.zeros(problem.n_variables)
    point[free] = coef[:, 0]
    certificate = certify(problem, gram, point)
    return Solution(
        coef=point,
        **vars(certificate),
        n_iter=n_iter,
        n_kernel=gram.n_evaluations - began[1],
        seconds=time.perf_counter() - began[0],
        status="converged"
        if certificate.is_within(tol) and certificate.is_feasible
        else "precision-limit",
        solver=name,
    )
