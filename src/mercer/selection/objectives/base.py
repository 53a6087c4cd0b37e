"""The interface of all criteria of model selection."""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import AbstractContextManager
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer._floating import without_warnings
from mercer._shown import shown
from mercer._threads import blas_threads, resolve_threads
from mercer.gram import Gram
from mercer.kernels import Kernel
from mercer.machines.svm.one_class import OneClassSVM
from mercer.selection.adjoint import Trained
from mercer.selection.space import Space
from mercer.selection.training_task import TrainingTask
from mercer.solvers.runs.deadline import Deadline, OutOfTime

__all__ = ["NoValue", "Objective", "suited"]

FloatArray = NDArray[np.float64]

_MANY_ROWS = 1000
_OF_TARGETS = ("cv", "holdout", "bootstrap")
_BLIND_TO_C = ("alignment", "polarization")
_OF_CLASSES = (*_BLIND_TO_C, "likelihood", "posterior")
_OF_MARGINS = ("loo", "n_support", "span", "span_like", "radius_margin")


class NoValue(ValueError):
    """A criterion has no value at a point; a search goes on elsewhere."""


def suited(task: TrainingTask) -> list[str]:
    """Names of the criteria of a machine."""
    if isinstance(task.machine, OneClassSVM):
        return ["rejection", "detection"]
    if task.is_all_in_one:
        return [*_OF_TARGETS, *_BLIND_TO_C]
    names = [*_OF_TARGETS, *(_OF_CLASSES if task.is_classifier else ())]
    if task.is_least_squares:
        return [*names, "gcv"]
    return [*names, *_OF_MARGINS] if task.is_classifier and hasattr(task.machine, "C") else names


class Objective(ABC):
    """A criterion as a function of theta = (log C, then the kernel's theta).

    ``value, gradient = objective(theta)``, or ``objective.value(theta)`` alone.

    Attributes
    ----------
    task : TrainingTask
        What is learned.
    space : Space
        What theta means; ``space.start`` is where the estimator stands.
    greater_is_better : bool
        Whether the criterion is to be large.
    has_gradient : bool
        Whether it can be differentiated; asking for a gradient is an error otherwise.
    is_stochastic : bool
        Whether it draws new rows at every evaluation.
    decides : bool
        Whether the best point is the one to choose; not so if it only leads to what another
        criterion judges.
    n_trainings, n_kernel : int
        Machines trained and kernel values computed so far.
    deadline : Deadline
        When an evaluation is given up, by ``OutOfTime``.

    Examples
    --------
    >>> from mercer import SVC
    >>> from mercer.selection import make_objective
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]
    >>> objective = make_objective("alignment", SVC(gamma=0.5), X, y)
    >>> value, gradient = objective(objective.space.start)
    >>> objective.greater_is_better, gradient.shape
    (True, (2,))
    """

    greater_is_better: bool = False
    has_gradient: bool = True
    is_stochastic: bool = False
    decides: bool = True
    name: ClassVar[str]

    __repr__ = shown("name space")

    def __init__(self, task: TrainingTask, space: Space | None = None) -> None:
        self.task = task
        self.space = Space.of(task) if space is None else space
        self.n_trainings, self._n_kernel = 0, 0
        self.deadline = Deadline()
        if task.is_all_in_one and self.name not in suited(task):
            raise self._refused(
                f"machines of two classes, not multiclass={task.machine.multiclass!r}"
            )
        self._gram: Gram | None = None
        self._kernel: Kernel | None = None

    @without_warnings
    def __call__(self, theta: ArrayLike) -> tuple[float, FloatArray]:
        """Value and gradient."""
        if not self.has_gradient:
            raise ValueError(f"{self._described()} has no gradient: ask for value(theta)")
        point = self.space.checked(theta)
        with self._few_threads():
            value, gradient = self._evaluate(point, True)
        assert gradient is not None
        by_kernel = self.space.kernel.pulled_back(point[1:], gradient[1:])
        return value, np.concatenate([gradient[:1], by_kernel])

    @without_warnings
    def value(self, theta: ArrayLike) -> float:
        """The value alone."""
        with self._few_threads():
            return self._evaluate(self.space.checked(theta), False)[0]

    def _few_threads(self) -> AbstractContextManager[object]:
        """One thread of BLAS for few rows, else those of the machine."""
        is_small = self.task.n_rows < _MANY_ROWS
        return blas_threads(1 if is_small else resolve_threads(self.task.machine.n_threads))

    def begin(self, theta: FloatArray) -> FloatArray:
        """Where a search from ``theta`` begins: a point near it at which there is a value."""
        return theta

    def score(self, value: Any) -> Any:
        """A value, or an array of them, as a score that is to be large."""
        return value if self.greater_is_better else -value

    @property
    def n_kernel(self) -> int:
        """Kernel values computed so far."""
        return self._n_kernel + (0 if self._gram is None else self._gram.n_evaluations)

    @abstractmethod
    def _evaluate(self, theta: FloatArray, with_gradient: bool) -> tuple[float, FloatArray | None]:
        """The value, and the gradient if it is wanted."""

    def _check_time(self) -> None:
        """End an evaluation that takes too long."""
        if self.deadline.is_over:
            raise OutOfTime

    def _described(self) -> str:
        return f"the objective {self.name!r}"

    def _refused(self, needs: str) -> ValueError:
        """What the criterion needs, and what the machine allows."""
        names = ", ".join(map(repr, suited(self.task)))
        given = type(self.task.machine).__name__
        return ValueError(f"{self._described()} needs {needs}, got {given}: use {names}")

    def _gram_of(self, kernel: Kernel) -> Gram:
        """Kernel values, those of the last evaluation if the kernel is the same."""
        if self._gram is None or self._kernel != kernel:
            self._n_kernel = self.n_kernel
            self._kernel, self._gram = kernel, self.task.gram(kernel)
        return self._gram

    def _train(self, theta: FloatArray, weights: list[FloatArray]) -> list[list[Trained]]:
        """The machines at theta, of every part for each weighting of the rows."""
        return self._train_series([theta], weights)[0]

    def _train_series(
        self, thetas: list[FloatArray], weights: list[FloatArray]
    ) -> list[list[list[Trained]]]:
        """The same for several thetas with one kernel, each warm started from the one before."""
        gram = self._gram_of(self.space.kernel_at(thetas[0]))
        machines = [self.space.machine_at(theta) for theta in thetas]
        self.n_trainings += len(thetas) * len(weights) * len(self.task.parts)
        found = self.task.train_series(machines, gram, weights, self.space.powers, self.deadline)
        if found is None:
            raise OutOfTime
        return found
