"""Losses of held-out rows, and their derivatives by the decision value."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

__all__ = ["SMOOTH_LOSSES", "SmoothLoss"]

FloatArray = NDArray[np.float64]
# Of targets and decision values: losses, and their derivatives by the latter.
SmoothLoss = Callable[[FloatArray, FloatArray], tuple[FloatArray, FloatArray]]


def squared(target: FloatArray, value: FloatArray) -> tuple[FloatArray, FloatArray]:
    """(t - f)^2."""
    apart = value - target
    return apart**2, 2.0 * apart


def logistic(target: FloatArray, value: FloatArray) -> tuple[FloatArray, FloatArray]:
    """log(1 + exp(-t f))."""
    margin = target * value
    return np.logaddexp(0.0, -margin), -target * expit(-margin)


SMOOTH_LOSSES: dict[str, SmoothLoss] = {"squared": squared, "logistic": logistic}
