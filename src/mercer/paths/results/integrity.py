"""Whether the parts of a path fit together, asked of paths that come from a file."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.gram.native import count_rows
from mercer.paths.results.nu_path import NuPath
from mercer.paths.results.nu_svr_path import NuSVRPath
from mercer.paths.results.path import Path
from mercer.paths.results.segments import FREE, LOWER, UPPER, Segments
from mercer.paths.validation.cross_validation import ENDED
from mercer.problem import Problem

__all__ = ["check_classes", "check_path"]

_STATUS = {
    "Path": ("complete", "C_max", "trivial", *ENDED),
    "NuPath": ("nu_min", *ENDED),
    "NuSVRPath": ("complete", "epsilon_min", "trivial", *ENDED),
}
_START = ("exact", "artificial", "artificial, late")
_NUMBERS = {
    "Path": ("start_rate", "C_begin", "violation", "accuracy", "seconds"),
    "NuPath": ("violation",),
    "NuSVRPath": ("C", "middle", "violation"),
}
_SIDES = (LOWER, FREE, UPPER)
_ROUNDING = 1e-9


def check_path(path: Path | NuPath | NuSVRPath) -> None:
    """Raise ValueError unless every array has its shape and every position lies in range."""
    kind = type(path).__name__
    _require(path.status in _STATUS[kind], f"the status is {path.status!r:.40}")
    for name in _NUMBERS[kind]:
        value = getattr(path, name)
        _require(isinstance(value, Real), f"{name} must be a number, got {value!r:.40}")
    _check_problem(path.problem)
    if isinstance(path, Path):
        _require(path.start in _START, f"the start is {path.start!r:.40}")
        _require(0 <= path.C_begin < np.inf, f"C_begin is {path.C_begin!r:.40}")
        if path.classes is not None:
            check_classes(path.classes, 2)
            _check_signs(path.problem)
    if isinstance(path, NuSVRPath):
        _check_tube(path.problem)
    _check_segments(path.segments)
    if path.rows is not None:
        highest, n_rows = int(path.problem.index.max()), count_rows(path.rows)
        _require(highest < n_rows, f"index must lie in 0..{n_rows - 1}, got {highest}")


def check_classes(classes: Any, n_classes: int) -> None:
    """Raise ValueError unless these are so many different labels."""
    is_vector = isinstance(classes, np.ndarray) and classes.shape == (n_classes,)
    fits = is_vector and len(np.unique(classes)) == n_classes
    _require(fits, f"classes must be {n_classes} different labels")


def _require(condition: Any, fault: str) -> None:
    if not condition:
        raise ValueError(f"its arrays do not fit together: {fault}")


def _check_problem(problem: Problem) -> None:
    """One group, and a finite box; the rest a Problem checks itself."""
    _require(problem.n_variables > 0, "the problem has no variables")
    for name in ("lower", "upper"):
        _require(np.isfinite(getattr(problem, name)).all(), f"{name} must be finite")
    is_one = problem.n_groups == 1 and not problem.group.any()
    _require(is_one, "the problem must have one group")


def _check_signs(problem: Problem) -> None:
    """Of two classes: targets are -1 and +1, and coefficients have the sign of theirs."""
    sign, lower, upper = problem.linear, problem.lower, problem.upper
    _require((np.abs(sign) == 1).all(), "linear must be -1 or 1 for two classes")
    bounds = np.where(sign > 0, lower, upper), np.where(sign > 0, upper, -lower)
    _require(not bounds[0].any() and (bounds[1] >= 0).all(), "the box must end at zero")
    _require(len(np.unique(problem.index)) == len(sign), "index must differ for two classes")


def _check_tube(problem: Problem) -> None:
    """Two variables for each row, one not negative and one not positive, of equal size."""
    n = problem.n_variables // 2
    _require(problem.n_variables == 2 * n, "there must be two variables for each row")
    twice = np.array_equal(problem.index, np.tile(np.arange(n), 2))
    _require(twice, "index must hold every row twice")
    lower, upper = problem.lower, problem.upper
    ends_at_zero = not lower[:n].any() and not upper[n:].any()
    _require(ends_at_zero and np.array_equal(upper[:n], -lower[n:]), "the box must be a tube's")


def _check_segments(segments: Segments) -> None:
    n, pieces = segments.n_variables, np.shape(segments.parameter)
    changes, values = np.shape(segments.changed), np.shape(segments.values)
    _require(all(len(s) == 1 for s in (pieces, changes, values)), "segments must be vectors")
    _require(pieces[0] > 0, "there must be a segment")
    _check_array(segments, "first_side", np.int8, (n,))
    for name in ("parameter", "bias", "bias_rate"):
        _check_array(segments, name, np.float64, pieces)
    for name in ("changes_end", "values_end"):
        _check_array(segments, name, np.int64, pieces)
    _check_array(segments, "changed", np.int64, changes)
    _check_array(segments, "side", np.int8, changes)
    for name in ("values", "rates"):
        _check_array(segments, name, np.float64, values)
        _require(np.isfinite(getattr(segments, name)).all(), f"{name} must be finite")
    for name in ("first_side", "side"):
        _require(np.isin(getattr(segments, name), _SIDES).all(), f"{name} must lie in -1..1")
    inside = (segments.changed >= 0) & (segments.changed < n)
    _require(inside.all(), f"changed must lie in 0..{n - 1}")
    _check_ends(segments.changes_end, changes[0], "changes_end")
    _check_ends(segments.values_end, values[0], "values_end")
    _check_parameters(segments)
    fits = np.array_equal(_count_free(segments), segments.n_free)
    _require(fits, "values must be those of the free variables")


def _check_array(segments: Segments, name: str, dtype: type, shape: tuple[int, ...]) -> None:
    array: Any = getattr(segments, name)
    fits = isinstance(array, np.ndarray) and array.dtype == dtype and array.shape == shape
    _require(fits, f"{name} must be of {np.dtype(dtype)} and shape {shape}")


def _check_ends(ends: NDArray[np.int64], length: int, name: str) -> None:
    ascends = ends[0] >= 0 and ends[-1] == length and (ends[1:] >= ends[:-1]).all()
    _require(ascends, f"{name} must ascend to {length}")


def _check_parameters(segments: Segments) -> None:
    parameter, end = segments.parameter, segments.end_parameter
    _require(isinstance(end, Real), f"end_parameter must be a number, got {end!r:.40}")
    falling = np.append(parameter, end)
    falls = (falling[1:] <= falling[:-1] * (1 + _ROUNDING)).all()
    _require(falls and falling[-1] >= 0, "parameter must fall, down to its end")
    # A path that ended before its first solution begins and ends at infinity.
    is_known = np.isfinite(parameter).all() or (len(parameter) == 1 and end == np.inf)
    _require(is_known, "parameter must be finite")
    for name in ("bias", "bias_rate"):
        _require(np.isfinite(getattr(segments, name)).all(), f"{name} must be finite")


def _count_free(segments: Segments) -> NDArray[np.int64]:
    """Number of free variables of each segment, by who changed sides."""
    order = np.argsort(segments.changed, kind="stable")
    variable, side = segments.changed[order], segments.side[order]
    before = segments.first_side[variable]
    again = np.flatnonzero(variable[1:] == variable[:-1]) + 1
    before[again] = side[again - 1]
    more = np.empty(len(order), np.int64)
    more[order] = (side == FREE).astype(np.int64) - (before == FREE)
    total = np.append(0, np.cumsum(more)) + np.count_nonzero(segments.first_side == FREE)
    return np.asarray(total[segments.changes_end], np.int64)
