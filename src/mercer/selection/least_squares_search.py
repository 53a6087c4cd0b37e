"""Leave-one-out of least squares on many rows: the parameters are found on a sample of them.

One evaluation inverts a matrix, a second at 2,000 rows and eight times as long at twice as many.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from mercer.selection.found import Found, make, run
from mercer.selection.history import Budget
from mercer.selection.optimizers import LBFGS, IRpropPlus
from mercer.selection.task import Task
from mercer.selection.widths import moderate_start

__all__ = ["least_squares_search"]

_MOST_ROWS = 2000  # that are searched, where no time is given
_TRIAL = 300  # rows that show what an evaluation takes
_POWER = 2.5  # of the rows, by which that grows
_EVALUATIONS = 15  # of a search


def least_squares_search(task: Task, options: dict[str, Any], budget: Budget) -> Found:
    """The best parameters by "gcv" of 2,000 rows or, in a given time, of as many as it allows.

    Of a kernel matrix all rows are searched.
    """
    if not task.machine._is_precomputed():
        size = _sample_size(task, options, budget)
        task = task if size >= task.n_rows else task.sampled(size)
    objective = make("gcv", task, options)
    start = objective.begin(moderate_start(task, objective.space))
    # where the kernel may be indefinite there are points without a value, to step back from
    is_definite = objective.space.kernel.definiteness in ("known", "stated")
    return run(objective, LBFGS() if is_definite else IRpropPlus(), start, budget)


def _sample_size(task: Task, options: dict[str, Any], budget: Budget) -> int:
    if not np.isfinite(budget.deadline.moment) or task.n_rows <= _TRIAL:
        return min(task.n_rows, _MOST_ROWS)
    few = make("gcv", task.sampled(_TRIAL), options)
    began = time.perf_counter()
    few(few.begin(moderate_start(few.task, few.space)))
    seconds = max(time.perf_counter() - began, 1e-9)
    allowed = budget.deadline.seconds_left / _EVALUATIONS / seconds
    return int(np.clip(_TRIAL * allowed ** (1.0 / _POWER), _TRIAL, task.n_rows))
