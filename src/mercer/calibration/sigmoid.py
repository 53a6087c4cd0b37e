"""Smooth maps from one value to the probability of the positive class.

Both are logistic regression on a few functions g of the value, p = expit(w' g(f)):

    platt  g = (f, 1)                                                     (Platt 2000)
    beta   g = (log expit(f), -log expit(-f), 1), the first two w >= 0    (Kull et al. 2017)

Labels are replaced by what they are believed to be after N+ and N- of them were seen,
t+ = (N+ + 1) / (N+ + 2) and t- = 1 / (N- + 2) (Platt 2000), so that separable values have a map,
too. Newton's method with a line search goes to the minimum (Lin et al. 2007).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, log_expit

__all__ = ["Beta", "Sigmoid", "fit_beta", "fit_sigmoid", "fit_sigmoids"]

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]

_RIDGE = 1e-12  # of the matrix of second derivatives: constant values make it singular
_MOST_STEPS = 100
_FLAT = 1e-7  # gradient for each unit of weight at which Newton's method ends
_SMALLEST_STEP = 1e-10


@dataclass(frozen=True)
class Sigmoid:
    """p = expit(slope f + offset)."""

    slope: float
    offset: float

    def __call__(self, values: FloatArray) -> FloatArray:
        return np.asarray(expit(self.slope * values + self.offset))


@dataclass(frozen=True)
class Beta:
    """p = expit(rise log expit(f) - fall log expit(-f) + offset)."""

    rise: float
    fall: float
    offset: float

    def __call__(self, values: FloatArray) -> FloatArray:
        found = self.rise * log_expit(values) - self.fall * log_expit(-values) + self.offset
        return np.asarray(expit(found))


def fit_sigmoid(values: FloatArray, positive: BoolArray, weight: FloatArray) -> Sigmoid:
    """Platt's map of the greatest likelihood; of constant values the share of the positive."""
    return fit_sigmoids(values, positive, weight, np.array([0]))[0]


def fit_sigmoids(
    values: FloatArray, positive: BoolArray, weight: FloatArray, begins: NDArray[np.intp]
) -> list[Sigmoid]:
    """The same of many samples that lie one after the other, where each of them begins."""
    scale = np.maximum.reduceat(np.abs(values), begins)
    scale[scale == 0.0] = 1.0
    sizes = np.diff(begins, append=len(values))
    scaled = values / np.repeat(scale, sizes)
    features = np.column_stack([scaled, np.ones_like(values)])
    slope, offset = _logistic(features, positive, weight, begins).T
    return [Sigmoid(*own) for own in zip((slope / scale).tolist(), offset.tolist(), strict=True)]


def fit_beta(values: FloatArray, positive: BoolArray, weight: FloatArray) -> Beta:
    """The beta map of the greatest likelihood; a term of the wrong sign is left out."""
    features = np.column_stack([log_expit(values), -log_expit(-values), np.ones_like(values)])
    used = np.array([True, True, True])
    coef = np.zeros(3)
    while True:
        coef[:] = 0.0
        coef[used] = _logistic(features[:, used], positive, weight, np.array([0]))[0]
        wrong = used & (coef < 0.0)
        wrong[2] = False
        if not wrong.any():
            return Beta(*coef.tolist())
        used[np.argmin(np.where(wrong, coef, np.inf))] = False


def smoothed(
    positive: BoolArray, weight: FloatArray, begins: NDArray[np.intp] | None = None
) -> FloatArray:
    """Targets in place of labels, weights being repetitions."""
    begins = np.array([0]) if begins is None else begins
    n_positive, n_negative = _class_weights(positive, weight, begins)
    low, high = 1.0 / (n_negative + 2.0), (n_positive + 1.0) / (n_positive + 2.0)
    sizes = np.diff(begins, append=len(positive))
    return np.where(positive, np.repeat(high, sizes), np.repeat(low, sizes))


def _class_weights(
    positive: BoolArray, weight: FloatArray, begins: NDArray[np.intp]
) -> tuple[FloatArray, FloatArray]:
    """Weight of the positive and of the negative rows of each sample."""
    of_positive = np.add.reduceat(weight * positive, begins)
    return of_positive, np.add.reduceat(weight, begins) - of_positive


def _logistic(
    features: FloatArray, positive: BoolArray, weight: FloatArray, begins: NDArray[np.intp]
) -> FloatArray:
    """Coefficients of the least cross entropy, a row for each sample.

    From the share of the positive class on; all samples take their Newton steps together.
    """
    sizes = np.diff(begins, append=len(features))
    target = smoothed(positive, weight, begins)
    n_positive, n_negative = _class_weights(positive, weight, begins)
    total, d = n_positive + n_negative, features.shape[1]
    coef = np.zeros((len(begins), d))
    coef[:, -1] = np.log((n_positive + 1.0) / (n_negative + 1.0))
    products = (features[:, :, None] * features[:, None, :]).reshape(len(features), -1)

    def heights(at: FloatArray) -> FloatArray:
        return np.einsum("ij,ij->i", features, np.repeat(at, sizes, axis=0))

    def losses(at: FloatArray) -> FloatArray:
        height = heights(at)
        # -t log p - (1 - t) log(1 - p)
        return np.add.reduceat(weight * ((1.0 - target) * height - log_expit(height)), begins)

    value = losses(coef)
    for _ in range(_MOST_STEPS):
        p = expit(heights(coef))
        gradient = np.add.reduceat(features * (weight * (p - target))[:, None], begins)
        if (np.abs(gradient).max(axis=1) <= _FLAT * total).all():
            break
        bend = np.add.reduceat(products * (weight * p * (1.0 - p))[:, None], begins)
        curvature = bend.reshape(-1, d, d) + _RIDGE * total[:, None, None] * np.eye(d)
        step = np.linalg.solve(curvature, gradient[:, :, None])[:, :, 0]
        share, slope = np.ones(len(begins)), np.einsum("ij,ij->i", gradient, step)
        while True:
            after = losses(coef - share[:, None] * step)
            is_too_far = after > value - 1e-4 * share * slope
            if not is_too_far.any():
                break
            share[is_too_far] = np.where(share > _SMALLEST_STEP, share / 2.0, 0.0)[is_too_far]
        if not share.any():
            break
        coef, value = coef - share[:, None] * step, after
    return coef
