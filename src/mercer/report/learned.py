"""The rows that a machine was trained on, beside those that it is judged by."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import check_consistent_length

from mercer import PathSVC
from mercer.machines import SVC
from mercer.machines.with_kernel import with_kernel
from mercer.report.inside import Inside, n_seen, target_map
from mercer.report.judged import Judged, take

__all__ = ["Learned", "NotLearned", "learned"]

FloatArray = NDArray[np.float64]


class NotLearned(ValueError):
    """Why training rows cannot tell more of a machine."""


@dataclass(frozen=True, eq=False)
class Learned:
    """Rows as the machine takes them, and their true values in the labels of the machine.

    Attributes
    ----------
    machine : estimator
        The innermost one, fitted.
    X, y : rows and labels or targets
        Those that it was trained on.
    Z, z : rows and labels or targets
        Those that it is judged by.
    target_scale : float
        By which targets were divided for the machine; 1 for classes.
    has_classes : bool
        Whether it predicts classes.
    n_support : int or None
        How many support vectors are among the training rows; None if that is unknown.
    """

    machine: Any
    X: Any
    y: NDArray[Any]
    Z: Any
    z: NDArray[Any]
    target_scale: float
    has_classes: bool
    n_support: int | None

    @property
    def n_rows(self) -> int:
        """Of the training."""
        return len(self.y)

    def taken(self, rows: NDArray[np.intp]) -> tuple[Any, NDArray[Any]]:
        """Some of the training rows."""
        return take(self.X, rows), self.y[rows]

    def unfitted(self) -> Any:
        """A machine with the same parameters, what was chosen and the kernel among them."""
        machine = self.machine
        kernel = getattr(machine, "kernel_", None)
        if isinstance(machine, PathSVC):
            chosen = SVC(C=machine.C_, class_weight=machine.class_weight)
            return with_kernel(chosen, machine.kernel_)
        fresh = clone(machine)
        return (
            fresh if kernel is None or not hasattr(fresh, "kernel") else with_kernel(fresh, kernel)
        )

    def losses(self, machine: Any) -> FloatArray:
        """Of each judged row: 1 for a wrong class, or the squared error in units given."""
        said = np.asarray(machine.predict(self.Z))
        if self.has_classes:
            return (said != self.z).astype(np.float64)
        return np.square(self.target_scale * (said - self.z))

    def error(self, mean_loss: float) -> float:
        """Share of wrong rows, or root of the mean squared error."""
        return mean_loss if self.has_classes else float(np.sqrt(mean_loss))

    def in_order(self) -> NDArray[np.intp]:
        """All training rows in a random order, every beginning of which has classes in equal
        shares.
        """
        rng = np.random.default_rng(0)
        order = rng.permutation(self.n_rows)
        if not self.has_classes:
            return order
        place = np.empty(self.n_rows)
        for label in np.unique(self.y):
            own = order[self.y[order] == label]
            place[own] = (np.arange(len(own)) + 0.5) / len(own)
        return np.argsort(place, kind="stable")


def learned(estimator: Any, inside: Inside, judged: Judged, training: tuple[Any, Any]) -> Learned:
    """Training rows as the machine has seen them; NotLearned says why they cannot be."""
    X, y = training
    labels = np.asarray(y)
    if judged.truth is None or judged.task == "outliers":
        raise NotLearned("there are no labels to learn from")
    check_consistent_length(X, labels)
    machine = inside.machine
    if getattr(machine, "kernel", None) == "precomputed":
        raise NotLearned("kernel values are given for all rows at once, not for parts of them")
    rows, judged_rows = inside.prepared(X), inside.prepared(judged.X)
    seen = n_seen(inside, rows)
    if judged.task == "classes":
        known = np.asarray(getattr(machine, "classes_", ()))
        if not np.array_equal(known, np.asarray(judged.classes)):
            raise NotLearned("the machine inside knows other labels than what is around it")
        truth: Any = judged.truth
        return Learned(machine, rows, labels, judged_rows, truth, 1.0, True, seen)
    line = target_map(estimator)
    if line is None:
        raise NotLearned("targets are transformed by no straight line")
    factor, shift = line
    targets, truth = ((np.asarray(t, np.float64) - shift) / factor for t in (labels, judged.truth))
    return Learned(machine, rows, targets, judged_rows, truth, abs(factor), False, seen)
