"""Cross-validation of many rows: where to look is found on samples of them.

With a time limit samples are as large as it allows. What an evaluation takes, and how that grows
with the rows, is measured.
"""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import KFold, StratifiedKFold

from mercer.selection.deviation import standard_error
from mercer.selection.history import Budget
from mercer.selection.optimizers import Climb, Zoom
from mercer.selection.search_result import (
    FEW_ROWS,
    SearchResult,
    continued,
    make,
    run,
    tell_unsearched,
)
from mercer.selection.simplest import simplest_within_error
from mercer.selection.training_task import TrainingTask
from mercer.selection.widths import moderate_start
from mercer.training.rows import is_precomputed

__all__ = ["sample_sizes", "zoomed"]

FloatArray = NDArray[np.float64]

_FIRST_SAMPLE = (400, 1200)  # fewest and most rows
_LARGE_SAMPLE = (8000, 3000)  # from how many rows on there is a second one, and its rows
_TRIALS = (200, 400)  # rows that show what an evaluation takes
_POWERS = (0.5, 2.0)  # of the rows: from the cost of small problems to that of kernel values
_COARSE = Zoom(C_range=(0.1, 1e4), n_C=5, n_widths=5, width=6.0, n_rounds=1)
# of a kernel after another one, on all rows
_COARSER = Zoom(n_C=7, n_widths=5, width=6.0)
_CELLS = (30, 8)  # that the first search evaluates, and those after it
_GROWTH = 2.0  # a sample that is not that much larger tells nothing new
_SAMPLE_FOLDS = 3  # at most: every row is held out once, for any number of folds
_NEAR = 1.0  # of logarithms of widths
_MOST_RIVALS = 3


def zoomed(
    task: TrainingTask, objective: Any, options: dict[str, Any], budget: Budget
) -> SearchResult:
    """A grid on all rows; of many rows from where samples of them lead."""
    start = moderate_start(task, objective.space)
    has_samples = not is_precomputed(task.machine.kernel)
    sizes = sample_sizes(task.n_rows, task.n_classes) if has_samples else []
    few = _few_folds(options.get("cv", 5)) if sizes and options.get("groups") is None else None
    if few is None:
        return run(objective, _COARSER if budget.others else Zoom(), start, budget)
    options = {**options, "cv": few, "also": None}
    found: SearchResult | None = None
    pace = _Pace.tried(task, options, start) if np.isfinite(budget.deadline.moment) else None
    sizes = list(budget.sizes) or [*sizes, task.n_rows]
    searched: list[int] = []
    while sizes:
        size = sizes[0]
        allowed = _allowed(size, pace, budget, is_first=found is None)
        if found is not None and pace is not None and allowed < min(size, _GROWTH * pace.size):
            found.histories[-1].status = "max-time"
            break
        is_all = allowed == task.n_rows
        stage = objective if is_all else _on_sample(task, allowed, options)
        search: Any = _COARSE if found is None else Climb(rivals=_rivals(found))
        began = time.perf_counter()
        last = run(stage, search, start, budget if is_all else budget.half())
        history = last.histories[-1]
        found = last if found is None else _better(found, last)
        if np.isnan(last.score):
            break
        searched.append(allowed)
        if pace is not None:
            seconds = (time.perf_counter() - began) / len(history)
            # trials are too small to tell how kernel values of many rows grow
            pace = _Pace(stage.task.n_rows, seconds)
        start = np.clip(_next_start(found), *objective.space.bounds.T)
        budget = budget.without(history)
        if budget.is_spent:
            break
        if _GROWTH * allowed > size:
            sizes.pop(0)
    assert found is not None
    tell_unsearched(found, task, budget)
    return replace(found, sizes=tuple(searched))


def _allowed(size: int, pace: _Pace | None, budget: Budget, *, is_first: bool) -> int:
    """Rows of the next search; where others have given its size, that or none.

    Samples of another size would compare with no other kernel.
    """
    allowed = size if pace is None else min(pace.rows(budget, is_first), size)
    if not budget.sizes or allowed == size:
        return allowed
    return size if is_first else 0


def _next_start(found: SearchResult) -> FloatArray:
    """The best point; of a kernel that is behind, or has no width, the simplest that is as good.

    Machines of a wide kernel and a large C take long, and are hardly better than those of less.
    """
    is_wide = not found.space.width_direction.any()
    is_behind = found.histories[-1].status == "behind"
    return simplest_within_error(found).theta if is_wide or is_behind else found.theta


def _better(before: SearchResult, last: SearchResult) -> SearchResult:
    """The last search, or the one before if it found nothing."""
    if np.isnan(last.score):
        before.histories[-1].status = last.histories[-1].status
        return before
    return continued(before, last)


