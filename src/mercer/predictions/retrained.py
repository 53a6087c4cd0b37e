"""A classifier trained once more with a row added under each label.

The margins of all rows, the new one among them, under that machine are what full conformal
prediction ranks (docs/theory/predictions.md#full-conformal-sets).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from mercer.gram.native import count_rows
from mercer.machines.svm.kernel_classifier import has_pairs
from mercer.paths import PathSVC
from mercer.predictions.given_rows import fit_machine
from mercer.predictions.margins import margins
from mercer.predictions.retrained_pairs import RetrainedPairs
from mercer.predictions.stacked_rows import some_rows, stacked
from mercer.predictions.trials import Retrained, Trial

__all__ = ["Refitted", "retrained"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]
_ROUNDING = 1e-9  # of margins, relative to the largest


def retrained(
    machine: Any, X: Any, labels: IntArray, weight: FloatArray | None, classes: NDArray[Any]
) -> Retrained:
    """What retrains a fitted machine: on shared kernel values where that is possible."""
    if has_pairs(machine) and not _reads_labels(machine):
        return RetrainedPairs(machine, X, labels, weight)
    return Refitted(machine, X, labels, weight, classes)


def _reads_labels(machine: Any) -> bool:
    """Whether a parameter changes with every label tried: the balance of classes, C of a path."""
    return isinstance(machine, PathSVC) or machine.class_weight == "balanced"


class Refitted:
    """Any classifier, fitted from scratch."""

    def __init__(
        self,
        machine: Any,
        X: Any,
        labels: IntArray,
        weight: FloatArray | None,
        classes: NDArray[Any],
    ) -> None:
        self._machine, self._X, self._labels = machine, X, labels
        self._weight, self._classes = weight, classes

    def trials(self, Z: Any) -> Iterator[list[Trial]]:
        """For each new row a trial of each label."""
        for j in range(count_rows(Z)):
            rows = stacked(self._X, some_rows(Z, np.array([j])))
            yield [self._trial(rows, c) for c in range(len(self._classes))]

    def _trial(self, rows: Any, label: int) -> Trial:
        labels = np.append(self._labels, label)
        weight = None if self._weight is None else np.append(self._weight, 1.0)
        machine = fit_machine(clone(self._machine), rows, self._classes[labels], weight)
        found = margins(machine, rows, self._classes)[np.arange(len(labels)), labels]
        rounding = _ROUNDING * float(np.abs(found[np.isfinite(found)]).max(initial=0.0))
        return Trial(found, max(rounding, float(getattr(machine, "violation_", 0.0))))
