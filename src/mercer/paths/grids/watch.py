"""The clock and the callback of a grid."""

from __future__ import annotations

import threading
import time

from mercer.paths.inputs.limits import Limits
from mercer.solvers.runs.progress import Progress

__all__ = ["Watch"]

_QUIET = 0.5  # seconds without a solution before a call in between


class Watch:
    """Calls the callback with each solution, and now and then while none is ready.

    Parameters
    ----------
    limits : Limits
        The deadline and the callback.
    """

    def __init__(self, limits: Limits) -> None:
        self.limits, self.n_solutions, self.status = limits, 0, ""
        self._began = self._last_call = time.perf_counter()
        self._at = (0.0, 0)
        self._lock = threading.Lock()

    @property
    def is_over(self) -> bool:
        """Whether the grid has to end."""
        return bool(self.status) or self.limits.deadline.is_over

    def tell(self, C: float, n_free: int) -> bool:
        """Report one more solution; whether the callback wants to end."""
        with self._lock:
            self.n_solutions += 1
            self._at = (C, n_free)
            return self._call()

    def wait(self, progress: Progress) -> bool:
        """For solvers at work, on any thread: whether the callback wants to end."""
        with self._lock:
            if time.perf_counter() - self._last_call > _QUIET:
                self._call()
            return bool(self.status)

    def _call(self) -> bool:
        now = time.perf_counter()
        self._last_call = now
        report = self.limits.callback
        if self.status or report is None:
            return bool(self.status)
        (C, n_free), seconds = self._at, now - self._began
        progress = Progress.at(C, "C", steps=self.n_solutions, n_free=n_free, seconds=seconds)
        self.status = "callback" if report(progress) else ""
        return bool(self.status)
