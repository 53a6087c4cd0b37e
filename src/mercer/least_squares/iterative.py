"""The exact machine by iterations on kernel values that are never stored."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.formulations import least_squares
from mercer.gram.spot_check import require_definite
from mercer.least_squares.job import Job, LeastSquaresFit
from mercer.least_squares.penalized_bias import total_bias
from mercer.lowrank import LowRank
from mercer.solvers import solve
from mercer.solvers.linear_system.kernel_cg import kernel_cg, preconditioner_features
from mercer.solvers.linear_system.residual import dual_residual, target_sizes
from mercer.solvers.linear_system.solvers import ConjugateGradient

__all__ = ["fit_cg", "fit_smo"]

FloatArray = NDArray[np.float64]

# Range of weights in which the residual that ends "cg" may hide what the light rows lack.
UNEVEN = 1e8


def fit_cg(job: Job, solver: ConjugateGradient) -> LeastSquaresFit:
    """Conjugate gradients on kernel values, preconditioned by a low-rank factor."""
    alpha = job.one_alpha("cg")
    gram = job.gram()
    features = None
    if solver.rank:
        require_definite(gram, "solver='cg'", ". solver='eigen' takes any kernel")
        low_rank = LowRank(rank=solver.rank, random_state=0)
        features = preconditioner_features(low_rank, gram, job.X, job.deadline)
    coef, intercept, end = kernel_cg(
        gram,
        job.system,
        alpha,
        features=features,
        tol=job.tol,
        max_iter=job.max_iter,
        deadline=job.deadline,
        precision=job.precision,
    )
    residual, weight = end.residual, job.system.weight
    if weight.max() > UNEVEN * weight.min():
        values = lambda V: gram.product(None, V)  # noqa: E731
        whole = dual_residual(job.system, alpha, coef, intercept, values, gram.diagonal())
        residual = float(np.maximum(residual, whole))
    return LeastSquaresFit(
        solver="cg",
        alpha=alpha,
        intercept=total_bias(job, coef, intercept),
        coef=coef,
        support=np.arange(len(coef)),
        n_iter=end.n_iter,
        residual=residual,
        converged=end.converged,
        condition=end.condition,
    )


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
        read_out = formulation.read_out(solution)
        coef[:, k], intercept[k] = read_out.coef, read_out.intercept + s.target_mean[k]
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
