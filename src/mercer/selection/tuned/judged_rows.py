"""Whether the machines that a search has judged are like the one that is kept.

A search of many rows within a time limit may end on a sample of them. Its machines have learned
less than one of all rows, so their score says little of it: of 100,000 rows 0.80 where new rows
make 0.85 of the machine. The other way round, a machine that had time for a few of the rows only
is worse than those of the folds.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mercer.selection.tuned.scaling import last_machine

__all__ = ["are_comparable", "judged_and_fitted"]

_MOST = 2.0  # times as many rows, either way


def are_comparable(judged: int, fitted: int) -> bool:
    """Whether folds of ``judged`` rows tell the score of a machine of ``fitted`` rows."""
    return fitted <= _MOST * judged and judged <= _MOST * fitted


def judged_and_fitted(tuned: Any) -> tuple[int, int] | None:
    """Rows of the folds and of the machine, of a tuned one where they cannot be compared."""
    if not hasattr(tuned, "best_estimator_"):  # the search was interrupted
        return None
    known = [own for own in tuned.history_ if own.decides and np.isfinite(own.values).any()]
    if not known:
        return None
    sizes = known[-1].n_rows, int(last_machine(tuned.best_estimator_).shape_fit_[0])
    return None if are_comparable(*sizes) else sizes
