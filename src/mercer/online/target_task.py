"""What a regressor learns from a stream: one function of two variables an example."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

__all__ = ["NEAR", "TargetTask", "Task"]

FloatArray = NDArray[np.float64]
# Distance from the margin, in units of it, up to which examples without a coefficient are kept.
NEAR = 0.1


class Task(Protocol):
    """What is learned: functions, and the variables that an example has in each."""

    @property
    def n_functions(self) -> int:
        """Number of functions."""

    @property
    def variables_per_row(self) -> int:
        """Variables of an example in each function."""

    @property
    def slack(self) -> float:
        """How far from the margin an example may lie that is kept without a coefficient."""

    @property
    def has_values(self) -> bool:
        """Whether values of the functions tell classes apart."""

    def terms(self, targets: NDArray[Any], weight: FloatArray) -> FloatArray:
        """Linear term and box of each variable of each example."""

    def saved(self) -> dict[str, Any]:
        """What the parameters and fitted attributes of a machine do not tell."""


@dataclass(frozen=True)
class TargetTask:
    """Targets within a tube.

    Attributes
    ----------
    C : float
        Regularization parameter.
    epsilon : float
        Half-width of the tube.
    """

    C: float
    epsilon: float

    n_functions: ClassVar[int] = 1
    variables_per_row: ClassVar[int] = 2
    has_values: ClassVar[bool] = False

    @property
    def slack(self) -> float:
        return NEAR * float(self.epsilon)

    def terms(self, targets: NDArray[Any], weight: FloatArray) -> FloatArray:
        """y - epsilon in [0, C w], and y + epsilon in [-C w, 0]."""
        size, zero = self.C * weight, np.zeros(len(weight))
        up = (targets - self.epsilon, zero, size)
        return np.stack([*up, targets + self.epsilon, -size, zero], axis=1)

    def saved(self) -> dict[str, Any]:
        return {}
