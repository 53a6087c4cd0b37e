"""What a running solver reports."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

__all__ = ["Callback", "Progress", "monitor"]


@dataclass(frozen=True)
class Progress:
    """The state of a run, handed to the callback about every 50 ms.

    Attributes
    ----------
    iteration : int
        Steps taken so far.
    violation : float
        Largest KKT violation among the active variables.
    objective : float
        Dual objective.
    n_active : int
        Variables that take part at present.
    seconds : float
        Time since the start.
    """

    iteration: int
    violation: float
    objective: float
    n_active: int
    seconds: float


Callback = Callable[[Progress], object]


def monitor(callback: Callback | None) -> Callable[..., bool] | None:
    """The callback as the core calls it: with numbers, returning whether to go on."""
    if callback is None:
        return None
    return lambda *fields: not callback(Progress(*fields))
