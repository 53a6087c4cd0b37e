"""Probabilities of a tuned classifier, from values of the folds that it was tuned by."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.calibration import Calibration
from mercer.calibration.layout import layout_of
from mercer.gram.native import take_rows
from mercer.selection.held_out_values import held_out_values
from mercer.selection.scheme_task import SchemeTask
from mercer.selection.training_task import TrainingTask
from mercer.training.rows import is_precomputed
from mercer.training.splits import Split, splits_on_rows

__all__ = ["slope_of", "values_of_folds"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]

_SAMPLE = 2000  # rows, where the time is limited


def slope_of(
    machine: Any, task: TrainingTask, rows: IntArray, values: FloatArray
) -> Calibration | None:
    """One slope for all classes, fitted to held-out values of some rows.

    So the most probable class is the predicted one. None if a class has one row only: a machine
    trained without that row does not know the class.
    """
    if np.bincount(task.class_index[task.weight > 0]).min() < 2:
        return None
    values = values[:, 0] if values.shape[1] == 1 else values
    layout, labels = layout_of(machine), task.class_index[rows]
    return Calibration.fitted(layout, values, labels, task.weight[rows], "temperature")


def values_of_folds(
    machine: Any, task: TrainingTask, cv: Any, groups: Any, *, is_short: bool
) -> tuple[IntArray, FloatArray]:
    """Held-out rows and their values, (n, n_parts), by machines of the chosen parameters.

    With little time only a sample of the rows is held out.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the search has told all that there is to tell
        splits = task.splits(cv, groups)
        rows = np.arange(task.n_rows)
        known = SchemeTask(_fixed(machine), task.rows, task.y, task.weight)
        if is_short and task.n_rows > _SAMPLE and not is_precomputed(machine.kernel):
            rows = task.sample_rows(_SAMPLE)
            known, splits = _sampled(known, splits, rows)
        values = np.concatenate(held_out_values(known, splits))
    return rows[np.concatenate([split.test for split in splits])], values


def _fixed(machine: Any) -> Any:
    """The machine with the numbers of its kernel, and no limits."""
    return type(machine)(**{**machine.get_params(deep=False), "kernel": machine.kernel_})


def _sampled(
    task: SchemeTask, splits: list[Split], rows: IntArray
) -> tuple[SchemeTask, list[Split]]:
    some = SchemeTask(task.machine, take_rows(task.rows, rows), task.y[rows], task.weight[rows])
    return some, [
        Split(np.bincount(train, minlength=len(rows)), test)
        for train, test in splits_on_rows(splits, rows)
    ]
