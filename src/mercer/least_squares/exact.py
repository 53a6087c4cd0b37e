"""Exact least squares machines on all rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._memory import require_memory
from mercer.formulations import least_squares
from mercer.gram import Gram
from mercer.gram.native import reads_python
from mercer.gram.spot_check import require_definite
from mercer.kernels.blocks import row_slices
from mercer.least_squares.features import FeatureSystem
from mercer.least_squares.job import Job, LeastSquaresFit, scanned
from mercer.least_squares.leave_one_out import LeaveOneOutSystem
from mercer.least_squares.linear import (
    LinearData,
    dual_condition,
    linear_cg,
    linear_lsqr,
    woodbury,
)
from mercer.lowrank import FeatureMap, LowRank
from mercer.solvers import solve
from mercer.solvers.linear_system.factors import CholeskyFactor
from mercer.solvers.linear_system.kernel_cg import kernel_cg, preconditioner_features
from mercer.solvers.linear_system.residual import dual_residual, target_sizes
from mercer.solvers.linear_system.solvers import ConjugateGradient

__all__ = [
    "fit_cg",
    "fit_direct",
    "fit_iterative_linear",
    "fit_primal",
    "fit_proximal",
    "fit_smo",
    "require_squares",
]

FloatArray = NDArray[np.float64]

# What takes less memory than n x n matrices.
LESS = (
    "low_rank works in blocks of rows, and solver='cg', which takes one alpha, stores no "
    "kernel values"
)
# Range of weights in which the residual that ends "cg" may hide what the light rows lack.
UNEVEN = 1e8


def fit_direct(job: Job, *, spectral: bool) -> LeastSquaresFit:
    """One n x n factorization: Cholesky for one alpha, the spectrum for many."""
    require_squares(3 if spectral else 2, job.system.n_rows, "eigen" if spectral else "direct")
    gram, everything = job.gram(), np.arange(job.system.n_rows)
    matrix, product = _values_and_product(gram)
    evaluator = LeaveOneOutSystem.of(
        job.system, matrix, None if spectral else job.alpha, clip=gram.is_positive_definite
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
        residual=dual_residual(job.system, alpha, coef, intercept, product, gram.diagonal()),
    )


def _values_and_product(
    gram: Gram,
) -> tuple[Callable[[], FloatArray], Callable[[FloatArray], FloatArray]]:
    """A new matrix of kernel values, and products with it.

    Python functions are slow next to a factorization: their values are kept.
    """
    everything = np.arange(gram.n_rows)
    whole = lambda: np.asarray(gram.block(everything, everything), dtype=np.float64)  # noqa: E731
    if not reads_python(gram.kernel.form()):
        return whole, lambda V: gram.product(None, V)
    kept = whole()
    return kept.copy, lambda V: kept @ V


def require_squares(count: int, n_rows: int, solver: str, instead: str = LESS) -> None:
    """Refuse so many n x n matrices of doubles if there is no room for them."""
    require_memory(8.0 * count * n_rows**2, f"solver {solver!r} with {n_rows} rows", instead)


def fit_primal(job: Job, *, dual: bool = False) -> LeastSquaresFit:
    """A linear kernel by its d x d matrix; with ``dual`` the coefficients by Woodbury."""
    X = job.full_X
    require_memory(
        8 * (2 if job.alpha is not None else 4) * X.shape[1] ** 2,
        f"solver={'smw' if dual else 'primal'!r} with {X.shape[1]} features",
        "solver='cg' stores no square matrix and takes one alpha",
    )
    blocks = list(row_slices(X.shape[0], 8 * X.shape[1]))
    source = lambda rows: _own_block(X[rows])  # noqa: E731
    evaluator = FeatureSystem(job.system, source, X.shape[1], blocks, job.alpha)
    alpha, result = scanned(job, evaluator)
    weights, intercept = evaluator.solve(alpha)
    coef, residual = None, evaluator.residual(alpha)
    if dual:
        coef, intercept = woodbury(evaluator, alpha)
        weights = X.T @ coef
        values = lambda V: X @ (X.T @ V)  # noqa: E731
        residual = dual_residual(job.system, alpha, coef, intercept, values, _squares(X))
    return LeastSquaresFit(
        solver="smw" if dual else "primal",
        alpha=alpha,
        **_split(job, weights, intercept),
        coef=coef,
        scan=result,
        condition=dual_condition(evaluator, alpha) if dual else evaluator.condition(alpha),
        residual=residual,
    )


def fit_iterative_linear(job: Job, method: str) -> LeastSquaresFit:
    """A linear kernel by products with the data only."""
    alpha = _one_alpha(job, method)
    X = job.full_X
    # products with small integers would convert them every time
    is_ready = hasattr(X, "tocsr") or X.dtype == np.float64
    data = LinearData(X if is_ready else X.astype(np.float64), job.system)
    run = linear_cg if method == "cg" else linear_lsqr
    weights, intercept, end = run(
        data, alpha, tol=job.tol, max_iter=job.max_iter, deadline=job.deadline
    )
    return LeastSquaresFit(
        solver=method,
        alpha=alpha,
        **_split(job, weights, intercept),
        n_iter=end.n_iter,
        residual=end.residual,
        converged=end.converged,
        condition=end.condition,
    )


def fit_cg(job: Job, solver: ConjugateGradient) -> LeastSquaresFit:
    """Conjugate gradients on kernel values, preconditioned by a low-rank factor."""
    alpha = _one_alpha(job, "cg")
    gram = job.gram()
    features = None
    if solver.rank:
        require_definite(gram, "solver='cg'", ". solver='eigen' takes any kernel")
        features = preconditioner_features(LowRank(rank=solver.rank, random_state=0), gram, job.X)
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
        intercept=_total_bias(job, coef, intercept),
        coef=coef,
        support=np.arange(len(coef)),
        n_iter=end.n_iter,
        residual=residual,
        converged=end.converged,
        condition=end.condition,
    )


def fit_smo(job: Job, solver: Any) -> LeastSquaresFit:
    """The general problem solver, output by output (Lopez Lazaro 2011, section 3.1.5)."""
    alpha, s = _one_alpha(job, "smo"), job.system
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


def fit_proximal(job: Job) -> LeastSquaresFit:
    """(K^2 + alpha) c = K y: the penalty |c|^2 in the place of c'Kc (Fung & Mangasarian 2001).

    A row of weight w is w copies that share its coefficient, sum_i c_i^2 / w_i: the features
    are K diag(sqrt(w)).
    """
    require_squares(
        2 if job.alpha is not None else 4,
        job.system.n_rows,
        "proximal",
        "low_rank, with method='rectangle', works in blocks of rows",
    )
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
        residual=evaluator.residual(alpha),
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


def _squares(X: Any) -> FloatArray:
    """|x|^2 of each row."""
    if hasattr(X, "toarray"):
        return np.asarray(X.astype(np.float64).power(2).sum(axis=1)).ravel()
    return np.einsum("ij,ij->i", X, X, dtype=np.float64)


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
