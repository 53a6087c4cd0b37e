"""The choice among machines of several kernels, losses or class weights, by the same search.

The first one is searched in full. The search of every other one ends after its coarse grid if its
best cell is worse than the best of those before it, on a sample by more than a standard error of
that. All of them are judged by the same splits. The first of those that are no worse than the best
by more than its standard error is chosen: the best of five is often the luckiest.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import replace
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from mercer.kernels import Kernel
from mercer.selection.history import Budget
from mercer.selection.search_result import SearchResult
from mercer.selection.simplest import first_within_error
from mercer.selection.training_task import TrainingTask
from mercer.solvers.runs.deadline import Deadline

__all__ = ["among_machines"]

FloatArray = NDArray[np.float64]

_FIRST_SHARES = 2  # of what a search may cost, for the first; one for each other
_MOST_SEED = 2**31 - 1

Search = Callable[[TrainingTask, dict[str, Any], Budget], SearchResult]


def among_machines(
    task: TrainingTask, search: Search, options: dict[str, Any], budget: Budget
) -> SearchResult:
    """The best parameters of the first variant that is as good as the best, and all others beside.

    With a limit the variants share it, and those for which nothing is left are not tried.
    """
    options = _with_fixed_splits(options)
    tried: list[SearchResult] = []
    for k, parameters in enumerate(task.variants):
        if tried and budget.is_spent:
            break
        share = _share(budget, len(task.variants) - k, is_first=not tried)
        known = tuple(history for own in tried for history in own.histories)
        sizes = tried[0].sizes if tried and np.isfinite(budget.deadline.moment) else ()
        share = replace(share, others=known, sizes=sizes)
        found = search(_variant(task, parameters), options, share)
        tried.append(replace(found, place=k))
        for history in found.histories:
            budget = budget.without(history)
        if found.histories[-1].status == "callback":
            break
    names = tuple(name for name in task.variants[0] if name != "kernel")
    found = _best(tried)
    _tell_limits(found, tried, len(task.variants), budget)
    return replace(found, varied=names)


def _tell_limits(
    found: SearchResult, tried: Sequence[SearchResult], n_variants: int, budget: Budget
) -> None:
    """Say that a limit has ended the search of some variant, if not of the chosen one."""
    limits = [own.histories[-1].status for own in tried]
    limits = [status for status in limits if status in ("max-evals", "max-time")]
    if len(tried) < n_variants and budget.is_spent:
        limits.append("max-evals" if budget.max_evals == 0 else "max-time")
    history = found.histories[-1]
    if limits and history.status in ("converged", "boundary", "flat"):
        history.status = limits[-1]


def _best(tried: Sequence[SearchResult]) -> SearchResult:
    """The choice among those searched on most rows, its histories the last."""
    rows = max(own.listed.n_rows for own in tried)
    are_known = [own.listed.n_rows == rows and np.isfinite(own.score) for own in tried]
    known = [k for k, is_known in enumerate(are_known) if is_known] or [0]
    best = known[first_within_error([_scores(tried[k]) for k in known])]
    others = [own for k, own in enumerate(tried) if k != best]
    histories = [history for own in (*others, tried[best]) for history in own.histories]
    return replace(tried[best], histories=histories, others=tuple(others))


def _scores(found: SearchResult) -> FloatArray:
    """Those of the splits, or the only one."""
    by_split = found.listed.by_split[found.chosen] if found.chosen is not None else ()
    return np.atleast_1d(found.as_scores(np.asarray(by_split)) if len(by_split) else found.score)


def _variant(task: TrainingTask, parameters: dict[str, Any]) -> TrainingTask:
    """The same task for a machine with other parameters."""
    own = task.with_parameters(**parameters)
    own.variants = ()
    kernel = own.machine.kernel
    if isinstance(kernel, Kernel) and not any("gamma" in name for name in kernel.get_params()):
        own.gamma_range = None
    return own


def _share(budget: Budget, n_left: int, *, is_first: bool) -> Budget:
    """What the next of some variants may cost."""
    share = _FIRST_SHARES / (n_left + 1) if is_first else 1.0 / n_left
    evals, deadline = budget.max_evals, budget.deadline
    if np.isfinite(deadline.moment):
        deadline = Deadline.after(share * deadline.seconds_left)
    if evals is not None:
        evals = min(max(round(share * evals), 1), evals)
    return replace(budget, max_evals=evals, deadline=deadline)


def _with_fixed_splits(options: dict[str, Any]) -> dict[str, Any]:
    """A splitter that draws draws the same for all of them."""
    cv: Any = options.get("cv")
    if not hasattr(cv, "random_state") or isinstance(cv.random_state, Integral):
        return options
    fixed = copy(cv)
    if getattr(cv, "shuffle", True):
        fixed.random_state = int(check_random_state(cv.random_state).randint(_MOST_SEED))
    return {**options, "cv": fixed}
