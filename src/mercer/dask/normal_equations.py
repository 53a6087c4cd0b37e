"""K_mn W K_nm and K_mn W y, block by block (Rifkin 2002, section 3.7.2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.least_squares.moments import Moments
from mercer.machines.least_squares.streaming import Stream

__all__ = ["NormalEquations", "add_block"]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class NormalEquations:
    """What least squares needs of some rows: m x m numbers.

    Attributes
    ----------
    moments : Moments
        Of the features and targets.
    diagonal : float
        Weighted sum of k(x, x).
    """

    moments: Moments
    diagonal: float

    def merge(self, other: NormalEquations) -> NormalEquations:
        """Of both sets of rows."""
        return NormalEquations(self.moments.merged(other.moments), self.diagonal + other.diagonal)


def add_block(shared: Any, number: int, start: int, X: Any, y: Any, weight: Any) -> NormalEquations:
    """The normal equations of a block; ``shared`` is what reads rows, and the stream."""
    reader, stream = shared
    X, targets, weights, _, _ = reader(X, y, weight)
    own: Stream = stream.emptied()
    own.add(X, targets, weights)
    return NormalEquations(own.moments[0], own.diagonal)
