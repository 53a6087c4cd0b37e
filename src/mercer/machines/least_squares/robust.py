"""Weights that take the power from outliers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from mercer.gram.expansion import Expansion
from mercer.gram.native import take_rows
from mercer.gram.shift import moved
from mercer.least_squares.choice import fit_least_squares
from mercer.least_squares.job import Job, LeastSquaresFit
from mercer.solvers.linear_system import System

__all__ = [
    "fit_robust",
    "hampel_weights",
    "huber_weights",
    "residual_scale",
    "residuals",
    "weighted_median",
]

FloatArray = NDArray[np.float64]
Robust = Literal["huber", "hampel"]

# 95 % efficiency at the normal distribution; the usual cut-offs of weighted LS-SVM.
HUBER, HAMPEL = 1.345, (2.5, 3.0)
# Weight of a hopeless outlier: not zero, so that the set of rows stays.
LEAST = 1e-4
# Rounds, those that measure the scale and choose alpha anew, and the change that ends them.
ROUNDS, MEASURED, CHANGE = 100, 20, 1e-8


def huber_weights(standardized: FloatArray) -> FloatArray:
    """min(1, k/|r|): the fixed point minimizes Huber's loss with delta = k scale."""
    size = np.abs(standardized)
    return np.divide(HUBER, size, out=np.ones_like(size), where=size > HUBER)


def hampel_weights(standardized: FloatArray) -> FloatArray:
    """1 up to 2.5, then linearly down to 1e-4 at 3 and beyond."""
    low, high = HAMPEL
    return np.clip((high - np.abs(standardized)) / (high - low), LEAST, 1.0)


WEIGHTS: dict[str, Callable[[FloatArray], FloatArray]] = {
    "huber": huber_weights,
    "hampel": hampel_weights,
}


def residual_scale(residual: FloatArray, weight: FloatArray) -> float:
    """1.483 times the median absolute deviation, rows counted by their weights."""
    centre = weighted_median(residual, weight)
    return 1.4826 * weighted_median(np.abs(residual - centre), weight)


def weighted_median(values: FloatArray, weight: FloatArray) -> float:
    """The median, each value counted as often as it weighs."""
    order = np.argsort(values, kind="stable")
    summed = np.cumsum(weight[order])
    half = 0.5 * summed[-1]
    low = int(np.searchsorted(summed, half, side="left"))
    high = min(int(np.searchsorted(summed, half, side="right")), len(values) - 1)
    return 0.5 * float(values[order[low]] + values[order[high]])


def residuals(job: Job, fit: LeastSquaresFit) -> FloatArray:
    """y - f(x) of the rows of the job."""
    s, bias = job.system, fit.intercept if fit.near_intercept is None else fit.near_intercept
    if fit.weights is not None:
        near = job.X if fit.shift is None else moved(job.X, fit.shift)
        return s.targets - (near @ fit.weights + bias)
    assert fit.coef is not None
    rows = fit.rows
    if fit.support is not None:
        is_stored = job.kernel.form().reads_stored
        rows = fit.support if is_stored else take_rows(job.X, fit.support)
    expansion = Expansion(job.kernel, rows, fit.coef, n_threads=job.n_threads, shift=fit.shift)
    return s.targets - expansion.evaluate(job.X)[0] - bias


def fit_robust(job: Job, robust: Robust) -> tuple[LeastSquaresFit, FloatArray, float]:
    """Iteratively reweighted least squares: fit, weights and residual scale.

    ``n_iter`` of the fit counts the rounds; ``change`` is that of the weights in the last.
    Each round weighs the rows by their residuals in units of a robust scale and fits again;
    alpha, if there is a choice, is chosen anew with the weighted leave-one-out error. After some
    rounds scale and alpha stay: a median jumps and may go round in circles, while with a fixed
    scale Huber's loss is convex and falls in every round.
    """
    choice, base = job, job.system
    share = np.ones(base.n_rows)
    rounds, change, scale = 0, 1.0, 0.0
    fit = fit_least_squares(replace(job, loo=False))
    while rounds < ROUNDS and not job.is_late:
        residual = residuals(job, fit)[:, 0]
        if rounds < MEASURED:
            scale = residual_scale(residual, base.weight)
        elif rounds == MEASURED:
            job = replace(job, alphas=np.array([fit.alpha]))
        # half of the rows or more are fitted without error: no unit to measure others by
        weights = WEIGHTS[robust](residual / scale) if scale > 0 else share
        change, share = float(np.abs(weights - share).max()), weights
        if change < CHANGE:
            break
        rounds += 1
        fit = fit_least_squares(replace(_weighted(job, share), loo=False))
    final = fit if job.is_late else fit_least_squares(_weighted(choice, share))
    return replace(final, n_iter=rounds, change=change), share, scale


def _weighted(job: Job, share: FloatArray) -> Job:
    system = System(job.system.targets, job.system.weight * share, job.system.bias)
    return replace(job, system=system, loss_weight=job.loss_weight * share)
