"""Grids and error curves, and whether their parts fit together."""

from __future__ import annotations

from dataclasses import fields
from math import prod
from typing import Any

import numpy as np

from mercer.codes import OutputCode
from mercer.codes.decoding import DECODINGS
from mercer.io.consistency import is_number, require, require_array
from mercer.io.path_parts import check_rows
from mercer.io.recipe import Recipe, State, by_fields
from mercer.paths import ErrorCurve, Grid, StepFunction
from mercer.paths.inputs.kernel_values import KernelValues
from mercer.paths.results.integrity import check_classes, check_solution

__all__ = ["GRID_STATUSES", "PATH_RESULTS"]

GRID_STATUSES = ("complete", "max-time", "callback")


def _check_scores(scores: Any, shape: tuple[int, ...]) -> None:
    """None, or numbers; NaN where time was over."""
    is_array = isinstance(scores, np.ndarray) and scores.dtype == np.float64
    require(scores is None or (is_array and scores.shape == shape), "scores")


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
    n_classes = max(np.size(state["classes"]), 2)
    n_parts = _check_code(state, n_classes) or n_classes * (n_classes - 1) // 2
    cells = shape if n_classes == 2 else (*shape, n_parts)
    fits = len(kernels) == shape[0] > 0 and len(state["solutions"]) == prod(cells) > 0
    require(fits, f"there must be solutions for {shape[0]} gamma and {shape[1]} C")
    for kernel in kernels:
        check_rows(kernel, first.rows, first.training)
    solutions = np.empty(len(state["solutions"]), dtype=object)
    for k, solution in enumerate(state["solutions"]):
        if solution is not None:
            check_solution(solution, first.rows.shape[0])
        solutions[k] = solution
    _check_scores(state["scores"], shape)
    check_classes(state["classes"], n_classes)
    require(state["status"] in GRID_STATUSES, f"the status is {state['status']!r:.40}")
    values = tuple(
        KernelValues(kernel, first.rows, first.training, shift=first.shift) for kernel in kernels
    )
    return Grid(**(state | {"solutions": solutions.reshape(cells), "kernel_values": values}))


def _check_code(state: State, n_classes: int) -> int:
    """The number of its columns; 0 for pairs of classes."""
    code, decoding = state.get("code"), state.get("decoding")
    require(decoding is None or decoding in DECODINGS, "decoding")
    if code is None:
        require(decoding is None, "decoding is of a code")
        return 0
    fits = isinstance(code, OutputCode) and len(code.matrix) == n_classes > 2
    require(fits, f"the code must have {n_classes} rows")
    return int(code.n_columns)


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
    Recipe("Grid", Grid, _take_grid, _make_grid),
    by_fields(ErrorCurve, _checked_curve),
    by_fields(StepFunction, _checked_steps),
)
