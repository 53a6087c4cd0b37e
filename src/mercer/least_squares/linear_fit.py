"""Machines of a linear kernel, by the smaller side of the data or by products with it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer._memory import require_memory
from mercer.kernels.blocks import row_slices
from mercer.least_squares.features import FeatureSystem
from mercer.least_squares.job import Job, LeastSquaresFit, scanned
from mercer.least_squares.linear import (
    LinearData,
    dual_condition,
    linear_cg,
    linear_lsqr,
    woodbury,
)
from mercer.least_squares.penalized_bias import split_bias
from mercer.solvers.linear_system.residual import dual_residual

__all__ = ["fit_iterative_linear", "fit_primal"]

FloatArray = NDArray[np.float64]


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
        **split_bias(job, weights, intercept),
        coef=coef,
        scan=result,
        condition=dual_condition(evaluator, alpha) if dual else evaluator.condition(alpha),
        residual=residual,
    )


def fit_iterative_linear(job: Job, method: str) -> LeastSquaresFit:
    """A linear kernel by products with the data only."""
    alpha = job.one_alpha(method)
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
        **split_bias(job, weights, intercept),
        n_iter=end.n_iter,
        residual=end.residual,
        converged=end.converged,
        condition=end.condition,
    )


def _own_block(rows: Any) -> Any:
    """Rows the moments may overwrite: sparse ones as they are, dense ones copied."""
    return rows if hasattr(rows, "toarray") else np.array(rows, dtype=np.float64, order="F")


def _squares(X: Any) -> FloatArray:
    """|x|^2 of each row."""
    if hasattr(X, "toarray"):
        return np.asarray(X.astype(np.float64).power(2).sum(axis=1)).ravel()
    return np.einsum("ij,ij->i", X, X, dtype=np.float64)
