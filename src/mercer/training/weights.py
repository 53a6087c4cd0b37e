"""Weights of rows: read, and sums of them that are numbers."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer._sklearn import check_sample_weight
from mercer.training.checked_input import naming
from mercer.training.numbers import plain

__all__ = ["check_bounds", "check_total", "check_weight", "read_weight", "unit_weight"]

FloatArray = NDArray[np.float64]


def check_weight(sample_weight: ArrayLike | None, n_rows: int) -> FloatArray:
    """A weight for each of ``n_rows`` rows: none negative, not all zero; 1 if not given."""
    if sample_weight is None:
        return np.ones(n_rows)
    with naming(sample_weight=sample_weight):
        weight = check_sample_weight(sample_weight, np.empty((n_rows, 0)), dtype=np.float64)
    if (weight < 0).any():
        raise ValueError(
            f"sample_weight must not be negative, got a smallest weight of {float(weight.min())!r}"
        )
    if not (weight > 0).any():
        raise ValueError("sample_weight must have a positive entry, got only zeros")
    return np.asarray(weight)


def check_total(weight: FloatArray) -> FloatArray:
    """``weight``, if sums of weights are numbers."""
    total = float(np.ldexp(weight, -8).sum())
    if not total < np.ldexp(np.finfo(np.float64).max, -10):
        raise ValueError(
            "sample_weight, times class_weight, must add up to less than 4e307, got a largest "
            f"weight of {float(weight.max())!r}"
        )
    return weight


def check_bounds(name: str, C: float, weight: FloatArray) -> None:
    """Refuse a C whose bounds, C times the weights, have a sum that overflows."""
    largest = float(weight.max())
    total = float(np.ldexp(weight / largest, -8).sum())
    # in logarithms, which do not overflow
    if np.log2(C) + np.log2(largest) + np.log2(total) > 1013:
        raise ValueError(
            f"{name} times the sum of sample_weight must be less than 4e307, got {plain(C)!r} "
            f"times weights of up to {largest!r}"
        )


def unit_weight(weight: FloatArray) -> FloatArray:
    """Weights of which shares count, the largest between 1/2 and 1.

    A power of two is taken out, which rounds nothing, so that no sum of weights overflows.
    """
    return np.asarray(np.ldexp(weight, -int(np.frexp(weight.max())[1])))


def read_weight(sample_weight: ArrayLike | None, n_rows: int) -> FloatArray:
    """A weight for each of ``n_rows`` rows, none negative, not all zero, of which shares count."""
    return unit_weight(check_weight(sample_weight, n_rows))
