"""A width to start from: the median distance between rows of different classes."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.gram.native import take_rows
from mercer.kernels import Laplacian
from mercer.kernels.products import absolute_distances, squared_distances
from mercer.kernels.rows import numeric_rows
from mercer.selection.space import Space
from mercer.selection.training_task import TrainingTask

__all__ = ["jaakkola_gamma", "moderate_start"]

FloatArray = NDArray[np.float64]
Distances = Callable[[Any, Any], FloatArray]

_FIRST_C = 10.0
_MOST_ROWS = 1000  # of all classes


def jaakkola_gamma(task: TrainingTask, distances: Distances = squared_distances) -> float:
    """gamma = 1 / (2 m^2), m the median distance of rows of different classes.

    Jaakkola et al. 1999; 1 / (2 m) of the absolute distances of a Laplacian kernel. Of at most
    1,000 rows, at equal intervals within each class; without classes of all rows. 1 if they do not
    differ.
    """
    labels = task.class_index if task.classes is not None else np.zeros(task.n_rows, dtype=np.intp)
    step = max(-(-task.n_rows // _MOST_ROWS), 1)
    chosen = [
        np.flatnonzero((labels == c) & (task.weight > 0))[::step]
        for c in range(max(task.n_classes, 1))
    ]
    chosen = chosen if len(chosen) > 1 else 2 * chosen
    groups = [numeric_rows(take_rows(task.rows, rows)) for rows in chosen]
    apart, weight = [], []
    for i, j in combinations(range(len(groups)), 2):
        apart.append(distances(groups[i], groups[j]).ravel())
        weight.append(np.multiply.outer(task.weight[chosen[i]], task.weight[chosen[j]]).ravel())
    found, weights = np.concatenate(apart), np.concatenate(weight)
    is_known = found > 0
    if not is_known.any():
        return 1.0
    return float(0.5 / _median(found[is_known], weights[is_known]))


def _median(values: FloatArray, weights: FloatArray) -> float:
    """The median, each value counted as often as it weighs."""
    if (weights == weights[0]).all():
        return float(np.median(values))
    order = np.argsort(values)
    below = np.cumsum(weights[order])
    ends = [np.searchsorted(below, 0.5 * below[-1], side=side) for side in ("left", "right")]
    return float(values[order[ends]].mean())


def moderate_start(task: TrainingTask, space: Space) -> np.ndarray:
    """Theta of the machine with its widths moved to :func:`jaakkola_gamma`.

    Criteria have boundary optima at infinite widths and at zero: a search begins between. It begins
    at C = 10: with less, machines of such a width may predict one class everywhere, and criteria
    are flat.
    """
    start = space.start
    if space.penalty == "C":
        start[0] = np.log(_FIRST_C)
    if not space.widths:
        return start
    sizes = [
        np.log(np.linalg.eigvalsh(gamma) if gamma.ndim == 2 else gamma).ravel()
        for gamma in space.widths
    ]
    is_absolute = isinstance(space.kernel, Laplacian)
    gamma = jaakkola_gamma(task, absolute_distances if is_absolute else squared_distances)
    shift = np.log(gamma) - float(np.concatenate(sizes).mean())
    return start + shift * np.concatenate([[0.0], space.width_direction])
