"""Left-out rows of least squares, of many rows: the parameters are found on a sample of them.

One evaluation inverts a matrix, a second at 2,000 rows and eight times as long at twice as many. A
search on 500 rows finds machines as good as one on 2,000, in a tenth of the time; its last digits
are chance (docs/model_selection.md has the figures).
"""

from __future__ import annotations

import time
import warnings
from functools import cached_property
from typing import Any

import numpy as np

from mercer.selection.history import Budget
from mercer.selection.optimizers import LBFGS, IRpropPlus
from mercer.selection.search_result import SearchResult, make, run, tell_unsearched
from mercer.selection.training_task import TrainingTask
from mercer.selection.widths import moderate_start
from mercer.training.rows import is_precomputed
from mercer.training.splits import Split, splits_on_rows

__all__ = ["least_squares_search"]

_MOST_ROWS = 500  # that are searched, where no time is given
_TRIAL = 300  # rows that show what an evaluation takes
_POWER = 2.5  # of the rows, by which that grows
_EVALUATIONS = 15  # of a search
_SAMPLE_TOL = 3e-3  # of the slope by log C and log gamma: rows of a sample tell no more


def least_squares_search(
    task: TrainingTask, name: str, options: dict[str, Any], budget: Budget
) -> SearchResult:
    """The best parameters by "gcv" or "cv" of 500 rows, or of as many as a given time allows.

    Of a kernel matrix all rows are searched.
    """
    sampled = _Sampled(task, name, options)
    size = task.n_rows
    if not is_precomputed(task.machine.kernel):
        size = _sample_size(sampled, budget)
    objective = sampled.criterion(size)
    start = objective.begin(moderate_start(objective.task, objective.space))
    # where the kernel may be indefinite there are points without a value, to step back from
    is_definite = objective.space.kernel.definiteness in ("known", "stated")
    smooth = LBFGS(tol=_SAMPLE_TOL) if objective.task.is_sample else LBFGS()
    found = run(objective, smooth if is_definite else IRpropPlus(), start, budget)
    if np.isfinite(budget.deadline.moment):  # samples are as large as it allows
        tell_unsearched(found, task, budget)
    return found


class _Sampled:
    """A criterion of a sample of the rows; splits are those of all rows, without the others."""

    def __init__(self, task: TrainingTask, name: str, options: dict[str, Any]) -> None:
        self.task, self.name, self.options = task, name, options

    @cached_property
    def _splits(self) -> list[Split]:
        return self.task.splits(self.options["cv"], self.options.get("groups"))

    def criterion(self, size: int) -> Any:
        """Of all rows if there are no more, or if no split tests with one of the sample."""
        rows, options = self.task.sample_rows(size), self.options
        is_all = size >= self.task.n_rows
        if self.name == "cv" and not is_all:
            pairs = splits_on_rows(self._splits, rows)
            options, is_all = {**options, "cv": pairs, "groups": None}, not pairs
        if is_all:
            return make(self.name, self.task, self.options)
        with warnings.catch_warnings():
            # of small classes, which all rows tell too
            warnings.simplefilter("ignore", UserWarning)
            return make(self.name, self.task.on_rows(rows), options)


def _sample_size(sampled: _Sampled, budget: Budget) -> int:
    n = sampled.task.n_rows
    if not np.isfinite(budget.deadline.moment) or n <= _TRIAL:
        return min(n, _MOST_ROWS)
    few = sampled.criterion(_TRIAL)
    began = time.perf_counter()
    few(few.begin(moderate_start(few.task, few.space)))
    seconds = max(time.perf_counter() - began, 1e-9)
    allowed = budget.deadline.seconds_left / _EVALUATIONS / seconds
    return int(np.clip(_TRIAL * allowed ** (1.0 / _POWER), _TRIAL, n))
