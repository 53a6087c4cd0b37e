"""How well rows conform with each label: margins of any classifier.

    two classes        y f(x)
    values of classes  f_c(x) - max over d != c of f_d(x)
    pairs of classes   min over d != c of f_cd(x), f_cd positive for c

The margin of a pair is that of the worst opponent: votes are whole numbers, and tie too often.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.machines.svm.kernel_classifier import has_pairs

__all__ = ["margins"]

FloatArray = NDArray[np.float64]


def margins(machine: Any, X: Any, classes: NDArray[Any]) -> FloatArray:
    """Margin of each row and label, (n_rows, n_classes); a label never seen has -infinity."""
    own = _of_own_classes(machine, X)
    if len(machine.classes_) == len(classes):
        return own
    found = np.full((len(own), len(classes)), -np.inf)
    found[:, np.searchsorted(classes, machine.classes_)] = own
    return found


def _of_own_classes(machine: Any, X: Any) -> FloatArray:
    n_classes = len(machine.classes_)
    if n_classes > 2 and has_pairs(machine):
        return _of_pairs(machine.machine_decisions(X), n_classes)
    values = _values(machine, X)
    if values.ndim == 1:
        return np.column_stack([-values, values])
    if n_classes > 2 and getattr(machine, "decision_function_shape", "ovr") == "ovo":
        return _of_pairs(values, n_classes)
    best = np.partition(values, -2, axis=1)
    is_best = values == best[:, -1:]
    return values - np.where(is_best, best[:, -2:-1], best[:, -1:])


def _values(machine: Any, X: Any) -> FloatArray:
    if hasattr(machine, "decision_function"):
        return np.asarray(machine.decision_function(X), dtype=np.float64)
    if hasattr(machine, "predict_proba"):
        return np.asarray(machine.predict_proba(X), dtype=np.float64)
    raise TypeError(
        "estimator must have decision_function or predict_proba, got "
        f"{type(machine).__name__}, which has neither"
    )


def _of_pairs(decisions: FloatArray, n_classes: int) -> FloatArray:
    worst = np.full((len(decisions), n_classes), np.inf)
    for k, (first, second) in enumerate(combinations(range(n_classes), 2)):
        np.minimum(worst[:, first], decisions[:, k], out=worst[:, first])
        np.minimum(worst[:, second], -decisions[:, k], out=worst[:, second])
    return worst
