"""What users give to estimators around others: rows as they are, labels, weights, groups."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import (
    check_consistent_length,
    has_fit_parameter,
    validate_data,
)

from mercer.gram.native import count_rows
from mercer.predictions.stacked_rows import indexable, some_rows
from mercer.training.weights import check_weight

__all__ = [
    "checked_alpha",
    "checked_rows",
    "checked_weight",
    "fit_machine",
    "known_rows",
    "weighted_rows",
    "with_one_thread",
]

FloatArray = NDArray[np.float64]


def checked_rows(estimator: Any, X: Any, y: Any) -> tuple[Any, NDArray[Any]]:
    """Rows that can be taken one by one, and labels or targets, as many."""
    X = indexable(X)
    X, y = validate_data(estimator, X, y, skip_check_array=True)
    y = np.asarray(y)
    check_consistent_length(X, y)
    return X, y


def known_rows(estimator: Any, X: Any) -> Any:
    """Rows with as many features as at training time."""
    X = indexable(X)
    if count_rows(X) == 0:
        raise ValueError("X must have at least one row, got 0 sample(s)")
    if hasattr(estimator, "n_features_in_") and np.ndim(X) == 1 and hasattr(X, "shape"):
        raise ValueError(
            f"Expected 2D array, got X of shape {np.shape(X)} instead. Reshape your data: "
            "X.reshape(1, -1) if it is one row"
        )
    validate_data(estimator, X, reset=False, skip_check_array=True)
    return X


def checked_weight(machine: Any, sample_weight: ArrayLike | None, n: int) -> FloatArray | None:
    """Weights, if the machine takes any."""
    if sample_weight is None:
        return None
    if not has_fit_parameter(machine, "sample_weight"):
        raise ValueError(f"sample_weight must be None: {type(machine).__name__} takes no weights")
    return check_weight(sample_weight, n)


def weighted_rows(
    X: Any, y: NDArray[Any], weight: FloatArray | None, pairwise: bool
) -> tuple[Any, NDArray[Any], FloatArray | None]:
    """The rows of positive weight: others neither train nor count."""
    if weight is None or (weight > 0).all():
        return X, y, weight
    rows = np.flatnonzero(weight)
    return some_rows(X, rows, rows if pairwise else None), y[rows], weight[rows]


def fit_machine(machine: Any, X: Any, y: NDArray[Any], weight: FloatArray | None) -> Any:
    """The machine fitted, with weights if there are any."""
    return machine.fit(X, y) if weight is None else machine.fit(X, y, sample_weight=weight)


def with_one_thread(machine: Any) -> Any:
    """The machine with one thread, unless it was given a number: others run beside it."""
    parameters = machine.get_params()
    names = [name for name in parameters if name.split("__")[-1] == "n_threads"]
    return machine.set_params(**{name: 1 for name in names if parameters[name] is None})


def checked_alpha(alpha: Any) -> float:
    """A level between 0 and 1."""
    if not isinstance(alpha, Real) or not 0.0 < float(alpha) < 1.0:
        raise ValueError(f"alpha must be a number in (0, 1), got {alpha!r}")
    return float(alpha)
