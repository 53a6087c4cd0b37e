"""Inner products of long vectors, without BLAS."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["inner_product"]


def inner_product(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    """``a' b`` for vectors as long as a problem.

    A BLAS may share a sum of some thousand terms among threads of its own, which afterwards
    wait by spinning: for a while they take the cores away from the threads of the trainer. The
    terms are added in pairs, too, so that fewer digits are lost.
    """
    with np.errstate(over="ignore", invalid="ignore"):  # what is not finite is seen in the sum
        return float(np.multiply(a, b).sum())
