"""When a path ends before its end, and what it reports before."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from numbers import Integral
from typing import Any

from mercer.solvers.runs.deadline import Deadline
from mercer.solvers.runs.progress import Callback, Progress
from mercer.training.numbers import plain

__all__ = ["Limits", "PathCallback", "PathProgress", "check_callback", "read_limits"]

_MOST_EVENTS = 10**7
_QUIET = 0.05  # seconds


@dataclass(frozen=True)
class PathProgress:
    """How far a path has come, handed to the callback about every 50 ms.

    Attributes
    ----------
    n_events : int
        Breakpoints so far; 0 while the start is being found.
    value : float
        Where the path is, as a value of its parameter.
    n_free : int
        Free variables at present; 0 while the start is being found.
    seconds : float
        Time since the start.
    parameter : str
        The parameter of the path: "C", "nu", "epsilon" (of the tube that a path over nu of a
        regression machine follows), or one of the kernel, as "gamma".

    Examples
    --------
    >>> from mercer.paths import PathProgress
    >>> def stop_early(progress: PathProgress) -> bool:  # svc_path(X, y, callback=stop_early)
    ...     return progress.n_free > 500
    >>> stop_early(PathProgress(n_events=40, value=0.1, n_free=12, seconds=0.2))
    False
    """

    n_events: int
    value: float
    n_free: int
    seconds: float
    parameter: str = "C"


PathCallback = Callable[[PathProgress], object]


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
        Called with a :class:`PathProgress`; a true value ends the path.
    """

    C_max: float = 1e3
    max_events: int = _MOST_EVENTS
    deadline: Deadline = field(default_factory=Deadline)
    callback: PathCallback | None = None

    @contextmanager
    def shown(self, verbose: bool | int) -> Iterator[Limits]:
        """The limits, with a display of the progress in front of the callback if ``verbose``."""
        if not verbose:
            yield self
            return
        from mercer.paths.inputs.display import shown_callback

        with shown_callback(self.callback) as callback:
            yield replace(self, callback=callback)

    def told_of(self, parameter: str, value_at: Callable[[float], float]) -> Limits:
        """The limits with a callback that hears of another parameter, a function of C."""
        report = self.callback
        if report is None:
            return self

        def tell(progress: PathProgress) -> object:
            value = value_at(progress.value)
            return report(replace(progress, value=value, parameter=parameter))

        return replace(self, callback=tell)

    def watch(self, value: float, parameter: str = "C") -> Callback | None:
        """The callback for a solver at work at one value, which need not hear of short work."""
        report = self.callback
        if report is None:
            return None

        def tell(progress: Progress) -> object:
            if progress.seconds < _QUIET:
                return False
            return report(PathProgress(0, value, 0, progress.seconds, parameter))

        return tell


def read_limits(
    C_max: float, max_events: int, deadline: Deadline, callback: PathCallback | None
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
