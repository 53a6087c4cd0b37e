"""A trial: a row is added under a label, and the machine trained with it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

__all__ = ["Retrained", "Trial"]


@dataclass(frozen=True, eq=False)
class Trial:
    """Margins of all rows and, last, of the new one, each with its own label.

    Those nearer to each other than ``slack`` may be equal: the machine is not more exact.
    """

    margins: NDArray[np.float64]
    slack: float


class Retrained(Protocol):
    """Machines trained with one more row."""

    def trials(self, Z: Any) -> Iterator[list[Trial]]:
        """For each new row a trial of each label."""
