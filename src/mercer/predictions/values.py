"""The values of a machine that say most: of its parts, its decision, or its prediction."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["values_of"]

FloatArray = NDArray[np.float64]


def values_of(machine: Any, X: Any) -> FloatArray:
    """``machine_decisions``, ``decision_function`` or ``predict``, the first that there is.

    Shape (n_rows,) of one function, else (n_rows, n_functions).
    """
    for name in ("machine_decisions", "decision_function", "predict"):
        if hasattr(machine, name):
            found = np.asarray(getattr(machine, name)(X), dtype=np.float64)
            break
    return found[:, 0] if found.ndim == 2 and found.shape[1] == 1 else found
