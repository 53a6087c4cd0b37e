"""What a running solver reports."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

__all__ = ["Callback", "Progress", "continued", "ending_all", "monitor"]


@dataclass(frozen=True)
class Progress:
    """The state of a run, handed to the callback about every 50 ms.

    Of many problems that are solved together it is that of all of them: steps and objectives of
    those that are solved, and the variables of the others.

    Attributes
    ----------
    iteration : int
        Steps taken so far.
    violation : float
        Largest KKT violation among the active variables; infinite as long as it is not known.
    objective : float
        Dual objective.
    n_active : int
        Variables that take part at present.
    seconds : float
        Time since the start.
    error : float
        Bound of the error of ``objective`` that rounded kernel values have brought.

    Examples
    --------
    >>> from mercer.solvers import Progress
    >>> def stop_early(progress: Progress) -> bool:  # SVC(callback=stop_early)
    ...     return progress.seconds > 60 and progress.violation < 0.01
    >>> stop_early(Progress(iteration=900, violation=0.5, objective=1.0, n_active=80, seconds=9.0))
    False
    """

    iteration: int
    violation: float
    objective: float
    n_active: int
    seconds: float
    error: float = 0.0


Callback = Callable[[Progress], object]


def ending_all(callback: Callback) -> Callback:
    """The callback of several runs: once it has asked for an end, it ends those that follow."""
    is_over = False

    def watch(progress: Progress) -> bool:
        nonlocal is_over
        is_over = is_over or bool(callback(progress))
        return is_over

    return watch


def monitor(
    callback: Callback | None, iterations: int = 0, began: float | None = None
) -> Callable[..., bool] | None:
    """The callback as the core calls it: with numbers, returning whether to go on.

    ``iterations`` were taken before the run that reports; ``began`` is the time, by
    ``time.perf_counter``, at which the first one started.
    """
    if callback is None:
        return None

    def report(iteration: int, *fields: float) -> bool:
        progress = Progress(iterations + iteration, *fields)  # type: ignore[arg-type]
        if began is not None:
            progress = replace(progress, seconds=time.perf_counter() - began)
        return not callback(progress)

    return report


def continued(
    callback: Callback | None,
    *,
    iterations: int,
    seconds: float,
    objective: float = 0.0,
    least: float = -np.inf,
) -> Callback | None:
    """The callback of a run that goes on from another one, with what that one had reached.

    ``objective`` is what the run starts from, where it counts from zero; ``least`` what it cannot
    fall below.
    """
    if callback is None:
        return None
    return lambda progress: callback(
        replace(
            progress,
            iteration=iterations + progress.iteration,
            seconds=seconds + progress.seconds,
            objective=max(objective + progress.objective, least),
        )
    )
