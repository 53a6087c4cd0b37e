"""Probabilities whose argmax is that of the values: softmax(slope f), one slope for all."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import log_softmax

__all__ = ["by_class", "fit_slope"]

FloatArray = NDArray[np.float64]


def by_class(values: FloatArray) -> FloatArray:
    """One column a class; two classes share one value with opposite signs."""
    return np.column_stack([-values, values]) if values.ndim == 1 else values


def fit_slope(values: FloatArray, labels: NDArray[np.intp], weight: FloatArray) -> float:
    """The slope of the greatest weighted likelihood, at most e^15 for separable values."""
    rows = np.arange(len(labels))

    def loss(log_slope: FloatArray) -> tuple[float, FloatArray]:
        slope = float(np.exp(log_slope[0]))
        logs = log_softmax(slope * values, axis=1)
        expected = np.einsum("ij,ij->i", np.exp(logs), values)
        gradient = slope * (weight @ (expected - values[rows, labels]))
        return -float(weight @ logs[rows, labels]), np.array([gradient])

    result = minimize(loss, np.zeros(1), jac=True, bounds=[(-15.0, 15.0)], method="L-BFGS-B")
    return float(np.exp(result.x[0]))
