"""Checks of the arguments of formulations, before any kernel value is computed."""

from __future__ import annotations

from numbers import Real

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer import _core

FloatArray = NDArray[np.float64]
LARGEST_SQUARED = 1e120  # of targets
_HEAVIEST = 1e300  # sum of weights: kernel values may be larger than 1
_LEAST_EXPONENT, _MOST_EXPONENT = -400, 40  # of 2, of the largest weight of a nu machine


def check_scalar(
    name: str,
    value: float,
    low: float = 0.0,
    high: float = np.inf,
    *,
    closed_low: bool = False,
    closed_high: bool = False,
) -> float:
    """``value`` as a float inside the interval, or an error that names both.

    A closed end forgives rounding: a value beyond it by 1e-12 (relative) becomes the end.
    """
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (float, Real, np.number)):
        raise TypeError(f"{name} must be a real number, got {value!r}")
    number = float(value)
    if closed_low and low * (1 - 1e-12) <= number < low:
        return low
    if closed_high and high < number <= high * (1 + 1e-12):
        return high
    above = number >= low if closed_low else number > low
    below = number <= high if closed_high else number < high
    if not (above and below):
        interval = f"{'[' if closed_low else '('}{low!r}, {high!r}{']' if closed_high else ')'}"
        raise ValueError(f"{name} must lie in {interval}, got {value!r}")
    return number


def check_choice(name: str, value: object, allowed: tuple[object, ...]) -> None:
    """Refuse a value that is not one of those allowed."""
    if value not in allowed:
        raise ValueError(f"{name} must be one of {allowed}, got {value!r}")


def check_count(name: str, value: int) -> int:
    """``value`` as a positive number of rows."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)):
        raise TypeError(f"{name} must be an integer, got {value!r}")
    if value < 1:
        raise ValueError(f"{name} must be at least 1, got {value}")
    return int(value)


def check_vector(name: str, values: ArrayLike) -> FloatArray:
    """``values`` as a finite, non-empty vector."""
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1 or not len(array):
        raise ValueError(f"{name} must be a non-empty vector, got shape {array.shape}")
    if not np.isfinite(array).all():
        i = int(np.flatnonzero(~np.isfinite(array))[0])
        raise ValueError(f"{name} must be finite, got {name}[{i}]={array[i]}")
    return array


def check_weight(weight: ArrayLike | None, n: int) -> FloatArray:
    """Weights of the rows: all ones by default, never negative, not all zero."""
    if weight is None:
        return np.ones(n)
    array = check_vector("weight", np.full(n, weight) if np.ndim(weight) == 0 else weight)
    if array.shape != (n,):
        raise ValueError(f"weight must have one entry per row ({n}), got {len(array)}")
    if array.min() < 0:
        i = int(np.flatnonzero(array < 0)[0])
        raise ValueError(f"weight must not be negative, got weight[{i}]={array[i]}")
    if not array.any():
        raise ValueError("weight must not be zero for every row")
    return array


def in_range(weight: FloatArray) -> tuple[FloatArray, float]:
    """Weights that have to do with each other only, and the factor that brings them back.

    They are measured from the largest, up to a power of 2, where that is out of a range in which
    sums and squares keep their digits. What is then less than any number is 0.
    """
    exponent = int(np.frexp(weight.max())[1])
    with np.errstate(over="ignore"):
        if not weight.sum() <= _HEAVIEST:
            raise ValueError(
                f"the sum of weight must be at most {_HEAVIEST:g}, got weights of up to "
                f"{float(weight.max())!r}"
            )
    if _LEAST_EXPONENT <= exponent <= _MOST_EXPONENT:
        return weight, 1.0
    return np.ldexp(weight, -exponent), float(np.ldexp(1.0, exponent - 1)) * 2.0


def are_in_range(largest: FloatArray, total: FloatArray) -> bool:
    """Whether :func:`in_range` leaves weights with these largest ones and sums as they are."""
    exponent = np.frexp(largest)[1]
    is_plain = (exponent >= _LEAST_EXPONENT) & (exponent <= _MOST_EXPONENT)
    return bool((is_plain & (total <= _HEAVIEST)).all())


def check_labels(y: ArrayLike, weight: ArrayLike | None = None) -> tuple[FloatArray, FloatArray]:
    """Labels in {-1, +1} and weights, with some weight left on both classes."""
    if _are_weighted_labels(y, weight):
        return y, weight  # type: ignore[return-value]
    labels = check_vector("y", y)
    above, below = labels == 1.0, labels == -1.0
    counts = {1: np.count_nonzero(above), -1: np.count_nonzero(below)}
    if counts[1] + counts[-1] < len(labels):
        i = int(np.flatnonzero(~(above | below))[0])
        raise ValueError(f"y must hold labels -1 and +1, got y[{i}]={labels[i]}")
    w = check_weight(weight, len(labels))
    for label, members in ((-1, below), (1, above)):
        if not counts[label]:
            raise ValueError(f"y must hold both classes, got only label {-label:+d}")
        if not w[members].any():
            raise ValueError(f"weight must not be zero for the whole class {label:+d}")
    return labels, w


def _are_weighted_labels(y: object, weight: object) -> bool:
    """Whether nothing needs converting and, by one pass in the core, nothing is to be refused."""
    for array in (y, weight):
        if not isinstance(array, np.ndarray) or array.dtype != np.float64 or array.ndim != 1:
            return False
    return bool(_core.are_weighted_signs(y, weight))  # type: ignore[arg-type]


def check_targets(y: ArrayLike, weight: ArrayLike | None = None) -> tuple[FloatArray, FloatArray]:
    """Finite regression targets and their weights."""
    targets = check_vector("y", y)
    return targets, check_weight(weight, len(targets))


def check_squared_targets(
    y: ArrayLike, weight: ArrayLike | None = None
) -> tuple[FloatArray, FloatArray]:
    """Targets of a squared loss: their squares, too, must be finite by a wide margin."""
    targets, w = check_targets(y, weight)
    large = np.abs(targets) > LARGEST_SQUARED
    if large.any():
        i = int(np.flatnonzero(large)[0])
        raise ValueError(
            f"y must lie within [-{LARGEST_SQUARED:g}, {LARGEST_SQUARED:g}] for a squared loss, "
            f"got y[{i}]={targets[i]}"
        )
    return targets, w


def check_finite_C(C: float, loss: str) -> float:
    """``C``, if it is finite: an infinite C leaves no loss, only constraints on the margin."""
    if np.inf == C:
        raise ValueError(f"C must be finite with loss={loss!r}, got {C!r}")
    return C
