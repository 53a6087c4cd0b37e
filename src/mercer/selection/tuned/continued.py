"""A search that continues an earlier one on the same rows."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import joblib

from mercer._warning import warn
from mercer.selection.history import History
from mercer.selection.training_task import TrainingTask

__all__ = ["earlier_histories", "key_of"]

# What may change from one search to the next: values of cells do not depend on it, or the
# histories tell it of themselves.
_FREE = (
    *("kernel", "loss", "class_weight", "C_range", "gamma_range", "choice", "optimizer"),
    *("max_time", "max_evals", "n_threads", "verbose", "callback", "random_state", "warm_start"),
    *("scoring", "refit", "cv", "scale"),
)


def key_of(machine: Any, task: TrainingTask, options: dict[str, Any]) -> str:
    """A digest of rows, splits, criterion and all else that values of cells depend on."""
    cv = options.get("cv", machine.cv)
    is_drawn = getattr(cv, "shuffle", hasattr(cv, "random_state"))
    if is_drawn and not isinstance(getattr(cv, "random_state", None), Integral):
        raise ValueError(
            f"warm_start=True needs splits that stay the same: give cv={cv!r} an integer "
            "random_state"
        )
    given = {
        name: repr(value)
        for name, value in machine.get_params(deep=False).items()
        if name not in _FREE
    }
    judged = repr(options.get("loss")), repr(options.get("also")), options.get("groups")
    rows = task.rows, task.y, task.weight
    return str(joblib.hash((given, repr(cv), judged, rows)))


def earlier_histories(machine: Any, key: str) -> tuple[History, ...]:
    """Those of the fit before this one, if it was the same search of the same rows."""
    histories = tuple(getattr(machine, "history_", ()))
    known = vars(machine).get("_search_key")
    if histories and known != key:
        warn(
            f"{type(machine).__name__}: warm_start=True finds other rows, splits or scores than "
            "those of the fit before: the search begins anew"
        )
        return ()
    return histories
