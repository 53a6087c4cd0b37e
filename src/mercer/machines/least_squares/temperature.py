"""Values that the slope of the probabilities is fitted to, and who has them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["can_calibrate", "without_one_copy"]

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
