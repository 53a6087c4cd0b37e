"""What paths are made of: a problem, rows, and a kernel or its approximation."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from mercer.io.consistency import (
    check_kernel,
    check_values,
    is_number,
    require,
    require_array,
    require_rows,
)
from mercer.io.recipe import Recipe, State, assembled
from mercer.kernels import Kernel
from mercer.kernels.convert import KERNEL_NAMES
from mercer.kernels.precomputed import check_kernel_matrix
from mercer.lowrank import LowRank
from mercer.paths.inputs.kernel_values import KernelValues
from mercer.problem import Problem
from mercer.training.rows import TrainingRows, is_precomputed

__all__ = ["PATH_PARTS", "check_rows"]

PROBLEM = {
    "linear": "f",
    "lower": "f",
    "upper": "f",
    "index": "iu",
    "ridge": "f",
    "group": "iu",
}
ROWS_FITTED = ("n_features_in_", "feature_names_in_", "shape_fit_")


def _take_problem(problem: Problem) -> State:
    return {name: getattr(problem, name) for name in (*PROBLEM, "group_sum")}


def _make_problem(state: State) -> Problem:
    for name, kinds in PROBLEM.items():
        require_array(state[name], name, kinds, np.shape(state["linear"]))
    require_array(state["group_sum"], "group_sum", "f", np.shape(state["group_sum"]))
    return Problem(**state)


def _take_training(training: TrainingRows) -> State:
    fitted = {name: vars(training)[name] for name in ROWS_FITTED if name in vars(training)}
    return {"kernel": training.kernel} | fitted


def _make_training(state: State) -> TrainingRows:
    kernel = state["kernel"]
    is_name = isinstance(kernel, str) and kernel in KERNEL_NAMES
    require(is_name or isinstance(kernel, Kernel), "the kernel of the rows")
    training: TrainingRows = assembled(TrainingRows, ROWS_FITTED.__contains__, state)
    return training


def check_rows(kernel: Kernel, rows: Any, training: Any) -> None:
    """Rows that compiled code reads, and what is known of them."""
    require(isinstance(training, TrainingRows), "training")
    check_kernel(kernel, is_precomputed(training.kernel))
    shape = np.shape(rows) if not sp.issparse(rows) else rows.shape
    require(len(shape) == 2 and min(shape) > 0, f"rows must be a matrix, got shape {shape}")
    require_rows(rows, "rows", shape)
    require(not sp.issparse(rows) or rows.format == "csr", "sparse rows must be in CSR format")
    require(training.shape_fit_ == shape, f"shape_fit_ must be {shape}")
    require(training.n_features_in_ == shape[1], f"n_features_in_ must be {shape[1]}")
    names = getattr(training, "feature_names_in_", None)
    if names is not None:
        require_array(names, "feature_names_in_", "O", (shape[1],))
        require(all(type(name) is str for name in names), "feature_names_in_ must be strings")
    if is_precomputed(training.kernel):
        check_kernel_matrix(rows)
    else:
        check_values(kernel, rows[:1])


def _take_values(values: KernelValues) -> State:
    return {
        name: getattr(values, name) for name in ("kernel", "rows", "training", "low_rank", "shift")
    }


def _make_values(state: State) -> KernelValues:
    values = KernelValues(**state)
    check_rows(values.kernel, values.rows, values.training)
    if values.shift is not None:
        require_array(values.shift, "shift", "f", (values.rows.shape[1],))
    if values.low_rank is not None:
        _check_low_rank(values.low_rank, values.rows, is_precomputed(values.training.kernel))
    return values


def _check_low_rank(low_rank: Any, rows: Any, is_stored: bool) -> None:
    is_fitted = isinstance(low_rank, LowRank) and hasattr(low_rank, "maps_")
    require(is_fitted and is_number(getattr(low_rank, "trace_error_", None)), "low_rank")
    for features in low_rank.maps_:
        check_kernel(features.kernel, is_stored)
        require(features.factor is not None, "factor of low_rank")
        if is_stored:
            # They are positions among the columns of a matrix of kernel values.
            inside = bool((features.rows >= 0).all() and (features.rows < rows.shape[1]).all())
            require(inside, f"rows of low_rank must lie in 0..{rows.shape[1] - 1}")
        else:
            fits = features.rows.shape[1] == rows.shape[1]
            require(fits, "the rows of the basis have another width")
            if features.rank:
                check_values(features.kernel, features.rows[:1])


PATH_PARTS = (
    Recipe("Problem", Problem, _take_problem, _make_problem),
    Recipe("TrainingRows", TrainingRows, _take_training, _make_training),
    Recipe("KernelValues", KernelValues, _take_values, _make_values),
)
