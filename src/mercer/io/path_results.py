"""Kernel paths, grids and error curves, and whether their parts fit together."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np

from mercer.io.consistency import is_number, require, require_array
from mercer.io.path_parts import check_rows
from mercer.io.recipe import Recipe, State, by_fields
from mercer.kernels import Gaussian
from mercer.paths import ErrorCurve, Grid, KernelPath, StepFunction
from mercer.paths.inputs.kernel_values import KernelValues
from mercer.paths.results.integrity import check_classes
from mercer.problem import Problem, Solution

__all__ = ["PATH_RESULTS"]


def _check_found(solution: Any, n_rows: int) -> None:
    """A solution of two classes: a coefficient for each row, and a bias."""
    require(isinstance(solution, Solution), "solutions")
    require(solution.coef.shape == (n_rows,), f"solutions must be of {n_rows} rows")
    require(solution.multiplier.shape == (1,), "solutions must have one multiplier")


def _check_scores(scores: Any, shape: tuple[int, ...]) -> None:
    """None, or numbers; NaN where time was over."""
    is_array = isinstance(scores, np.ndarray) and scores.dtype == np.float64
    require(scores is None or (is_array and scores.shape == shape), "scores")


def _checked_kernel_path(path: KernelPath) -> KernelPath:
    n_gamma = np.size(path.gamma)
    require_array(path.gamma, "gamma", "f", (n_gamma,))
    ascends = n_gamma > 0 and path.gamma[0] > 0 and bool((np.diff(path.gamma) > 0).all())
    require(ascends, "gamma must be positive and ascend")
    check_rows(Gaussian(float(path.gamma[0])), path.rows, path.training)
    n_rows = path.rows.shape[0]
    require(isinstance(path.problem, Problem), "problem")
    require(np.array_equal(path.problem.index, np.arange(n_rows)), "index")
    require(path.problem.n_groups == 1, "the problem must have one group")
    is_tuple = isinstance(path.solutions, tuple) and len(path.solutions) == n_gamma
    require(is_tuple, f"solutions must be {n_gamma}")
    for solution in path.solutions:
        _check_found(solution, n_rows)
    _check_scores(path.scores, (n_gamma,))
    check_classes(path.classes, 2)
    require(is_number(path.C) and is_number(path.gap), "C and gap must be numbers")
    require(path.status in ("gamma_max", "max-time", "callback"), "the status is unknown")
    return path


def _take_grid(grid: Grid) -> State:
    state = {field.name: getattr(grid, field.name) for field in fields(grid)}
    # The kernels differ, the rows do not.
    return state | {
        "solutions": grid.solutions.ravel().tolist(),
        "kernels": [values.kernel for values in grid.kernel_values],
        "kernel_values": grid.kernel_values[0],
    }


def _make_grid(state: State) -> Grid:
    first, kernels = state["kernel_values"], state.pop("kernels")
    require(isinstance(first, KernelValues) and first.low_rank is None, "kernel_values")
    shape = np.size(state["gamma"]), np.size(state["C"])
    _check_scores(state["gamma"], shape[:1])
    require_array(state["C"], "C", "f", shape[1:])
    fits = len(kernels) == shape[0] > 0 and len(state["solutions"]) == shape[0] * shape[1] > 0
    require(fits, f"there must be solutions for {shape[0]} gamma and {shape[1]} C")
    for kernel in kernels:
        check_rows(kernel, first.rows, first.training)
    solutions = np.empty(len(state["solutions"]), dtype=object)
    for k, solution in enumerate(state["solutions"]):
        if solution is not None:
            _check_found(solution, first.rows.shape[0])
        solutions[k] = solution
    _check_scores(state["scores"], shape)
    check_classes(state["classes"], 2)
    require(state["status"] in ("complete", "max-time", "callback"), "the status is unknown")
    values = tuple(
        KernelValues(kernel, first.rows, first.training, origin=first.origin) for kernel in kernels
    )
    return Grid(**(state | {"solutions": solutions.reshape(shape), "kernel_values": values}))


def _checked_curve(curve: ErrorCurve) -> ErrorCurve:
    for name in ("x", "start", "slope", "bend"):
        require_array(getattr(curve, name), name, "f", (np.size(curve.x),))
    require(is_number(curve.end) and np.size(curve.x) > 0, "end must be a number")
    require(bool((np.diff(curve.x, append=curve.end) >= 0).all()), "x must ascend, up to end")
    return curve


def _checked_steps(steps: StepFunction) -> StepFunction:
    require(is_number(steps.end), "end must be a number")
    return steps


PATH_RESULTS = (
    by_fields(KernelPath, _checked_kernel_path),
    Recipe("Grid", Grid, _take_grid, _make_grid),
    by_fields(ErrorCurve, _checked_curve),
    by_fields(StepFunction, _checked_steps),
)
