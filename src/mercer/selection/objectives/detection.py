"""A criterion without labels: how well a one-class machine tells rows from rows with noise.

Nothing is known of outliers, but rows that are moved a little lie mostly where there are none: each
feature of a training row moves by half of its standard deviation times a normal number,

    z = x + 1/2 sd(x) e,    value = 1 - mean over splits of P(f(held-out row) > f(z)),

f being the machine without the split, equal values counted half: one minus the area under the curve
of held-out rows against noise. A kernel that is too wide does not see the noise, one that is too
narrow takes held-out rows for noise. With less noise machines learn to tell single rows, with more
all of them tell it. How the factor was chosen, and what it is worth: docs/model_selection.md.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn.utils import check_random_state

from mercer.gram.native import take_rows
from mercer.kernels import Kernel
from mercer.selection.adjoint import Trained
from mercer.selection.objectives.rejection import Rejection
from mercer.selection.training_task import TrainingTask
from mercer.training.rows import is_precomputed

__all__ = ["Detection", "has_noise", "is_by_scale"]

FloatArray = NDArray[np.float64]
_NOISE = 0.5  # standard deviations
_MOST_MADE = 1500  # rows with noise, of all splits
_FEWEST_MADE = 20  # of a split
_MOST_VALUES = 20_000_000  # numbers in rows with noise, which are dense whatever they were made of


class Detection(Rejection):
    """One minus the share of pairs of a held-out row and one with noise that are told apart.

    Parameters
    ----------
    task, cv, groups
        As for :class:`Rejection`; the rows are numbers, dense or sparse, of at most 13,333
        features.
    random_state : int, RandomState or None, default=0
        For the noise.
    """

    name = "detection"

    def __init__(
        self,
        task: TrainingTask,
        *,
        cv: Any = 5,
        groups: ArrayLike | None = None,
        random_state: Any = 0,
    ) -> None:
        super().__init__(task, cv=cv, groups=groups)
        if not has_noise(task):
            most = _MOST_VALUES // _MOST_MADE
            raise self._refused(f"rows of numbers with at most {most} features")
        random = check_random_state(random_state)
        size = max(_MOST_MADE // len(self._splits), _FEWEST_MADE)
        self._made = [
            with_noise(task.rows, task.weight * split.times, size, random) for split in self._splits
        ]

    def _evaluate(self, theta: FloatArray, with_gradient: bool) -> tuple[float, None]:
        weights = [self.task.training_weight(split.times) for split in self._splits]
        kernel = self.space.kernel_at(theta)
        areas, is_out = [], []
        for (machine,), split, made in zip(
            self._train(theta, weights), self._splits, self._made, strict=True
        ):
            values = machine.values(split.test)
            noise = _values_of(machine, kernel, self.task, made)
            areas.append(_area(values, self.task.weight[split.test], noise))
            is_out.append(values < 0)
        tests = [split.test for split in self._splits]
        self.by_split = 1.0 - np.array(areas)
        value = float(self.by_split.mean())
        self.held_out.offer(theta, value, tests, [np.where(own, -1, 1) for own in is_out])
        return value, None

    def score(self, value: Any) -> Any:
        """The area under the curve."""
        return 1.0 - value


def has_noise(task: TrainingTask) -> bool:
    """Whether rows can be moved a little, and fit into memory when they are."""
    rows = task.rows
    are_numbers = (isinstance(rows, np.ndarray) or issparse(rows)) and rows.dtype.kind in "biuf"
    return (
        are_numbers
        and not is_precomputed(task.machine.kernel)
        and rows.shape[1] * _MOST_MADE <= _MOST_VALUES
    )


def is_by_scale(machine: Any) -> bool:
    """Whether the kernel of a machine has the width of gamma="scale"."""
    rule = machine.gamma if isinstance(machine.kernel, str) else getattr(machine.kernel, "gamma", 0)
    return isinstance(rule, str) and rule == "scale"


def with_noise(rows: Any, weight: FloatArray, size: int, random: Any) -> FloatArray:
    """Rows at equal intervals of their weight, each feature moved by part of its deviation."""
    used = np.flatnonzero(weight > 0)
    share = weight[used]
    places = np.searchsorted(np.cumsum(share), (np.arange(size) + 0.5) * share.sum() / size)
    own = take_rows(rows, used)
    chosen = take_rows(own, np.minimum(places, len(used) - 1))
    if issparse(chosen):
        chosen = chosen.toarray()
    return np.asarray(chosen + _NOISE * _deviation(own, share) * random.normal(size=chosen.shape))


def _deviation(rows: Any, weight: FloatArray) -> FloatArray:
    """The standard deviation of each feature."""
    if not issparse(rows):
        own = np.asarray(rows, dtype=np.float64)
        mean = np.average(own, axis=0, weights=weight)
        return np.asarray(np.sqrt(np.average((own - mean) ** 2, axis=0, weights=weight)))
    entries = rows.tocoo()
    own, column, size = weight[entries.row], entries.col, rows.shape[1]
    total = weight.sum()
    mean = np.bincount(column, own * entries.data, size) / total
    stored = np.bincount(column, own * (entries.data - mean[column]) ** 2, size)
    zeros = total - np.bincount(column, own, size)
    return np.asarray(np.sqrt((stored + np.maximum(zeros, 0.0) * mean**2) / total))


def _values_of(
    machine: Trained, kernel: Kernel, task: TrainingTask, rows: FloatArray
) -> FloatArray:
    """Decision values of rows that are not among those trained with."""
    coef = machine.fitted.coef
    used = np.flatnonzero(coef)
    if not len(used):
        return np.full(len(rows), machine.bias)
    values: FloatArray = kernel(rows, take_rows(task.rows, used)) @ coef[used] + machine.bias
    return values


def _area(values: FloatArray, weight: FloatArray, noise: FloatArray) -> float:
    """The share of pairs whose first value is the larger one; half of equal ones."""
    ordered = np.sort(noise)
    below, up_to = (np.searchsorted(ordered, values, side) for side in ("left", "right"))
    return float(np.average(0.5 * (below + up_to) / len(noise), weights=weight))
