"""The report of a running solver, path, grid or stream."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from mercer._shown import shown

__all__ = ["Callback", "Progress", "continued", "ending_all", "monitor"]


@dataclass(frozen=True)
class Progress:
    """How far a fit, a path, a grid or a stream has come: what its callback is called with.

    When many problems are solved together, the report covers all of them: the steps and the
    objectives of the solved ones, and the variables of the others.

    Attributes
    ----------
    iteration : int
        The steps so far: iterations of a solver, breakpoints of a path (0 until its first solution
        is found; those of all folds count) or solutions of one over a kernel's parameter, solutions
        of a grid, examples of a stream.
    violation : float
        Largest KKT violation among the active variables; infinite where it is not known, as on
        paths, whose solutions are exact.
    objective : float
        Dual objective; NaN on paths and grids.
    n_active : int
        Variables that take part at present: on paths and grids the free ones (0 until the first
        solution is found), of a stream the examples it keeps.
    seconds : float
        Time since the start of the call.
    error : float
        Bound on the error of ``objective`` from rounded kernel values.
    parameter : str
        The parameter that a path or grid moves: "C", "nu", or one of the kernel, such as "gamma".
        Empty elsewhere.
    value : float
        The value of this parameter at present; NaN elsewhere.

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
    parameter: str = ""
    value: float = math.nan

    __repr__ = shown()

    @classmethod
    def at(
        cls, value: float, parameter: str, *, steps: int, n_free: int, seconds: float
    ) -> Progress:
        """The report of a path or grid at one value of its parameter."""
        return cls(
            steps, math.inf, math.nan, n_free, seconds, parameter=parameter, value=float(value)
        )


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
