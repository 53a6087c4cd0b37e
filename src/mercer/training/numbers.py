"""Numbers people hand over: checked, and shown as Python prints them."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["interval", "plain", "positive", "positive_vector", "real"]

FloatArray = NDArray[np.float64]


def plain(value: Any) -> Any:
    """A number as Python prints it, whatever NumPy made of it."""
    return value.item() if isinstance(value, np.generic) else value


def real(name: str, value: Any) -> float:
    """``value``, if it is one real number, also as an array without axes."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if not isinstance(value, Real) or isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} must be a number, got {plain(value)!r}")
    return float(value)


def positive(name: str, value: Any, *, is_finite: bool = False) -> float:
    """``value``, if it is a positive number."""
    number = real(name, value)
    if not number > 0 or (is_finite and number == np.inf):
        kind = "positive and finite" if is_finite else "positive"
        raise ValueError(f"{name} must be {kind}, got {plain(value)!r}")
    return number


def positive_vector(name: str, values: ArrayLike) -> FloatArray:
    """``values`` in ascending order, if they are positive finite numbers."""
    try:
        array = np.atleast_1d(np.asarray(values, dtype=np.float64))
    except (TypeError, ValueError):
        raise TypeError(f"{name} must be positive numbers, got {values!r}") from None
    if array.ndim != 1 or not len(array) or not ((array > 0) & np.isfinite(array)).all():
        raise ValueError(f"{name} must be positive numbers, all finite, got {array.tolist()}")
    return np.sort(array)


def interval(low: float, high: float) -> str:
    """From one number to another, zero, which must not be taken, left out."""
    return f"{'(' if low == 0 else '['}{low:.6g}, {high:.6g}]"
