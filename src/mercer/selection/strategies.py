"""Which criterion is searched how: presets of criterion, optimizer and budget.

Glasmachers 2008, section 12.1, and what has proved fast here: cross-validation by grids that zoom
in for one width, gradients for many.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.machines.svm.one_class import OneClassSVM
from mercer.selection.history import Budget, History, SearchEnd, Watched
from mercer.selection.objectives import OBJECTIVES, Objective
from mercer.selection.objectives.make import options_of
from mercer.selection.objectives.rejection import Rejection
from mercer.selection.objectives.validation import CrossValidation
from mercer.selection.optimizers import (
    CMA,
    LBFGS,
    OPTIMIZERS,
    IRpropPlus,
    NoisyRprop,
    WidthSearch,
    Zoom,
)
from mercer.selection.space import Space
from mercer.selection.task import Task
from mercer.selection.widths import moderate_start

__all__ = ["STRATEGIES", "Found", "search"]

FloatArray = NDArray[np.float64]

STRATEGIES = ("auto", *OBJECTIVES)
_MANY_ROWS = 4000  # from which on a sample shows where to look
_SAMPLE = 2000
_SMOOTH = {"n_iterations": 30}


@dataclass(frozen=True, eq=False)
class Found:
    """Where a search ended.

    Attributes
    ----------
    space : Space
        What theta means.
    theta : ndarray
        The parameters chosen.
    score : float
        The criterion there, large is good.
    histories : list of History
        Of the searches, one after the other.
    listed : History
        That of the criterion that decided.
    as_scores : callable
        From its values to scores.
    """

    space: Space
    theta: FloatArray
    score: float
    histories: list[History]
    listed: History
    as_scores: Callable[[Any], Any]


def search(task: Task, name: str, optimizer: Any, options: dict[str, Any], budget: Budget) -> Found:
    """The best parameters of a task by a criterion, "auto" for what is best for its kernel."""
    if name == "auto":
        return _automatic(task, optimizer, options, budget)
    if name == "alignment" or name == "polarization":
        return _kernel_first(task, name, optimizer, options, budget)
    objective = _made(name, task, options)
    return _run(
        objective, _optimizer(optimizer, objective), moderate_start(task, objective.space), budget
    )


def _automatic(task: Task, optimizer: Any, options: dict[str, Any], budget: Budget) -> Found:
    """Leave-one-out for least squares, rejected rows for one class.

    Else cross-validation, then gradients of many parameters.
    """
    if task.is_least_squares:
        return search(task, "gcv", optimizer, {"method": "loo"}, budget)
    if isinstance(task.machine, OneClassSVM):
        return search(task, "rejection", optimizer, options, budget)
    objective = _made("cv", task, options)
    if optimizer != "auto":
        start = moderate_start(task, objective.space)
        return _run(objective, _optimizer(optimizer, objective), start, budget)
    first = _zoomed(task, objective, options, budget)
    if objective.space.kernel.n_dims <= 1 or not _has_time(first, budget):
        return first
    loss = "logistic" if task.is_classifier else "squared"
    smooth = _made("cv", task, {**options, "loss": loss})
    smooth.space = first.space
    second = _run(smooth, LBFGS(**_SMOOTH), first.theta, _rest(budget, first))
    # the smooth loss has led there, the error asked for decides
    objective.space = second.space
    score = objective.score(objective.value(second.theta))
    histories = [*first.histories, *second.histories]
    if score < first.score:
        return replace(first, histories=histories)
    return replace(first, space=second.space, theta=second.theta, score=score, histories=histories)


def _zoomed(task: Task, objective: Any, options: dict[str, Any], budget: Budget) -> Found:
    """Zoom in on all rows; of many rows from where a sample of them leads."""
    has_folds = isinstance(options.get("cv", 5), Integral) and options.get("groups") is None
    if task.n_rows < _MANY_ROWS or not has_folds or task.machine._is_precomputed():
        return _run(objective, Zoom(), moderate_start(task, objective.space), budget)
    few = _made("cv", task.sampled(_SAMPLE), options)
    first = _run(few, Zoom(), moderate_start(few.task, few.space), _half(budget))
    near = np.clip(first.theta, *objective.space.bounds.T)
    second = _run(objective, Zoom.around(near), near, _rest(budget, first))
    if np.isnan(second.score):
        return first
    return replace(second, histories=[*first.histories, *second.histories])


def _kernel_first(
    task: Task, name: str, optimizer: Any, options: dict[str, Any], budget: Budget
) -> Found:
    """A criterion that is blind to C finds the kernel, cross-validation then C."""
    objective = _made(name, task, options)
    half = _half(budget)
    found = _run(
        objective, _optimizer(optimizer, objective), moderate_start(task, objective.space), half
    )
    second = _made("cv", task, options)
    second.space = found.space
    price = _run(second, Zoom(n_widths=1), found.theta, _rest(budget, found))
    theta = np.concatenate([price.theta[:1], found.theta[1:]])
    histories = [*found.histories, *price.histories]
    return replace(price, space=found.space, theta=theta, histories=histories)


def _made(name: str, task: Task, options: dict[str, Any]) -> Any:
    """The criterion with those of the options it takes."""
    kind = OBJECTIVES[name]
    known = options_of(kind)
    return kind(task, **{key: value for key, value in options.items() if key in known})


def _optimizer(given: Any, objective: Objective) -> Any:
    """The one asked for, or the one that suits the criterion."""
    if given != "auto":
        return OPTIMIZERS[given]() if isinstance(given, str) else given
    if isinstance(objective, CrossValidation):
        return Zoom() if np.count_nonzero(objective.space.width_direction) <= 1 else CMA()
    if isinstance(objective, Rejection):
        return WidthSearch()
    if not objective.has_gradient:
        return CMA()
    if objective.is_stochastic:
        return NoisyRprop()
    return IRpropPlus() if objective.name in ("span_like", "radius_margin") else LBFGS()


def _run(objective: Objective, optimizer: Any, theta: FloatArray, budget: Budget) -> Found:
    """Search from ``theta`` until the optimizer or the budget ends."""
    watched = Watched(objective, budget)
    history = watched.history
    theta = np.clip(theta, *objective.space.bounds.T)
    with suppress(SearchEnd):
        history.status = optimizer.minimize(watched, theta)
    if not history.values:
        return Found(objective.space, theta, np.nan, [history], history, objective.score)
    if history.is_stochastic:
        last = history.thetas[-max(len(history) // 10, 1) :]
        score = objective.score(history.values[-1])
        return Found(
            history.spaces[-1], np.mean(last, axis=0), score, [history], history, objective.score
        )
    best = history.best
    score = objective.score(history.values[best])
    return Found(
        history.spaces[best], history.thetas[best], score, [history], history, objective.score
    )


def _has_time(found: Found, budget: Budget) -> bool:
    rest = _rest(budget, found)
    return (rest.max_time is None or rest.max_time > 0) and (
        rest.max_evals is None or rest.max_evals > 0
    )


def _half(budget: Budget) -> Budget:
    """For the first of two searches."""
    evals, seconds = budget.max_evals, budget.max_time
    return replace(
        budget,
        max_evals=None if evals is None else max(evals // 2, 1),
        max_time=None if seconds is None else seconds / 2.0,
    )


def _rest(budget: Budget, found: Found) -> Budget:
    """What a search has left of the budget."""
    history = found.histories[-1]
    seconds = history.seconds[-1] if history.seconds else 0.0
    return replace(
        budget,
        max_time=None if budget.max_time is None else max(budget.max_time - seconds, 0.0),
        max_evals=None if budget.max_evals is None else max(budget.max_evals - len(history), 0),
    )
