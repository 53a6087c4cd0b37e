"""The proximal machine: the squares of the coefficients are the penalty."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mercer.kernels.blocks import row_slices
from mercer.least_squares.direct import require_squares
from mercer.least_squares.features import FeatureSystem
from mercer.least_squares.job import Job, LeastSquaresFit, scanned
from mercer.least_squares.penalized_bias import split_bias, with_constant
from mercer.lowrank import FeatureMap

__all__ = ["fit_proximal"]

FloatArray = NDArray[np.float64]


def fit_proximal(job: Job) -> LeastSquaresFit:
    """(K^2 + alpha) c = K y: the penalty |c|^2 in place of c'Kc (Fung & Mangasarian 2001).

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
    parts = split_bias(job, weights, intercept)
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
