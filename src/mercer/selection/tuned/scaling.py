"""Features of unlike scales, brought to one before a search."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import issparse
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

from mercer.selection.deviation import feature_deviations
from mercer.selection.training_task import TrainingTask
from mercer.training.rows import is_precomputed

__all__ = ["last_machine", "prepared_rows", "scaled_rows", "scaler_for", "with_scaler"]

# Largest deviation of a feature, in units of the median one, from which on scaling is better:
# measured in docs/model_selection.md.
_UNLIKE = 10.0


def scaler_for(
    scale: bool | str, task: TrainingTask, X: Any, sample_weight: ArrayLike | None
) -> StandardScaler | None:
    """A fitted scaler, "auto" if dense numbers need one; sparse rows are not moved to their mean.

    Bytes are left as they are: they are pixels, mostly, all in one unit.
    """
    is_numeric = issparse(task.rows) or isinstance(task.rows, np.ndarray)
    is_numeric = (
        is_numeric and not is_precomputed(task.machine.kernel) and task.rows.dtype.kind in "iuf"
    )
    if scale == "auto" and not (is_numeric and _are_unlike(task)):
        return None
    if not scale:
        return None
    if not is_numeric:
        raise ValueError(
            f"scale=True needs rows of numbers, got kernel={task.machine.kernel!r:.80} and rows of "
            f"type {type(task.rows).__name__}: use scale=False or 'auto'"
        )
    return StandardScaler(with_mean=not issparse(task.rows)).fit(X, sample_weight=sample_weight)


def _are_unlike(task: TrainingTask) -> bool:
    if issparse(task.rows) or task.rows.dtype.itemsize == 1:
        return False
    found = feature_deviations(task.rows, task.weight)
    found = found[found > 0]
    return bool(len(found) and found.max() > _UNLIKE * np.median(found))


def scaled_rows(scaler: StandardScaler, task: TrainingTask, X: Any) -> Any:
    """The rows of a task in units of their deviations; ``X`` are those given, in these units."""
    return scaler.transform(task.rows) if issparse(task.rows) else np.ascontiguousarray(X)


def with_scaler(machine: Any, scaler: StandardScaler | None) -> Any:
    """A fitted machine that takes rows as they were given."""
    return machine if scaler is None else Pipeline([("scaler", scaler), ("machine", machine)])


def last_machine(estimator: Any) -> Any:
    """The machine, without the scaler before it."""
    return estimator[-1] if isinstance(estimator, Pipeline) else estimator


def prepared_rows(estimator: Any, X: Any) -> Any:
    """Rows as the machine takes them."""
    return estimator[:-1].transform(X) if isinstance(estimator, Pipeline) else X
