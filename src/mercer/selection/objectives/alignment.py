"""How well kernel values agree with labels: alignment and polarization.

Cristianini et al. 2002; Baram 2005. With T_ij = 1 for rows of one class, -1/(k - 1) for rows of two
of k classes (y y' for two) and rows counted as often as they weigh:

    polarization  P = <T, K>,    alignment  A = <T, K> / (|T| |K|),
    A' = (<T, K'> |K|^2 - <T, K> <K, K'>) / (|T| |K|^3).

No machine is trained, and C does not count: its derivative is 0.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mercer.gram.native import take_rows
from mercer.kernels import Kernel
from mercer.kernels.blocks import row_slices
from mercer.selection.objectives.base import Objective
from mercer.selection.task import Task

__all__ = ["Alignment", "Polarization"]

FloatArray = NDArray[np.float64]


class Polarization(Objective):
    """<T, K>, to be large.

    Parameters
    ----------
    task : Task
        What is learned: classes.
    """

    name = "polarization"
    greater_is_better = True

    def __init__(self, task: Task) -> None:
        super().__init__(task)
        if not task.is_classifier:
            raise ValueError(f"{self._described()} needs classes, got targets")
        self._used = np.flatnonzero(task.weight > 0)

    def _evaluate(self, theta: FloatArray, with_gradient: bool) -> tuple[float, FloatArray | None]:
        agreement, _, by_target, _ = self._sums(self.space.kernel_at(theta), with_gradient)
        return agreement, np.concatenate([[0.0], by_target]) if with_gradient else None

    def _target(self, rows: NDArray[np.intp]) -> FloatArray:
        """T of some rows against all that count, times the weights of both."""
        task = self.task
        same = task.labels[rows][:, None] == task.labels[self._used]
        weight = np.multiply.outer(task.weight[rows], task.weight[self._used])
        return np.where(same, weight, -weight / (task.n_classes - 1))

    def _sums(
        self, kernel: Kernel, with_gradient: bool
    ) -> tuple[float, float, FloatArray, FloatArray]:
        """<T, K>, |K|^2, <T, K'> and <K, K'>, some rows at a time."""
        everything = take_rows(self.task.rows, self._used)
        weight = self.task.weight[self._used]
        agreement, square = 0.0, 0.0
        by_target, by_square = np.zeros(kernel.n_dims), np.zeros(kernel.n_dims)
        for part in row_slices(len(self._used), 8 * len(self._used)):
            rows, target = everything[part], self._target(self._used[part])
            values = kernel(rows, everything)
            agreement += float((target * values).sum())
            weighted = values * np.multiply.outer(weight[part], weight)
            square += float((values * weighted).sum())
            if with_gradient:
                by_target += kernel.gradient_weighted(rows, everything, target)
                by_square += kernel.gradient_weighted(rows, everything, weighted)
        return agreement, square, by_target, by_square


class Alignment(Polarization):
    """<T, K> / (|T| |K|), in [-1, 1] and to be large; the scale of the kernel does not count.

    Parameters
    ----------
    task : Task
        What is learned: classes.
    """

    name = "alignment"

    def _evaluate(self, theta: FloatArray, with_gradient: bool) -> tuple[float, FloatArray | None]:
        found = self._sums(self.space.kernel_at(theta), with_gradient)
        agreement, square, by_target, by_square = found
        size = self._target_size()
        if square <= 0.0:
            return 0.0, np.zeros(self.space.n_dims) if with_gradient else None
        value = agreement / (size * np.sqrt(square))
        if not with_gradient:
            return float(value), None
        slope = (by_target - (agreement / square) * by_square) / (size * np.sqrt(square))
        return float(value), np.concatenate([[0.0], slope])

    def _target_size(self) -> float:
        """|T|."""
        task = self.task
        own = np.bincount(task.labels, task.weight, task.n_classes)
        same = float((own**2).sum())
        other = float(own.sum() ** 2) - same
        return float(np.sqrt(same + other / (task.n_classes - 1) ** 2))
