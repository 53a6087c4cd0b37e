"""Presets of criterion, optimizer and budget.

Glasmachers 2008, section 12.1, and what has proved fast here: cross-validation by grids that zoom
in for one width, gradients for many.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.machines.svm.one_class import OneClassSVM
from mercer.selection.among_machines import among_machines
from mercer.selection.history import Budget, Watched
from mercer.selection.least_squares_search import least_squares_search
from mercer.selection.many_widths import refined
from mercer.selection.objectives import OBJECTIVES, Objective
from mercer.selection.objectives.detection import Detection, has_noise, is_by_scale
from mercer.selection.objectives.likelihood import Likelihood
from mercer.selection.objectives.rejection import Rejection
from mercer.selection.objectives.validation import CrossValidation
from mercer.selection.optimizers import (
    CMA,
    LBFGS,
    OPTIMIZERS,
    IRpropPlus,
    Narrowing,
    NoisyRprop,
    WidthSearch,
    Zoom,
)
from mercer.selection.samples import zoomed
from mercer.selection.search_result import SearchResult, continued, make, run, tell_unsearched
from mercer.selection.training_task import TrainingTask
from mercer.selection.widths import moderate_start

__all__ = ["STRATEGIES", "search"]

FloatArray = NDArray[np.float64]

STRATEGIES = ("auto", *OBJECTIVES)
_STEPS = (0.0, 3.0, -3.0)  # of log C and of the logarithm of the widths, where searches may begin


def search(
    task: TrainingTask, name: str, optimizer: Any, options: dict[str, Any], budget: Budget
) -> SearchResult:
    """The best parameters of a task by a criterion, "auto" for what is best for its kernel."""
    if task.variants:
        each = partial(_search_one, name=name, optimizer=optimizer)
        return among_machines(task, each, options, budget)
    if name == "auto":
        return _automatic(task, optimizer, options, budget)
    if name == "alignment" or name == "polarization":
        return _kernel_first(task, name, optimizer, options, budget)
    if name == "gcv" and optimizer == "auto":
        return least_squares_search(task, name, options, budget)
    objective = make(name, task, options)
    start = objective.begin(moderate_start(task, objective.space))
    if name == "detection" and is_by_scale(task.machine):
        start = objective.space.start
    if optimizer == "auto" and isinstance(objective, Likelihood):
        return _from_best_start(objective, start, budget)
    return run(objective, _optimizer(optimizer, objective), start, budget)


def _search_one(
    task: TrainingTask, options: dict[str, Any], budget: Budget, *, name: str, optimizer: Any
) -> SearchResult:
    return search(task, name, optimizer, options, budget)


def _from_best_start(objective: Objective, start: FloatArray, budget: Budget) -> SearchResult:
    """Noisy gradients from the best of a few points.

    Where all rows are at a bound the likelihood does not depend on C, and a prior alone leads
    searches away: from one start four of ten on the chess board.
    """
    first = run(objective, _Starts(), start, budget.half())
    rest = budget.without(first.histories[-1])
    if rest.is_spent or np.isnan(first.score):
        return first
    return continued(first, run(objective, NoisyRprop(), first.theta, rest))


class _Starts:
    """Points around the start, each with another C or other widths."""

    def minimize(self, watched: Watched, theta: FloatArray) -> str:
        """Evaluate all of them."""
        low, high = watched.bounds.T
        direction = watched.objective.space.width_direction
        for by_C, by_width in product(_STEPS, _STEPS if direction.any() else (0.0,)):
            step = np.concatenate([[by_C], by_width * direction])
            watched.value(np.clip(theta + step, low, high))
        return "converged"


def _automatic(
    task: TrainingTask, optimizer: Any, options: dict[str, Any], budget: Budget
) -> SearchResult:
    """Squared errors of least squares, by leave-one-out or splits, unless a score is asked for.

    Rejected rows for one class; else cross-validation, then gradients of many parameters.
    """
    if task.is_least_squares and "loss" not in options:
        if "cv" not in options:
            return search(task, "gcv", optimizer, {"method": "loo"}, budget)
        options = {**options, "loss": "squared"}
        if optimizer == "auto":
            return least_squares_search(task, "cv", options, budget)
    if isinstance(task.machine, OneClassSVM):
        return _one_class(task, optimizer, options, budget)
    objective = make("cv", task, options)
    if optimizer == "auto" and task.is_all_in_one and objective.space.kernel.n_dims > 1:
        raise ValueError(
            f"multiclass={task.machine.multiclass!r} has no gradient for the "
            f"{objective.space.kernel.n_dims} parameters of the kernel: use the objective 'cv', "
            "which CMA-ES searches, or 'alignment'"
        )
    if optimizer != "auto":
        start = moderate_start(task, objective.space)
        return run(objective, _optimizer(optimizer, objective), start, budget)
    first = zoomed(task, objective, options, budget)
    for history in first.histories:
        budget = budget.without(history)
    is_behind = first.histories[-1].status == "behind"
    if objective.space.kernel.n_dims <= 1 or budget.is_spent or is_behind:
        return first
    found = refined(task, objective, options, first, budget)
    tell_unsearched(found, task, budget)
    return found


def _one_class(
    task: TrainingTask, optimizer: Any, options: dict[str, Any], budget: Budget
) -> SearchResult:
    """Rows told from rows with noise, by widths from that of gamma="scale" to narrower ones.

    A wider kernel than that was better on few sets, and no noise tells on which. Rows that cannot
    be moved a little are judged by how many are rejected.
    """
    if optimizer != "auto" or not has_noise(task):
        return search(task, "rejection", optimizer, options, budget)
    return search(task, "detection", Narrowing(), options, budget)


def _kernel_first(
    task: TrainingTask, name: str, optimizer: Any, options: dict[str, Any], budget: Budget
) -> SearchResult:
    """A criterion that is blind to C finds the kernel, cross-validation then C."""
    objective = make(name, task, options)
    start = moderate_start(task, objective.space)
    found = run(objective, _optimizer(optimizer, objective), start, budget.half())
    second = make("cv", task, options)
    second.space = found.space
    refined = run(second, Zoom(n_widths=1), found.theta, budget.without(found.histories[-1]))
    theta = np.concatenate([refined.theta[:1], found.theta[1:]])
    histories = [*found.histories, *refined.histories]
    return replace(refined, space=found.space, theta=theta, histories=histories)


def _optimizer(given: Any, objective: Objective) -> Any:
    """The one asked for, or the one that suits the criterion."""
    if given != "auto":
        if isinstance(given, str) and given in OPTIMIZERS:
            return OPTIMIZERS[given]()
        if not hasattr(given, "minimize"):
            raise ValueError(
                f"optimizer must be 'auto', one of {sorted(OPTIMIZERS)} or an object of "
                f"mercer.selection.optimizers, got {given!r}"
            )
        return given
    if isinstance(objective, CrossValidation):
        return Zoom() if np.count_nonzero(objective.space.width_direction) <= 1 else CMA()
    if isinstance(objective, Detection):
        return Narrowing()
    if isinstance(objective, Rejection):
        return WidthSearch()
    if not objective.has_gradient:
        return CMA()
    if objective.is_stochastic:
        return NoisyRprop()
    # these step back from where there is no value
    return IRpropPlus() if objective.name in ("span_like", "radius_margin") else LBFGS()
