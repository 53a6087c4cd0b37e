"""A criterion without labels: the tightest boundary that rejects new rows as rarely as it should.

A one-class machine rejects at most the share nu of its training rows, and asymptotically that share
of new ones (Schoelkopf et al. 2001, proposition 4). A kernel that is too narrow follows single rows
and rejects more of those held out. With r the share of rejected rows over all splits, n their
number and m the mean of k(x, z)/sqrt(k(x, x) k(z, z)) over pairs of rows,

    s = sqrt(2 nu (1 - nu) / n),    e = (r - nu) / s,    value = e if e > 1, else m.

s is the standard error of r - nu, half of it from the rows that set the boundary, half from those
held out. More than one of them would be generous: the narrowest of many kernels is taken, whose r
is likely low by chance. m is at most 1 and falls as the kernel becomes narrower: of the kernels
that reject as they should the one with the tightest boundary wins, and all of them before any
other.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer.gram.native import take_rows
from mercer.kernels import Kernel, Normalized
from mercer.machines.svm.one_class import OneClassSVM
from mercer.selection.held_out import BestHeldOut
from mercer.selection.objectives.base import Objective
from mercer.selection.training_task import TrainingTask

__all__ = ["Rejection"]

FloatArray = NDArray[np.float64]
_MOST_ROWS = 500  # that similarity is looked at for


class Rejection(Objective):
    """How much more often than nu held-out rows are rejected, then how wide the boundary is.

    Parameters
    ----------
    task : TrainingTask
        What is learned, by a :class:`~mercer.OneClassSVM`.
    cv : int, splitter or iterable of (train, test), default=5
        As in scikit-learn; exactly the indices it gives are used.
    groups : array-like of shape (n_rows,), default=None
        For splitters that need them.
    """

    name = "rejection"
    has_gradient = False

    def __init__(self, task: TrainingTask, *, cv: Any = 5, groups: ArrayLike | None = None) -> None:
        super().__init__(task)
        if not isinstance(task.machine, OneClassSVM):
            raise self._refused("a OneClassSVM")
        self._splits = task.splits(cv, groups)
        self.by_split: FloatArray = np.empty(0)  # rejected shares of the last evaluation
        self.held_out = BestHeldOut(task)
        used = np.flatnonzero(task.weight > 0)
        self._sample = used[:: max(-(-len(used) // _MOST_ROWS), 1)]

    @property
    def rejected(self) -> float:
        """Share of the held-out rows that were rejected in the last evaluation."""
        return float(np.average(self.by_split, weights=self._sizes()))

    def _sizes(self) -> FloatArray:
        return np.array([self.task.weight[split.test].sum() for split in self._splits])

    def _evaluate(self, theta: FloatArray, with_gradient: bool) -> tuple[float, None]:
        weights = [self.task.training_weight(split.times) for split in self._splits]
        trained = self._train(theta, weights)
        tests = [split.test for split in self._splits]
        is_out = [machine.values(test) < 0 for (machine,), test in zip(trained, tests, strict=True)]
        self.by_split = np.array(
            [
                np.average(own, weights=self.task.weight[test])
                for own, test in zip(is_out, tests, strict=True)
            ]
        )
        value = self._judged(theta)
        self.held_out.offer(theta, value, tests, [np.where(own, -1, 1) for own in is_out])
        return value, None

    def _judged(self, theta: FloatArray) -> float:
        """The value, from the shares that were rejected."""
        nu = float(np.exp(theta[0]))
        error = np.sqrt(2.0 * nu * max(1.0 - nu, 0.0) / self._sizes().sum())
        excess = self.rejected - nu
        if excess > error:
            return float(excess / max(error, np.finfo(float).tiny))
        return self._similarity(self.space.kernel_at(theta))

    def _similarity(self, kernel: Kernel) -> float:
        """Mean normalized kernel value of different rows."""
        values = Normalized(kernel)(take_rows(self.task.rows, self._sample))
        n = len(values)
        return float((values.sum() - np.trace(values)) / max(n * (n - 1), 1))
