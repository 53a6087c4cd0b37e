"""The values of a machine that say most: of its parts, its decision, or its prediction."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier

__all__ = ["values_of"]

FloatArray = NDArray[np.float64]


def values_of(machine: Any, X: Any) -> FloatArray:
    """``machine_decisions``, ``decision_function`` or ``predict``, the first that there is.

    Those of what a machine without values is made around: probabilities leave values as they are.
    Shape (n_rows,) of one function, else (n_rows, n_functions).
    """
    inside = getattr(machine, "estimator_", None)
    if inside is not None and not hasattr(machine, "decision_function") and is_classifier(machine):
        return values_of(inside, X)
    for name in ("machine_decisions", "decision_function", "predict"):
        if hasattr(machine, name):
            found = np.asarray(getattr(machine, name)(X), dtype=np.float64)
            break
    return found[:, 0] if found.ndim == 2 and found.shape[1] == 1 else found
