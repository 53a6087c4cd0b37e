"""What `gamma` may be: a number, an array, a matrix, or the name of a rule."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from mercer.kernels.parameters.hyperparameters import check_positive
from mercer.kernels.rows import FloatArray

__all__ = ["Metric", "check_gamma", "checked_gamma", "checked_metric", "resolved_number"]

Metric = Literal["radial", "diagonal", "full"]
METRICS: tuple[Metric, ...] = ("radial", "diagonal", "full")


def check_gamma(gamma: Any, *, median: bool = True) -> None:
    """Refuse anything but a positive number or the name of a rule."""
    rules = ["scale", "auto", "median"] if median else ["scale", "auto"]
    if not isinstance(gamma, str):
        check_positive("gamma", gamma)
    elif gamma not in rules:
        raise ValueError(f"gamma must be a positive number or one of {rules}, got {gamma!r}")


def resolved_number(gamma: float | str, owner: str) -> float:
    """Return gamma as a number, or say that it is none yet."""
    if isinstance(gamma, str):
        raise ValueError(
            f"gamma={gamma!r} of {owner} is not a number yet: "
            "use the kernel that resolve(X) returns"
        )
    return float(gamma)


def checked_gamma(gamma: Any) -> float | str | FloatArray:
    """Return gamma as a float, a rule, or a new array: positive, or symmetric and definite."""
    if isinstance(gamma, str) or np.ndim(gamma) == 0:
        check_gamma(gamma)
        return gamma if isinstance(gamma, str) else float(gamma)
    array = np.array(gamma, dtype=np.float64)
    if not np.all(np.isfinite(array)):
        raise ValueError(f"gamma must be finite, got {array}")
    if array.ndim == 1 and array.size and np.all(array > 0):
        return array
    if array.ndim == 2 and _is_positive_definite(array):
        return (array + array.T) / 2.0
    raise ValueError(
        "gamma must be a positive number, an array of positive numbers or a symmetric positive "
        f"definite matrix, got {array} of shape {array.shape}"
    )


def checked_metric(metric: Any, gamma: float | str | FloatArray) -> Metric:
    """Return the metric, taken from the shape of gamma if None."""
    dimensions = np.ndim(gamma)
    inferred = METRICS[dimensions]
    if metric is None:
        return inferred
    if metric not in METRICS:
        raise ValueError(f"metric must be one of {list(METRICS)} or None, got {metric!r}")
    if dimensions and metric != inferred:
        raise ValueError(
            f"metric={metric!r} does not fit gamma of shape {np.shape(gamma)}, whose metric "
            f"is {inferred!r}"
        )
    return METRICS[METRICS.index(metric)]


def _is_positive_definite(matrix: FloatArray) -> bool:
    if matrix.shape[0] != matrix.shape[1] or not matrix.size:
        return False
    if np.abs(matrix - matrix.T).max() > 1e-10 * np.abs(matrix).max():
        return False
    try:
        np.linalg.cholesky((matrix + matrix.T) / 2.0)
    except np.linalg.LinAlgError:
        return False
    return True
