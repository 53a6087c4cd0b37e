"""Values of classifiers that know different classes, side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.calibration.temperature import by_class
from mercer.gram.native import count_rows

__all__ = ["OneClass", "decision_values", "probabilities"]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class OneClass:
    """What is learned from rows of one class.

    Attributes
    ----------
    classes_ : ndarray of shape (1,)
        The class.
    """

    classes_: NDArray[Any]

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of every row."""
        return np.repeat(self.classes_, count_rows(X))

    def predict_proba(self, X: Any) -> FloatArray:
        """Ones."""
        return np.ones((count_rows(X), 1))


def probabilities(member: Any, X: Any, classes: NDArray[Any]) -> FloatArray:
    """Probability of every class, 0 of those that the member has not seen."""
    values = np.zeros((count_rows(X), len(classes)))
    values[:, np.searchsorted(classes, member.classes_)] = member.predict_proba(X)
    return values


def decision_values(member: Any, X: Any, classes: NDArray[Any]) -> FloatArray:
    """A value for every class: of two f and -f, of those not seen no more than of any other."""
    places = np.searchsorted(classes, member.classes_)
    if isinstance(member, OneClass):
        own = np.ones((count_rows(X), 1))
    else:
        own = by_class(np.asarray(member.decision_function(X), dtype=np.float64))
        if own.shape[1] != len(places):
            raise ValueError(
                "decision_function of estimator must have a value for each class, got "
                f"{own.shape[1]} for {len(places)}: decision_function_shape='ovr' has"
            )
    values = np.empty((len(own), len(classes)))
    values[:] = np.minimum(own.min(axis=1, keepdims=True), -1.0)
    values[:, places] = own
    return values
