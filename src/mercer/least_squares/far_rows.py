"""Machines of rows far from the origin, fitted to the rows as they lie around their mean."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from mercer.gram.native import take_rows
from mercer.gram.shift import moved, shift_of_far_rows, shift_offset
from mercer.least_squares.job import Job, LeastSquaresFit

__all__ = ["fit_near"]

FloatArray = NDArray[np.float64]


def fit_near(job: Job, fit: Callable[[Job], LeastSquaresFit]) -> LeastSquaresFit:
    """The machine that ``fit`` makes; with a bias its coefficients add up to zero."""
    shift = shift_of_far_rows(job.kernel.form(), job.X) if job.system.bias else None
    if shift is None:
        return fit(job)
    near = replace(job, X=moved(job.X, shift))
    return _at_zero(near, shift, fit(near))


def _at_zero(job: Job, shift: FloatArray, fit: LeastSquaresFit) -> LeastSquaresFit:
    """The fit of rows that were measured from ``shift``, for rows that are not."""
    if fit.coef is not None:
        rows = job.X if fit.support is None else take_rows(job.X, fit.support)
        lower = shift_offset(job.kernel.form(), rows, shift, fit.coef)
    else:
        assert fit.weights is not None
        lower = shift @ fit.weights
    near = fit.intercept
    return replace(fit, intercept=near - lower, shift=shift, near_intercept=near)
