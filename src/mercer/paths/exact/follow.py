"""From a start to a path: the native event loop and what it returns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer import _core
from mercer.gram import Gram
from mercer.paths.exact.certified_part import certified_part
from mercer.paths.exact.start import Start
from mercer.paths.exact.step_over import solution_at, step_over
from mercer.paths.inputs.limits import Limits
from mercer.paths.results.segments import FREE, LOWER, UPPER, Segments
from mercer.problem import Problem
from mercer.problem.family import Family
from mercer.solvers.runs.progress import Callback

__all__ = ["Run", "coef_sizes", "follow"]

FloatArray = NDArray[np.float64]
_STATUS = {"complete": "complete", "reached": "C_max", "drifted": "precision-limit"}
_RECOVERIES = 100
_FAR = 1e8  # times the first C: up to there a path has digits to spare
_ROUGH = 1e-3  # rounding of slopes, relative to the linear term


@dataclass(frozen=True, eq=False)
class Run:
    """A followed path: its segments, how it ended, and its cost."""

    segments: Segments
    status: str
    violation: float
    coef: FloatArray
    free: NDArray[np.intp]
    parameter: float
    recoveries: int = 0


def follow(
    family: Family,
    gram: Gram,
    start: Start,
    limits: Limits,
    *,
    extra: FloatArray | None = None,
    until_zero: int | None = None,
    **options: Any,
) -> Run:
    """Follow the solutions of ``family`` from ``start``.

    If rounding spoils the state, the problem is solved afresh where it was right last, or a
    little further if it was there already, and the path goes on from there
    (docs/theory/paths.md#rounding-on-a-path).

    Parameters
    ----------
    extra : ndarray of shape (n_rows + 1,), default=None
        Kernel values of one more row, whose index is ``n_rows``.
    until_zero : int, default=None
        A variable; the path ends when it is at a bound of zero.
    **options
        Further fields of the native options.
    """
    problem = family.problem
    if start.status or start.is_trivial or start.parameter * limits.C_max <= 1.0:
        status = start.status or ("trivial" if start.is_trivial else "C_max")
        return Run(_constant(problem, start), status, 0.0, start.coef, start.free, start.parameter)
    segments, violation, recoveries, tries = None, 0.0, 0, 0
    while True:
        events = 0 if segments is None else len(segments.changed)
        settings = _options(limits, events, until_zero, options)
        if recoveries:
            settings.refresh_period = 1
        out = _core.follow_path(
            problem._native,
            gram.native("double"),
            family.sum_rate,
            family.offset,
            start.coef,
            start.free,
            start.parameter,
            start.expansion,
            extra,
            settings,
            None if limits.callback is None else _monitor(problem, limits, limits.callback, events),
        )
        if len(out["parameter"]):
            segments = _joined(segments, _segments(problem, out))
        violation = max(violation, out["violation"] if out["end"] != "drifted" else 0.0)
        if out["end"] != "drifted" or extra is not None or recoveries == _RECOVERIES:
            break
        recoveries += 1
        tries = 0 if out["last_parameter"] < start.parameter else tries + 1
        start, more = _recover(family, gram, out, start, limits, tries)
        segments = segments if more is None else _joined(segments, more)
        if start.status or start.parameter == settings.stop:
            out["end"] = "reached"
            break
    status = start.status or _STATUS.get(out["end"], out["end"])
    if segments is None:
        segments = _constant(problem, start)
    limits.tally.done += len(segments.changed)
    if extra is None and _is_doubtful(problem, gram, segments, status) and family.moves_box:
        followed, (segments, at_end) = segments, certified_part(family, gram, segments)
        violation = max(violation, at_end)
        status = status if segments is followed else "precision-limit"
    free = np.asarray(out["free"], dtype=np.intp)
    parameter = float(out["last_parameter"])
    return Run(segments, status, violation, out["coef"], free, parameter, recoveries)


def _recover(
    family: Family,
    gram: Gram,
    out: dict[str, Any],
    start: Start,
    limits: Limits,
    tries: int,
) -> tuple[Start, Segments | None]:
    """The solution where the state was right last or, after ``tries`` there, a step further."""
    if len(out["parameter"]):
        here = float(out["last_parameter"])
        start = replace(start, coef=out["coef"], bias=out["last_bias"], parameter=here)
    if tries == 0:
        there = solution_at(family, gram, start.parameter, start, limits)
        if there.status != "precision-limit":
            return there, None
    more, there = step_over(family, gram, start, limits, max(tries - 1, 0))
    return there, more


def _joined(segments: Segments | None, more: Segments) -> Segments:
    return more if segments is None else segments.followed_by(more)


def _is_doubtful(problem: Problem, gram: Gram, segments: Segments, status: str) -> bool:
    """Whether rounding may show in the last breakpoints of a path, or in its slopes there."""
    if status != "C_max":
        return status == "precision-limit"
    first, last = segments.parameter[[0, -1]]
    if 0 < last < first / _FAR < np.inf:
        return True
    end = float(segments.end_parameter)
    if not 0 < end < np.inf:
        return False
    at_end = segments.coef(len(segments) - 1, end) / end
    return gram.expansion_error(at_end, problem.index) > _ROUGH * problem.linear_size


def coef_sizes(problem: Problem, gram: Gram, run: Run) -> FloatArray:
    """Size of each row's coefficient where the path ended; all that ever moved have some."""
    sizes = np.abs(problem.row_coef(run.coef, gram.n_rows))
    moved = problem.index[run.segments.changed]
    sizes[moved] = np.maximum(sizes[moved], np.finfo(np.float64).tiny)
    return sizes


def _options(limits: Limits, events: int, until_zero: int | None, options: dict[str, Any]) -> Any:
    settings = _core.PathOptions()
    settings.stop = 0.0 if limits.C_max == np.inf else 1.0 / limits.C_max
    settings.max_events = max(limits.max_events - events, 0)
    settings.max_seconds = limits.deadline.seconds_left
    if until_zero is not None:
        settings.until_zero = until_zero
    for name, value in options.items():
        setattr(settings, name, value)
    return settings


def _monitor(
    problem: Problem, limits: Limits, callback: Callback, events: int
) -> Callable[..., bool]:
    width = float((problem.upper - problem.lower).sum())

    def report(n_events: int, parameter: float, n_free: int, size: float) -> bool:
        C = 1.0 / parameter if parameter > 0 else np.inf
        limits.tally.note(events + n_events, n_free)
        limits.tally.share = size / width
        return not callback(limits.tally.report(C, "C"))

    return report


def _first_side(problem: Problem, start: Start) -> NDArray[np.int8]:
    side = np.where(start.coef == problem.upper, UPPER, LOWER).astype(np.int8)
    side[problem.lower == problem.upper] = LOWER
    side[start.free] = FREE
    return side


def _segments(problem: Problem, out: dict[str, Any]) -> Segments:
    names = [f.name for f in fields(Segments) if f.name not in ("lower", "upper")]
    return Segments(problem.lower, problem.upper, **{name: out[name] for name in names})


def _constant(problem: Problem, start: Start) -> Segments:
    """A path on which nothing happens."""
    free, nothing = np.sort(start.free), np.zeros(0, np.int64)
    return Segments(
        problem.lower,
        problem.upper,
        _first_side(problem, start),
        np.array([start.parameter]),
        np.array([start.bias]),
        np.array([start.bias_rate]),
        np.zeros(1, np.int64),
        np.array([len(free)]),
        nothing,
        nothing.astype(np.int8),
        start.coef[free],
        np.zeros(len(free)),
        start.parameter,
    )
