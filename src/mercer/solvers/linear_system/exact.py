"""Exact least squares machines on all rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.formulations import least_squares
from mercer.kernels.blocks import row_slices
from mercer.lowrank import FeatureMap, LowRank
from mercer.solvers.linear_system.factors import CholeskyFactor
from mercer.solvers.linear_system.features import FeatureSystem
from mercer.solvers.linear_system.fit import Job, LeastSquaresFit, scanned
from mercer.solvers.linear_system.kernel import kernel_cg, preconditioner_features
from mercer.solvers.linear_system.linear import (
    LinearData,
    dual_condition,
    linear_cg,
    linear_lsqr,
    woodbury,
)
from mercer.solvers.linear_system.solvers import ConjugateGradient, factored

__all__ = ["fit_cg", "fit_direct", "fit_iterative_linear", "fit_primal", "fit_proximal", "fit_smo"]

FloatArray = NDArray[np.float64]


def fit_direct(job: Job, *, spectral: bool) -> LeastSquaresFit:
    """One n x n factorization: Cholesky for one alpha, the spectrum for many."""
    gram, everything = job.gram(), np.arange(job.system.n_rows)
    evaluator = factored(
        job.system,
        lambda: np.asarray(gram.block(everything, everything), dtype=np.float64),
        None if spectral else job.alpha,
        clip=gram.is_positive_definite,
    )
    alpha, result = scanned(job, evaluator)
    coef, intercept = evaluator.solve(alpha)
    return LeastSquaresFit(
        solver="direct" if isinstance(evaluator.factor, CholeskyFactor) else "eigen",
        alpha=alpha,
        intercept=_total_bias(job, coef, intercept),
        coef=coef,
        support=everything,
        scan=result,
        condition=evaluator.condition(alpha),
    )


def fit_primal(job: Job, *, dual: bool = False) -> LeastSquaresFit:
    """A linear kernel by its d x d matrix; with ``dual`` the coefficients by Woodbury."""
    X = job.full_X
    blocks = list(row_slices(X.shape[0], 8 * X.shape[1]))
    source = lambda rows: _own_block(X[rows])  # noqa: E731
    evaluator = FeatureSystem(job.system, source, X.shape[1], blocks, job.alpha)
    alpha, result = scanned(job, evaluator)
    weights, intercept = evaluator.solve(alpha)
    coef = None
    if dual:
        coef, intercept = woodbury(evaluator, alpha)
        weights = X.T @ coef
    return LeastSquaresFit(
        solver="smw" if dual else "primal",
        alpha=alpha,
        **_split(job, weights, intercept),
        coef=coef,
        scan=result,
        condition=dual_condition(evaluator, alpha) if dual else evaluator.condition(alpha),
    )


def fit_iterative_linear(job: Job, method: str) -> LeastSquaresFit:
    """A linear kernel by products with the data only."""
    alpha = _one_alpha(job, method)
    X = job.full_X
    # products with small integers would convert them every time
    is_ready = hasattr(X, "tocsr") or X.dtype == np.float64
    data = LinearData(X if is_ready else X.astype(np.float64), job.system)
    run = linear_cg if method == "cg" else linear_lsqr
    weights, intercept, end = run(data, alpha, tol=job.tol, max_iter=job.max_iter)
    return LeastSquaresFit(
        solver=method,
        alpha=alpha,
        **_split(job, weights, intercept),
        n_iter=end.n_iter,
        residual=end.residual,
        converged=end.converged,
    )


def fit_cg(job: Job, solver: ConjugateGradient) -> LeastSquaresFit:
    """Conjugate gradients on kernel values, preconditioned by a low-rank factor."""
    alpha = _one_alpha(job, "cg")
    gram = job.gram()
    features = None
    if solver.rank:
        features = preconditioner_features(LowRank(rank=solver.rank, random_state=0), gram, job.X)
    coef, intercept, end = kernel_cg(
        gram,
        job.system,
        alpha,
        features=features,
        tol=job.tol,
        max_iter=job.max_iter,
        precision=job.precision,
    )
    return LeastSquaresFit(
        solver="cg",
        alpha=alpha,
        intercept=_total_bias(job, coef, intercept),
        coef=coef,
        support=np.arange(len(coef)),
        n_iter=end.n_iter,
        residual=end.residual,
        converged=end.converged,
    )


def fit_smo(job: Job, solver: Any) -> LeastSquaresFit:
    """The general problem solver, output by output (Lopez Lazaro 2011, section 3.1.5)."""
    # imported here because the solvers' front door knows this package
    from mercer.solvers import solve

    alpha, s = _one_alpha(job, "smo"), job.system
    gram = job.gram()
    kind = "penalized" if job.penalized else s.bias
    coef, intercept = np.empty_like(s.targets), np.empty(s.targets.shape[1])
    n_iter, worst, converged = 0, 0.0, True
    for k, target in enumerate(s.targets.T):
        formulation = least_squares(target, alpha, s.weight, fit_intercept=kind)  # type: ignore[arg-type]
        size = float(np.abs(target).max()) or 1.0
        solution = solve(formulation.problem, gram, solver, tol=job.tol * size)
        read_out = formulation.read_out(solution)
        coef[:, k], intercept[k] = read_out.coef, read_out.intercept
        n_iter = max(n_iter, solution.n_iter)
        worst = max(worst, solution.violation / size)
        converged &= solution.converged
    return LeastSquaresFit(
        solver=solution.solver,
        alpha=alpha,
        intercept=intercept,
        coef=coef,
        support=np.arange(len(coef)),
        n_iter=n_iter,
        residual=worst,
        converged=converged,
    )


def fit_proximal(job: Job) -> LeastSquaresFit:
    """(K^2 + alpha) c = K y: the penalty |c|^2 in the place of c'Kc (Fung & Mangasarian 2001).

    A row of weight w is w copies that share its coefficient, sum_i c_i^2 / w_i: the features
    are K diag(sqrt(w)).
    """
    kernel_values = FeatureMap(
        job.kernel, job.X, whiten=False, precision=job.precision, n_threads=job.n_threads
    )
    n, scale = job.system.n_rows, job.system.scale
    blocks = list(row_slices(n, 8 * n))

    def source(rows: slice) -> FloatArray:
        values = kernel_values(job.X[rows])
        values *= scale
        return with_constant(values, job.penalized)

    evaluator = FeatureSystem(job.system, source, n + job.penalized, blocks, job.alpha)
    alpha, result = scanned(job, evaluator)
    weights, intercept = evaluator.solve(alpha)
    parts = _split(job, weights, intercept)
    return LeastSquaresFit(
        solver="proximal",
        alpha=alpha,
        intercept=parts["intercept"],
        coef=scale[:, None] * parts["weights"],
        support=np.arange(n),
        scan=result,
        condition=evaluator.condition(alpha),
    )


def with_constant(features: FloatArray, wanted: bool) -> FloatArray:
    """Features with a last one that is 1, if wanted; in Fortran order."""
    if not wanted:
        return features
    out = np.ones((features.shape[0], features.shape[1] + 1), order="F")
    out[:, :-1] = features
    return out


def _own_block(rows: Any) -> Any:
    """Rows the moments may overwrite: sparse ones as they are, dense ones copied."""
    return rows if hasattr(rows, "toarray") else np.array(rows, dtype=np.float64, order="F")


def _one_alpha(job: Job, method: str) -> float:
    if job.alpha is None:
        raise ValueError(
            f"solver={method!r} needs one alpha: a grid or alpha='loo' needs leave-one-out "
            "values, which solver='eigen' gives, 'primal' for linear kernels, or low_rank"
        )
    return job.alpha


def _total_bias(job: Job, coef: FloatArray, intercept: FloatArray) -> FloatArray:
    """With the kernel k + 1 the bias is the sum of the coefficients.

    Rifkin 2002, section 2.6.2.
    """
    return coef.sum(axis=0) if job.penalized else intercept


def _split(job: Job, weights: FloatArray, intercept: FloatArray) -> dict[str, Any]:
    """The weight of the constant feature is the bias."""
    if not job.penalized:
        return {"weights": weights, "intercept": intercept}
    return {"weights": weights[:-1], "intercept": weights[-1]}
