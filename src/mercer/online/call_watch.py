"""The callback of a call of an online machine, which may solve many problems."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace

from mercer.solvers.runs.progress import Callback, Progress

__all__ = ["CallWatch"]


@dataclass
class CallWatch:
    """Hears the reports of all epochs, chunks and functions of a call.

    Attributes
    ----------
    callback : callable or None
        That of the machine: a true value ends all of the call.
    began : float
        When the call began, by ``time.perf_counter``.
    n_before : int
        Examples of the runs that have ended, so that counts do not go back.
    is_over : bool
        Whether the callback has asked for an end; it is not asked again.
    """

    callback: Callback | None
    began: float = field(default_factory=time.perf_counter)
    n_before: int = 0
    is_over: bool = False

    def hear(self, progress: Progress) -> bool:
        """The callback of each run; whether the run is to end."""
        if not self.is_over and self.callback is not None:
            iteration = self.n_before + progress.iteration
            seconds = time.perf_counter() - self.began
            report = replace(progress, iteration=iteration, seconds=seconds)
            self.is_over = bool(self.callback(report))
        return self.is_over

    @property
    def what_ended(self) -> str:
        """The reason of an early end."""
        return "the callback" if self.is_over else "max_time"
