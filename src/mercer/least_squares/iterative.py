"""The exact machine by iterations on kernel values that are never stored."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.formulations import least_squares
from mercer.gram import Gram
from mercer.gram.spot_check import require_definite
from mercer.least_squares.job import Job, LeastSquaresFit
from mercer.lowrank import LowRank
from mercer.solvers import solve
from mercer.solvers.linear_system.kernel_cg import kernel_cg, preconditioner_features
from mercer.solvers.linear_system.residual import dual_residual, target_sizes
from mercer.solvers.linear_system.solvers import ConjugateGradient

__all__ = ["fit_cg", "fit_smo"]

FloatArray = NDArray[np.float64]

# Heavy rows may hide what light ones lack: how often "cg" goes on with a smaller tolerance.
RUNS = 4


def fit_cg(job: Job, solver: ConjugateGradient) -> LeastSquaresFit:
    """Conjugate gradients on kernel values, preconditioned by a low-rank factor."""
    alpha, gram, features = job.one_alpha("cg"), job.gram(), None
    if solver.rank:
        require_definite(gram, "solver='cg'", ". solver='eigen' takes any kernel")
        low_rank = LowRank(rank=solver.rank, random_state=0)
        features = preconditioner_features(low_rank, gram, job.X, job.deadline)
    coef, n_iter, tol = np.zeros_like(job.system.targets), 0, job.tol
    for _ in range(RUNS):
        coef, intercept, end = kernel_cg(
            gram,
            job.system,
            alpha,
            features=features,
            start=coef if n_iter else None,
            tol=tol,
            max_iter=None if job.max_iter is None else job.max_iter - n_iter,
            deadline=job.deadline,
            precision=job.precision,
        )
        n_iter += end.n_iter
        residual = max(end.residual, _weighted_residual(job, gram, coef, intercept))
        if residual <= job.tol or not end.converged:
            break
        tol *= 0.5 * job.tol / residual
    return LeastSquaresFit(
        solver="cg",
        alpha=alpha,
        intercept=coef.sum(axis=0) if job.penalized else intercept,
        coef=coef,
        support=np.arange(job.system.n_rows),
        n_iter=n_iter,
        residual=residual,
        converged=end.converged,
        condition=end.condition,
    )


def _weighted_residual(job: Job, gram: Gram, coef: FloatArray, intercept: FloatArray) -> float:
    """The residual with no row hidden by heavier ones; 0 where all weigh alike."""
    system, alpha = job.system, job.one_alpha("cg")
    if system.weight.max() == system.weight.min():
        return 0.0
    values = lambda V: gram.product(None, V)  # noqa: E731
    whole = dual_residual(system, alpha, coef, intercept, values, gram.diagonal())
    return np.inf if np.isnan(whole) else whole


def fit_smo(job: Job, solver: Any) -> LeastSquaresFit:
    """The general problem solver, output by output (Lopez Lazaro 2011, section 3.1.5)."""
    alpha, s = job.one_alpha("smo"), job.system
    gram = job.gram()
    kind = "penalized" if job.penalized else s.bias
    coef, intercept = np.empty_like(s.targets), np.empty(s.targets.shape[1])
    n_iter, converged = 0, True
    # no residual above tol size: then s times all of them is not above tol |P sY|
    sizes = target_sizes(s) / np.sqrt(s.total)
    for k, target in enumerate((s.targets - s.target_mean).T):
        formulation = least_squares(target, alpha, s.weight, fit_intercept=kind)  # type: ignore[arg-type]
        solution = solve(
            formulation.problem,
            gram,
            solver,
            tol=job.tol * (sizes[k] or 1.0),
            max_iter=-1 if job.max_iter is None else job.max_iter,
            max_time=job.seconds_left,
        )
        fitted = formulation.fitted_parameters(solution)
        coef[:, k], intercept[k] = fitted.coef, fitted.intercept + s.target_mean[k]
        n_iter = max(n_iter, solution.n_iter)
        converged &= solution.converged
    # with the kernel k + 1 the bias is in the values already
    bias = np.zeros_like(intercept) if job.penalized else intercept
    return LeastSquaresFit(
        solver=solution.solver,
        alpha=alpha,
        intercept=intercept,
        coef=coef,
        support=np.arange(len(coef)),
        n_iter=n_iter,
        residual=dual_residual(
            s, alpha, coef, bias, lambda V: gram.product(None, V), gram.diagonal()
        ),
        converged=converged,
    )
