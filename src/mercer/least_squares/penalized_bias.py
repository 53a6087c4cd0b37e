"""The bias as the weight of a feature that is 1 (Rifkin 2002, section 2.6.2)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.least_squares.job import Job

__all__ = ["split_bias", "with_constant"]

FloatArray = NDArray[np.float64]


def with_constant(features: FloatArray, wanted: bool) -> FloatArray:
    """Features with a last one that is 1, if wanted; in Fortran order."""
    if not wanted:
        return features
    out = np.ones((features.shape[0], features.shape[1] + 1), order="F")
    out[:, :-1] = features
    return out


def split_bias(job: Job, weights: FloatArray, intercept: FloatArray) -> dict[str, Any]:
    """The weight of the constant feature is the bias."""
    if not job.penalized:
        return {"weights": weights, "intercept": intercept}
    return {"weights": weights[:-1], "intercept": weights[-1]}