@dataclass(frozen=True)
class _Pace:
    """What an evaluation of some rows takes, in seconds."""

    size: int
    seconds: float
    power: float = _POWERS[1]  # of the rows, by which that grows

    @classmethod
    def tried(cls, task: TrainingTask, options: dict[str, Any], start: FloatArray) -> _Pace:
        """From a few values of C at the first width."""
        first, last = (cls._measured(task, size, options, start) for size in _TRIALS)
        if last.size == first.size:  # ten rows of each class are more than both
            return last
        growth = np.log(last.seconds / first.seconds) / np.log(last.size / first.size)
        return cls(last.size, last.seconds, float(np.clip(growth, *_POWERS)))

    @classmethod
    def _measured(
        cls, task: TrainingTask, size: int, options: dict[str, Any], start: FloatArray
    ) -> _Pace:
        few = _on_sample(task, size, options)
        thetas = [np.concatenate([[np.log(C)], start[1:]]) for C in (0.1, 10.0, 1000.0)]
        began = time.perf_counter()
        few.series(thetas)
        return cls(few.task.n_rows, max(time.perf_counter() - began, 1e-9) / len(thetas))

    def rows(self, budget: Budget, is_first: bool) -> int:
        """How many rows a search may have; the first at least those of a trial."""
        left = budget.half().deadline.seconds_left / _CELLS[0 if is_first else 1]
        allowed = int(self.size * (left / self.seconds) ** (1.0 / self.power))
        return max(allowed, _TRIALS[0]) if is_first else allowed


def _rivals(found: SearchResult) -> tuple[FloatArray, ...]:
    """The best points of other widths that may win on more rows.

    The next narrower one, as more rows carry narrower kernels; of those within a standard error of
    the best of all the local optima, the narrowest, and others.
    """
    history = found.histories[-1]
    if history.status == "behind":
        return ()
    scores = found.as_scores(np.asarray(history.values))
    best = history.best
    order = np.argsort(-scores, kind="stable")
    # that of the best may be small by chance, of three folds: the usual one of the better half
    errors = [standard_error(history.by_split[k]) for k in order[: len(order) // 2 + 1]]
    noise = max(standard_error(history.by_split[best]), float(np.nanmedian(errors)))
    direction = found.space.width_direction
    widths = np.array([theta[1:] @ direction for theta in history.thetas])
    apart = (widths - widths[best]) / max(float(direction @ direction), 1.0)
    chosen = [best]
    narrower = np.flatnonzero(apart > _NEAR)
    if len(narrower):
        next_one = narrower[apart[narrower] < apart[narrower].min() + 1e-6]
        chosen.append(int(next_one[scores[next_one].argmax()]))
    order = order[scores[order] >= scores[best] - noise]
    summits = _summits(apart, scores)
    # the least C: of narrow kernels and large C machines take longest
    narrowest = max(order, key=lambda k: (round(apart[k], 6), -history.thetas[k][0]))
    for k in (*(k for k in order if k in summits), narrowest, *order):
        if all(abs(apart[k] - apart[other]) >= _NEAR for other in chosen):
            chosen.append(int(k))
    return tuple(history.thetas[k] for k in chosen[1 : 1 + _MOST_RIVALS])


def _summits(widths: FloatArray, scores: FloatArray) -> set[int]:
    """Points that are the best of their width, and better than the widths on both sides."""
    places = np.unique(np.round(widths, 6))
    at = [np.flatnonzero(np.abs(widths - place) < 1e-5) for place in places]
    best = [int(own[scores[own].argmax()]) for own in at]
    height = np.concatenate([[-np.inf], scores[best], [-np.inf]])
    is_summit = (height[1:-1] > height[:-2]) & (height[1:-1] > height[2:])
    return {best[k] for k in np.flatnonzero(is_summit)}


def sample_sizes(n_rows: int, n_classes: int) -> list[int]:
    """Rows of the samples that are searched before so many rows are."""
    if n_rows < FEW_ROWS:
        return []
    first = min(int(np.clip(max(n_rows // 3, 50 * n_classes), *_FIRST_SAMPLE)), n_rows)
    return [first] if n_rows < _LARGE_SAMPLE[0] else [first, _LARGE_SAMPLE[1]]


def _few_folds(cv: Any) -> Any:
    """At most three folds of the same kind; None for splits that have a meaning of their own."""
    if isinstance(cv, Integral):
        return min(int(cv), _SAMPLE_FOLDS)
    if type(cv) not in (KFold, StratifiedKFold):
        return None
    return type(cv)(
        min(cv.n_splits, _SAMPLE_FOLDS), shuffle=cv.shuffle, random_state=cv.random_state
    )


def _on_sample(task: TrainingTask, size: int, options: dict[str, Any]) -> Any:
    """Cross-validation of some of the rows."""
    with warnings.catch_warnings():
        # of small classes, which all rows tell too
        warnings.simplefilter("ignore", UserWarning)
        rows = task.sample_rows(size)
        objective = make("cv", task.on_rows(rows), options)
    objective.held_out.positions = rows
    return objective
