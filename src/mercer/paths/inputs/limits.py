"""When a path ends early, and what it reports on the way."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from numbers import Integral
from typing import Any

from mercer.paths.inputs.tally import Tally
from mercer.solvers.runs.deadline import Deadline
from mercer.solvers.runs.progress import Callback, Progress
from mercer.training.numbers import plain

__all__ = ["Limits", "check_callback", "read_limits"]

_MOST_EVENTS = 10**7
_QUIET = 0.05  # seconds without a call


@dataclass(frozen=True)
class Limits:
    """When to stop following a path.

    Attributes
    ----------
    C_max : float
        Largest C; infinite follows the path to its end.
    max_events : int
        Largest number of breakpoints.
    deadline : Deadline
        Moment to stop at.
    callback : callable or None
        Called with a :class:`~mercer.solvers.Progress`; a true value ends the path.
    tally : Tally
        What has been done so far, of all paths that are followed within these limits.
    """

    C_max: float = 1e3
    max_events: int = _MOST_EVENTS
    deadline: Deadline = field(default_factory=Deadline)
    callback: Callback | None = None
    tally: Tally = field(default_factory=Tally)

    @contextmanager
    def shown(self, verbose: bool | int) -> Iterator[Limits]:
        """The limits, with a display of the progress in front of the callback if ``verbose``."""
        if not verbose:
            yield self
            return
        from mercer.machines.verbose import progress_display

        with progress_display(1, "path") as display:
            yield replace(self, callback=display.watch(0, self.callback))

    def reporting(self, parameter: str, value_at: Callable[[float], float]) -> Limits:
        """The limits with a callback that is given another parameter; ``value_at`` maps C."""
        report = self.callback
        if report is None:
            return self

        def tell(progress: Progress) -> object:
            value = value_at(progress.value)
            return report(replace(progress, value=value, parameter=parameter))

        return replace(self, callback=tell)

    def tell(self, value: float, parameter: str = "C") -> bool:
        """Report where the call is, if it is time to; whether the callback wants to end."""
        if self.callback is None or time.perf_counter() - self.tally.told < _QUIET:
            return False
        return bool(self.callback(self.tally.report(value, parameter)))

    def watch(self, value: float, parameter: str = "C") -> Callback | None:
        """The callback of a solver at work at one value; it is not called for short work."""
        if self.callback is None:
            return None
        return lambda progress: self.tell(value, parameter)


def read_limits(
    C_max: float, max_events: int, deadline: Deadline, callback: Callback | None
) -> Limits:
    """The limits of a path, checked; -1 events for as many as there are."""
    if not isinstance(max_events, Integral) or max_events < -1:
        raise ValueError(
            f"max_events must be -1 or a number of events, not negative, got {plain(max_events)!r}"
        )
    most = _MOST_EVENTS if max_events < 0 else int(max_events)
    return Limits(float(C_max), most, deadline, check_callback(callback))


def check_callback(callback: Any) -> Any:
    """``callback``, if it can be called or is None."""
    if callback is not None and not callable(callback):
        raise TypeError(f"callback must be a function or None, got {callback!r}")
    return callback
