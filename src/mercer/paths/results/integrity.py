"""Whether the parts of a path fit together, asked of paths that come from a file."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.gram.native import count_rows
from mercer.paths.results.c_solutions import CSolutions
from mercer.paths.results.kernel_solutions import KernelSolutions
from mercer.paths.results.nu_svc_solutions import NuSVCSolutions
from mercer.paths.results.nu_svr_solutions import NuSVRSolutions
from mercer.paths.results.path import Path
from mercer.paths.results.segments import FREE, LOWER, UPPER, Segments
from mercer.paths.results.solutions import Solutions
from mercer.problem import Problem, Solution

__all__ = ["check_classes", "check_path", "check_solution", "check_solutions", "require"]

_START = ("exact", "artificial", "artificial, late")
_SIDES = (LOWER, FREE, UPPER)
_ROUNDING = 1e-9


def check_path(path: Path) -> None:
    """Raise ValueError unless the parts of a path fit together."""
    require(isinstance(path.solutions, Solutions), "solutions")
    for name in ("violation", "accuracy", "seconds"):
        _require_number(name, getattr(path, name))
    require(path.start in _START, f"the start is {path.start!r:.40}")
    check_solutions(path.solutions)
    if path.classes is not None:
        check_classes(path.classes, 2)
        _check_signs(path.problem)
    if path.scores is not None:
        shape = path.breakpoints.shape
        is_array = isinstance(path.scores, np.ndarray) and path.scores.dtype == np.float64
        require(is_array and path.scores.shape == shape, "scores")
    if path.rows is not None:
        highest, n_rows = int(path.problem.index.max()), count_rows(path.rows)
        require(highest < n_rows, f"index must lie in 0..{n_rows - 1}, got {highest}")
        if isinstance(path.solutions, KernelSolutions):
            same = path.problem.n_variables == n_rows
            require(same, f"solutions must be of {n_rows} rows")
            name, known = path.parameter, path.kernel
            is_there = known is not None and name in known.parameter_names
            require(is_there, f"the kernel has no parameter {name!r:.40}")


def check_solutions(at: Solutions) -> None:
    """Raise ValueError unless every array has its shape and every position lies in range."""
    if isinstance(at, NuSVCSolutions):
        require(isinstance(at.over_C, CSolutions), "over_C")
        check_solutions(at.over_C)
        return
    require(isinstance(at.problem, Problem), "problem")
    require(at.status in at.statuses, f"the status is {at.status!r:.40}")
    _check_problem(at.problem)
    if isinstance(at, KernelSolutions):
        _check_kernel_solutions(at)
        return
    if isinstance(at, CSolutions):
        _require_number("start_rate", at.start_rate)
        _require_number("C_begin", at.C_begin)
        require(0 <= at.C_begin < np.inf, f"C_begin is {at.C_begin!r:.40}")
    if isinstance(at, NuSVRSolutions):
        _require_number("C", at.C)
        _require_number("middle", at.middle)
        _check_tube(at.problem)
    _check_segments(at.segments)  # type: ignore[attr-defined]


def _require_number(name: str, value: Any) -> None:
    require(isinstance(value, Real), f"{name} must be a number, got {value!r:.40}")


def _check_kernel_solutions(at: KernelSolutions) -> None:
    """Solutions of two classes at ascending values."""
    require(isinstance(at.name, str), "the name of the parameter")
    values, n = at.values, at.problem.n_variables
    is_vector = isinstance(values, np.ndarray) and values.dtype == np.float64 and values.ndim == 1
    require(is_vector, f"{at.name} must be a vector")
    ascends = len(values) > 0 and values[0] > 0 and bool((np.diff(values) > 0).all())
    require(ascends and np.isfinite(values).all(), f"{at.name} must be positive and ascend")
    _require_number("C", at.C)
    require(np.array_equal(at.problem.index, np.arange(n)), "index must hold every row once")
    found = at.at_breakpoints
    fits = isinstance(found, tuple) and len(found) == len(values)
    require(fits, f"solutions must be {len(values)}")
    for solution in found:
        check_solution(solution, n)


def check_solution(solution: Any, n_rows: int) -> None:
    """A solution of two classes: a coefficient for each row, and a bias."""
    require(isinstance(solution, Solution), "solutions")
    require(solution.coef.shape == (n_rows,), f"solutions must be of {n_rows} rows")
    require(solution.multiplier.shape == (1,), "solutions must have one multiplier")


def check_classes(classes: Any, n_classes: int) -> None:
    """Raise ValueError unless these are so many different labels."""
    is_vector = isinstance(classes, np.ndarray) and classes.shape == (n_classes,)
    fits = is_vector and len(np.unique(classes)) == n_classes
    require(fits, f"classes must be {n_classes} different labels")


def require(condition: bool | np.bool_, fault: str) -> None:
    """Raise ValueError if the parts of an object do not fit together."""
    if not condition:
        raise ValueError(f"its arrays do not fit together: {fault}")


def _check_problem(problem: Problem) -> None:
    """One group, and a finite box; the rest a Problem checks itself."""
    require(problem.n_variables > 0, "the problem has no variables")
    for name in ("lower", "upper"):
        require(np.isfinite(getattr(problem, name)).all(), f"{name} must be finite")
    is_one = problem.n_groups == 1 and not problem.group.any()
    require(is_one, "the problem must have one group")


def _check_signs(problem: Problem) -> None:
    """Of two classes: targets are -1 and +1, and coefficients have the sign of theirs."""
    sign, lower, upper = problem.linear, problem.lower, problem.upper
    require((np.abs(sign) == 1).all(), "linear must be -1 or 1 for two classes")
    bounds = np.where(sign > 0, lower, upper), np.where(sign > 0, upper, -lower)
    require(not bounds[0].any() and (bounds[1] >= 0).all(), "the box must end at zero")
    require(len(np.unique(problem.index)) == len(sign), "index must differ for two classes")


def _check_tube(problem: Problem) -> None:
    """Two variables for each row, one not negative and one not positive, of equal size."""
    n = problem.n_variables // 2
    require(problem.n_variables == 2 * n, "there must be two variables for each row")
    twice = np.array_equal(problem.index, np.tile(np.arange(n), 2))
    require(twice, "index must hold every row twice")
    lower, upper = problem.lower, problem.upper
    ends_at_zero = not lower[:n].any() and not upper[n:].any()
    require(ends_at_zero and np.array_equal(upper[:n], -lower[n:]), "the box must be a tube's")


def _check_segments(segments: Segments) -> None:
    n, pieces = segments.n_variables, np.shape(segments.parameter)
    changes, values = np.shape(segments.changed), np.shape(segments.values)
    require(all(len(s) == 1 for s in (pieces, changes, values)), "segments must be vectors")
    require(pieces[0] > 0, "there must be a segment")
    _check_array(segments, "first_side", np.int8, (n,))
    for name in ("parameter", "bias", "bias_rate"):
        _check_array(segments, name, np.float64, pieces)
    for name in ("changes_end", "values_end"):
        _check_array(segments, name, np.int64, pieces)
    _check_array(segments, "changed", np.int64, changes)
    _check_array(segments, "side", np.int8, changes)
    for name in ("values", "rates"):
        _check_array(segments, name, np.float64, values)
        require(np.isfinite(getattr(segments, name)).all(), f"{name} must be finite")
    for name in ("first_side", "side"):
        require(np.isin(getattr(segments, name), _SIDES).all(), f"{name} must lie in -1..1")
    inside = (segments.changed >= 0) & (segments.changed < n)
    require(inside.all(), f"changed must lie in 0..{n - 1}")
    _check_ends(segments.changes_end, changes[0], "changes_end")
    _check_ends(segments.values_end, values[0], "values_end")
    _check_parameters(segments)
    fits = np.array_equal(_count_free(segments), segments.n_free)
    require(fits, "values must be those of the free variables")


def _check_array(segments: Segments, name: str, dtype: type, shape: tuple[int, ...]) -> None:
    array: Any = getattr(segments, name)
    fits = isinstance(array, np.ndarray) and array.dtype == dtype and array.shape == shape
    require(fits, f"{name} must be of {np.dtype(dtype)} and shape {shape}")


def _check_ends(ends: NDArray[np.int64], length: int, name: str) -> None:
    ascends = ends[0] >= 0 and ends[-1] == length and (ends[1:] >= ends[:-1]).all()
    require(ascends, f"{name} must ascend to {length}")


def _check_parameters(segments: Segments) -> None:
    parameter, end = segments.parameter, segments.end_parameter
    require(isinstance(end, Real), f"end_parameter must be a number, got {end!r:.40}")
    falling = np.append(parameter, end)
    falls = (falling[1:] <= falling[:-1] * (1 + _ROUNDING)).all()
    require(falls and falling[-1] >= 0, "parameter must fall, down to its end")
    # A path that ended before its first solution begins and ends at infinity.
    is_known = np.isfinite(parameter).all() or (len(parameter) == 1 and end == np.inf)
    require(is_known, "parameter must be finite")
    for name in ("bias", "bias_rate"):
        require(np.isfinite(getattr(segments, name)).all(), f"{name} must be finite")


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
