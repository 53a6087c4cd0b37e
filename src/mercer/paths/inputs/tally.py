"""How far one call has come: the same clock and the same count over all its paths."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from mercer.solvers.runs.progress import Progress

__all__ = ["Tally"]


@dataclass(eq=False)
class Tally:
    """What has been done since the start of a call.

    Attributes
    ----------
    began, told : float
        When the call began, and when its callback was called last, by ``time.perf_counter``.
    done : int
        Breakpoints of the paths that are over.
    steps, n_free : int
        All breakpoints, and the variables that are free, as last known.
    share : float
        The sum of the absolute coefficients, as a share of their boxes, as last known.
    """

    began: float = field(default_factory=time.perf_counter)
    told: float = field(default_factory=time.perf_counter)
    done: int = 0
    steps: int = 0
    n_free: int = 0
    share: float = 0.0

    def note(self, steps: int, n_free: int) -> None:
        """Breakpoints of the present path, and its free variables; their sum never falls."""
        self.steps, self.n_free = max(self.steps, self.done + steps), n_free

    def report(self, value: float, parameter: str) -> Progress:
        """What the callback is called with now."""
        self.told = time.perf_counter()
        seconds = self.told - self.began
        return Progress.at(value, parameter, steps=self.steps, n_free=self.n_free, seconds=seconds)
