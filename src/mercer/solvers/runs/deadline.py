"""The moment a caller wants an answer at, handed down to everything that takes time."""

from __future__ import annotations

import time
from dataclasses import dataclass
from numbers import Real

import numpy as np

__all__ = ["Deadline", "OutOfTime"]


class OutOfTime(Exception):
    """The deadline came before what was asked for was known."""


@dataclass(frozen=True)
class Deadline:
    """A moment to stop at.

    Attributes
    ----------
    moment : float
        By :func:`time.perf_counter`; infinite for none.
    """

    moment: float = np.inf

    @classmethod
    def after(cls, max_time: float | None) -> Deadline:
        """``max_time`` seconds from now; None for never."""
        if max_time is None:
            return cls()
        if not isinstance(max_time, Real) or not max_time >= 0:
            raise ValueError(f"max_time must be None or seconds, not negative, got {max_time}")
        return cls(time.perf_counter() + float(max_time))

    @property
    def seconds_left(self) -> float:
        """Time until then, not negative, at most a number the core can hold."""
        return min(max(self.moment - time.perf_counter(), 0.0), 1e300)

    @property
    def is_over(self) -> bool:
        """Whether the moment has come."""
        return time.perf_counter() >= self.moment
