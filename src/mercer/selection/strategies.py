"""Which criterion is searched how: presets of criterion, optimizer and budget.

Glasmachers 2008, section 12.1, and what has proved fast here: cross-validation by grids that zoom
in for one width, gradients for many.
"""

from __future__ import annotations

import warnings
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
    Climb,
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
_MANY_ROWS = 600  # from which on a sample shows where to look
_FIRST_SAMPLE = (400, 1200)  # fewest and most rows
_LARGE_SAMPLE = (8000, 3000)  # from how many rows on there is a second one, and its rows
_COARSE = Zoom(prices=(0.1, 1e4), n_prices=5, n_widths=5, width=6.0, n_rounds=1)
_SAMPLE_FOLDS = 3  # at most: every row is held out once, whatever their number
_NEAR = 1.0  # of logarithms of widths
_MOST_RIVALS = 2
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
    """A grid on all rows; of many rows from where samples of them lead."""
    has_folds = isinstance(options.get("cv", 5), Integral) and options.get("groups") is None
    sizes = _sample_sizes(task)
    if not sizes or not has_folds or task.machine._is_precomputed():
        return _run(objective, Zoom(), moderate_start(task, objective.space), budget)
    found, start = None, moderate_start(task, objective.space)
    for size in sizes:
        few = _on_sample(task, size, options)
        search: Any = _COARSE if found is None else Climb(rivals=_rivals(found))
        found = _continued(found, _run(few, search, start, _half(budget)))
        start = np.clip(found.theta, *objective.space.bounds.T)
        budget = _rest(budget, found)
    assert found is not None
    if budget.max_time == 0.0 or budget.max_evals == 0:
        return found
    last = _run(objective, Climb(rivals=_rivals(found)), start, budget)
    if np.isnan(last.score):
        return found
    return _continued(found, last)


def _rivals(found: Found) -> tuple[FloatArray, ...]:
    """The best points of other widths that may win on more rows.

    Those within a standard error of the best of all, and the next narrower one: more rows carry
    narrower kernels.
    """
    history = found.histories[-1]
    scores = found.as_scores(np.asarray(history.values))
    best, by_split = history.best, history.by_split[history.best]
    noise = float(np.std(by_split, ddof=1) / np.sqrt(len(by_split))) if len(by_split) > 1 else 0.0
    direction = found.space.width_direction
    widths = np.array([theta[1:] @ direction for theta in history.thetas])
    apart = (widths - widths[best]) / max(float(direction @ direction), 1.0)
    chosen = [best]
    narrower = np.flatnonzero(apart > _NEAR)
    if len(narrower):
        next_one = narrower[apart[narrower] < apart[narrower].min() + 1e-6]
        chosen.append(int(next_one[scores[next_one].argmax()]))
    for k in np.argsort(-scores, kind="stable"):
        is_new = all(abs(apart[k] - apart[other]) >= _NEAR for other in chosen)
        if scores[k] >= scores[best] - noise and is_new:
            chosen.append(int(k))
    return tuple(history.thetas[k] for k in chosen[1 : 1 + _MOST_RIVALS])


def _sample_sizes(task: Task) -> list[int]:
    """Rows of the samples that are searched before all rows."""
    n = task.n_rows
    if n < _MANY_ROWS:
        return []
    first = int(np.clip(max(n // 3, 50 * task.n_classes), *_FIRST_SAMPLE))
    return [first] if n < _LARGE_SAMPLE[0] else [first, _LARGE_SAMPLE[1]]


def _on_sample(task: Task, size: int, options: dict[str, Any]) -> Any:
    """Cross-validation of some of the rows."""
    with warnings.catch_warnings():
        # of small classes, which all rows tell too
        warnings.simplefilter("ignore", UserWarning)
        folds = min(int(options.get("cv", _SAMPLE_FOLDS)), _SAMPLE_FOLDS)
        return _made("cv", task.sampled(size), {**options, "cv": folds})


def _continued(before: Found | None, found: Found) -> Found:
    """A search that began where another one had ended."""
    if before is None:
        return found
    history = found.histories[-1]
    if history.status == "flat" and before.histories[-1].status != "flat":
        history.status = "converged"
    return replace(found, histories=[*before.histories, *found.histories])


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
