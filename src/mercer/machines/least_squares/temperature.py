"""Probabilities whose argmax is the predicted class: softmax(slope f), one slope for all."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import log_softmax

__all__ = ["by_class", "can_calibrate", "fit_slope", "without_one_copy"]

FloatArray = NDArray[np.float64]


def can_calibrate(machine: Any) -> bool:
    """Whether there are probabilities, or an error that says what they need."""
    is_fitted = hasattr(machine, "classes_")
    solver = getattr(machine, "solver_", None) if is_fitted else machine.solver
    has_values = hasattr(machine, "probability_slope_") if is_fitted else machine.loo
    if has_values and not (isinstance(solver, str) and solver in ("cg", "lsqr", "smo")):
        return True
    raise AttributeError(
        "predict_proba needs leave-one-out values: fit with loo=True, without partial_fit, and a "
        f"solver that factors, got loo={machine.loo} and solver {solver!r}"
    )


def by_class(values: FloatArray) -> FloatArray:
    """One column a class; two classes share one value with opposite signs."""
    return np.column_stack([-values, values]) if values.ndim == 1 else values


def without_one_copy(
    targets: FloatArray, fitted: FloatArray, held_out: FloatArray, weight: FloatArray
) -> FloatArray:
    """Values of rows of which one copy is left out, and not all their weight.

    Weights are copies, and probabilities must not tell one from the other. With the leverage h,
    y - f = (1 - h) (y - f_-i); a copy has the leverage h / weight.
    """
    error, left_out = targets - fitted, targets - held_out
    rest = np.divide(error, left_out, out=np.ones_like(error), where=left_out != 0)
    share = np.minimum(1.0 / weight, 1.0)[:, None]
    rest = 1.0 - (1.0 - rest) * share
    return targets - np.divide(error, rest, out=left_out, where=rest > 0)


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
