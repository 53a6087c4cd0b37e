"""How well kernel values agree with labels: alignment and polarization.

Cristianini et al. 2002; Baram 2005. With T_ij = 1 for rows of one class, -1/(k - 1) for rows of two
of k classes (y y' for two) and rows counted as often as they weigh:

    polarization  P = <H T H, K>,    alignment  A = <T, K> / (|T| |K|),
    A' = (<T, K'> |K|^2 - <T, K> <K, K'>) / (|T| |K|^3).

H centres the target, as Cortes et al. 2012 do for alignment: with classes of unequal size <T, K> is
largest where all kernel values are 1, the widest kernel. With equal sizes H T H = T.

No machine is trained, and C does not count: its derivative is 0.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from mercer.kernels import Kernel
from mercer.kernels.blocks import row_slices
from mercer.selection.objectives.base import Objective
from mercer.selection.shared import some_rows
from mercer.selection.training_task import TrainingTask

__all__ = ["Alignment", "Polarization"]

FloatArray = NDArray[np.float64]


class Polarization(Objective):
    """<H T H, K>, to be large: the agreement of kernel values with centred labels.

    Parameters
    ----------
    task : TrainingTask
        What is learned: classes.
    """

    name = "polarization"
    greater_is_better = True

    def __init__(self, task: TrainingTask) -> None:
        super().__init__(task)
        if not task.is_classifier:
            raise self._refused("classes")
        self._used = np.flatnonzero(task.weight > 0)
        self._agreement = self._between_classes()
        self._kept: tuple[Kernel, FloatArray] | None = None

    def _evaluate(self, theta: FloatArray, with_gradient: bool) -> tuple[float, FloatArray | None]:
        kernel = self.space.kernel_at(theta)
        value = self._sums(kernel)[0]
        return value, self._gradient(kernel, 1.0, 0.0) if with_gradient else None

    def _target(self, rows: NDArray[np.intp]) -> FloatArray:
        """T of some rows against all that count, times the weights of both."""
        task = self.task
        target: FloatArray = self._agreement[task.class_index[rows]][
            :, task.class_index[self._used]
        ]
        return target * np.multiply.outer(task.weight[rows], task.weight[self._used])

    def _between_classes(self) -> FloatArray:
        """H T H for a row of one class and a row of another one, (k, k)."""
        table = self._uncentred()
        share = (
            np.bincount(self.task.class_index, self.task.weight, len(table))
            / self.task.weight.sum()
        )
        mean = table @ share
        return np.asarray(table - mean[:, None] - mean + share @ mean)

    def _uncentred(self) -> FloatArray:
        """T for a row of one class and a row of another one, (k, k)."""
        k = self.task.n_classes
        return np.where(np.eye(k) > 0, 1.0, -1.0 / (k - 1))

    def _values(self, kernel: Kernel, part: slice) -> FloatArray:
        """Kernel values of some rows against all; kept for the same kernel if some are all."""
        if self._kept is not None and self._kept[0] is kernel:
            return self._kept[1]
        everything = some_rows(kernel, self.task.rows, self._used)
        values = kernel(everything[part], everything)
        self._kept = (kernel, values) if len(values) == len(self._used) else None
        return values

    def _blocks(self) -> Iterator[tuple[slice, FloatArray]]:
        """Some rows at a time, with their part of T."""
        for part in row_slices(len(self._used), 8 * len(self._used)):
            self._check_time()
            yield part, self._target(self._used[part])

    def _sums(self, kernel: Kernel) -> tuple[float, float]:
        """<T, K> and |K|^2."""
        weight = self.task.weight[self._used]
        agreement, square = 0.0, 0.0
        for part, target in self._blocks():
            values = self._values(kernel, part)
            agreement += float(np.vdot(target, values))
            square += float(weight[part] @ np.square(values) @ weight)
        return agreement, square

    def _gradient(self, kernel: Kernel, by_target: float, by_square: float) -> FloatArray:
        """<by_target T + by_square K, K'>: one contraction for both; 0 by log C."""
        everything = some_rows(kernel, self.task.rows, self._used)
        weight = self.task.weight[self._used]
        total = np.zeros(kernel.n_dims)
        for part, target in self._blocks() if kernel.n_dims else ():
            target *= by_target
            if by_square:
                values = self._values(kernel, part)
                target += by_square * values * np.multiply.outer(weight[part], weight)
            total += kernel.gradient_weighted(everything[part], everything, target)
        return np.concatenate([[0.0], total])


class Alignment(Polarization):
    """<T, K> / (|T| |K|), in [-1, 1] and to be large; the scale of the kernel does not count.

    Parameters
    ----------
    task : TrainingTask
        What is learned: classes.
    """

    name = "alignment"

    def _between_classes(self) -> FloatArray:
        return self._uncentred()

    def _evaluate(self, theta: FloatArray, with_gradient: bool) -> tuple[float, FloatArray | None]:
        kernel, size = self.space.kernel_at(theta), self._target_size()
        agreement, square = self._sums(kernel)
        if square <= 0.0:
            return 0.0, np.zeros(self.space.n_dims) if with_gradient else None
        value = agreement / (size * np.sqrt(square))
        if not with_gradient:
            return float(value), None
        scale = size * np.sqrt(square)
        return float(value), self._gradient(kernel, 1.0 / scale, -agreement / square / scale)

    def _target_size(self) -> float:
        """|T|."""
        task = self.task
        own = np.bincount(task.class_index, task.weight, task.n_classes)
        same = float((own**2).sum())
        other = float(own.sum() ** 2) - same
        return float(np.sqrt(same + other / (task.n_classes - 1) ** 2))
