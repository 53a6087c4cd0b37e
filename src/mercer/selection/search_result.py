"""Where a search ended, and how one is run."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.selection.history import Budget, History, SearchEnd, Watched
from mercer.selection.objectives import OBJECTIVES, Objective
from mercer.selection.objectives.make import options_of
from mercer.selection.space import Space
from mercer.selection.training_task import TrainingTask
from mercer.solvers.runs.deadline import OutOfTime

__all__ = ["FEW_ROWS", "SearchResult", "continued", "make", "run", "tell_unsearched"]

FloatArray = NDArray[np.float64]

_CANDIDATES, _MOST_DRAWS = 5, 20
FEW_ROWS = 600  # below which the first evaluation is always completed


@dataclass(frozen=True, eq=False)
class SearchResult:
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
    chosen : int or None
        Position of the parameters there; None if they are the mean of several points.
    loss : str or None
        Name of what the criterion counts on held-out rows, where it has one.
    nested : ndarray or None
        Scores of the splits by searches that have not seen their rows, where there were some.
    others : tuple of SearchResult
        Of other kernels, losses or class weights, where there were several to choose from.
    place : int
        Of the one chosen among these, in the order given.
    sizes : tuple of int
        Rows of the samples that were searched, and of all where they were.
    varied : tuple of str
        Parameters that they differ in, beside the kernel.
    """

    space: Space
    theta: FloatArray
    score: float
    histories: list[History]
    listed: History
    as_scores: Callable[[Any], Any]
    chosen: int | None = None
    loss: str | None = None
    nested: FloatArray | None = None
    others: tuple[SearchResult, ...] = ()
    place: int = 0
    varied: tuple[str, ...] = ()
    sizes: tuple[int, ...] = ()


def make(name: str, task: TrainingTask, options: dict[str, Any]) -> Any:
    """The criterion with those of the options it takes."""
    kind = OBJECTIVES[name]
    known = options_of(kind)
    return kind(task, **{key: value for key, value in options.items() if key in known})


def run(objective: Objective, optimizer: Any, theta: FloatArray, budget: Budget) -> SearchResult:
    """Search from ``theta`` until the optimizer or the budget ends."""
    loss = getattr(objective, "loss", None)
    found = _run(objective, optimizer, theta, budget)
    return replace(found, loss=loss if isinstance(loss, str) else None)


def _run(objective: Objective, optimizer: Any, theta: FloatArray, budget: Budget) -> SearchResult:
    watched = Watched(objective, budget, ends_first=objective.task.n_rows < FEW_ROWS)
    history = watched.history
    history.n_rows, history.decides = objective.task.n_rows, objective.decides
    theta = np.clip(theta, *objective.space.bounds.T)
    with suppress(SearchEnd):
        history.status = optimizer.minimize(watched, theta)
    if history.values and not np.isfinite(history.values).any():
        history.status = "no-value"
    if not np.isfinite(history.values).any():
        return SearchResult(objective.space, theta, np.nan, [history], history, objective.score)
    if history.is_stochastic and getattr(optimizer, "takes_last", False):
        last = slice(-max(len(history) // 10, 1), None)
        score = objective.score(float(np.mean(history.values[last])))
        theta = np.mean(history.thetas[last], axis=0)
        return SearchResult(history.spaces[-1], theta, score, [history], history, objective.score)
    best = history.best
    value = history.values[best]
    if history.is_stochastic:
        best, value = _drawn_again(objective, history, budget)
    score = objective.score(value)
    space, theta = history.spaces[best], history.thetas[best]
    return SearchResult(space, theta, score, [history], history, objective.score, best)


def _drawn_again(objective: Objective, history: History, budget: Budget) -> tuple[int, float]:
    """The best of a few points by new draws, the same for each of them, and their mean there.

    The best of many draws is the luckiest one. The points that were best are judged again by up to
    20 draws, which take at most half as many evaluations as the search.
    """
    n_draws = int(np.clip(len(history) // 10, 1, _MOST_DRAWS))
    values = (-1.0 if history.greater_is_better else 1.0) * np.asarray(history.values)
    order = np.argsort(np.where(np.isfinite(values), values, np.inf), kind="stable")
    candidates = order[: min(_CANDIDATES, np.count_nonzero(np.isfinite(values)))]
    drawn: dict[int, float] = {}
    state, space = objective._random.get_state(), objective.space  # type: ignore[attr-defined]
    objective.deadline = budget.deadline
    with suppress(OutOfTime):
        for k in candidates:
            objective.space = history.spaces[k]
            objective._random.set_state(state)  # type: ignore[attr-defined]
            again = [objective.value(history.thetas[k]) for _ in range(n_draws)]
            drawn[int(k)] = float(np.mean(again))
    objective.space = space
    if not drawn:
        return history.best, history.values[history.best]
    choose = max if history.greater_is_better else min
    best = choose(drawn, key=drawn.__getitem__)
    return best, drawn[best]


def tell_unsearched(found: SearchResult, task: TrainingTask, budget: Budget) -> None:
    """Say that a limit is why the criterion was searched on a sample of the rows only."""
    history = found.histories[-1]
    is_done = history.status in ("converged", "boundary", "flat")
    if found.listed.n_rows < task.n_rows and is_done:
        history.status = "max-evals" if budget.max_evals == 0 else "max-time"


def continued(before: SearchResult | None, found: SearchResult) -> SearchResult:
    """A search that began where another one had ended."""
    if before is None:
        return found
    history = found.histories[-1]
    if history.status == "flat" and before.histories[-1].status != "flat":
        history.status = "converged"
    return replace(found, histories=[*before.histories, *found.histories])
