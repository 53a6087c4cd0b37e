"""Numbers that stability is computed from, checked."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np

__all__ = ["at_least_zero", "count", "positive", "share"]


def _number(name: str, value: Any, wanted: str) -> float:
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"{name} must be {wanted}, got {value!r}")
    if not np.isfinite(float(value)):
        raise ValueError(f"{name} must be {wanted}, got {value!r}")
    return float(value)


def positive(name: str, value: Any) -> float:
    """A positive number."""
    number = _number(name, value, "a positive number")
    if number <= 0.0:
        raise ValueError(f"{name} must be a positive number, got {value!r}")
    return number


def at_least_zero(name: str, value: Any) -> float:
    """A number that is not negative."""
    number = _number(name, value, "a number, not negative")
    if number < 0.0:
        raise ValueError(f"{name} must be a number, not negative, got {value!r}")
    return number


def share(name: str, value: Any) -> float:
    """A number between 0 and 1."""
    number = _number(name, value, "a number in (0, 1)")
    if not 0.0 < number < 1.0:
        raise ValueError(f"{name} must be a number in (0, 1), got {value!r}")
    return number


def count(name: str, value: Any) -> int:
    """A number of rows or of classes."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < 1:
        raise ValueError(f"{name} must be a positive whole number, got {value!r}")
    return int(value)
