"""Machines of rows far from the origin, fitted to the rows as they lie around their mean."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from mercer.gram.native import take_rows
from mercer.gram.origin import far_origin, level, moved
from mercer.least_squares.job import Job, LeastSquaresFit

__all__ = ["fit_near"]

FloatArray = NDArray[np.float64]


def fit_near(job: Job, fit: Callable[[Job], LeastSquaresFit]) -> LeastSquaresFit:
    """The machine that ``fit`` makes; with a bias its coefficients add up to zero."""
    origin = far_origin(job.kernel.form(), job.X) if job.system.bias else None
    if origin is None:
        return fit(job)
    near = replace(job, X=moved(job.X, origin))
    return _at_zero(near, origin, fit(near))


def _at_zero(job: Job, origin: FloatArray, fit: LeastSquaresFit) -> LeastSquaresFit:
    """The fit of rows that were measured from ``origin``, for rows that are not."""
    if fit.coef is not None:
        rows = job.X if fit.support is None else take_rows(job.X, fit.support)
        lower = level(job.kernel.form(), rows, origin, fit.coef)
    else:
        assert fit.weights is not None
        lower = origin @ fit.weights
    near = fit.intercept
    return replace(fit, intercept=near - lower, origin=origin, near_intercept=near)
