"""Values of examples before they were learned: what probabilities are fitted to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from mercer.calibration.temperature import by_class, fit_slope
from mercer.online.classes import grown_values

__all__ = ["Judged"]

FloatArray = NDArray[np.float64]
_MOST = 1000  # examples that are remembered, the last ones


@dataclass(frozen=True, eq=False)
class Judged:
    """The last examples, each as the machine saw it before it learned from it.

    Attributes
    ----------
    values : ndarray of shape (n, n_classes)
        Decision values.
    labels : ndarray of shape (n,)
        Class of each example, as its place among the classes.
    weight : ndarray of shape (n,)
        Weight of each example.
    """

    values: FloatArray
    labels: NDArray[np.intp]
    weight: FloatArray

    @classmethod
    def after(
        cls, before: Judged | None, values: FloatArray, labels: NDArray[Any], weight: FloatArray
    ) -> Judged:
        """Some more examples after those before them."""
        some: tuple[Any, ...] = (_by_class(values), labels, weight)
        if before is not None:
            some = tuple(np.concatenate(pair) for pair in zip(before.parts, some, strict=True))
        return cls(*(part[-_MOST:] for part in some))

    @property
    def parts(self) -> tuple[FloatArray, NDArray[np.intp], FloatArray]:
        """Values, labels and weights, to be saved."""
        return self.values, self.labels, self.weight

    def relabelled(self, places: NDArray[np.intp], n_classes: int) -> Judged:
        """The same examples among more classes; ``places`` are those of the old ones."""
        values = grown_values(self.values, places, n_classes)
        return Judged(values, places[self.labels], self.weight)

    @property
    def slope(self) -> float:
        """Factor of the values in the softmax that makes these examples most likely."""
        return fit_slope(*self.parts)

    def probabilities(self, values: FloatArray) -> FloatArray:
        """softmax(slope f), a column for each class."""
        return softmax(self.slope * _by_class(values), axis=1)


def _by_class(values: FloatArray) -> FloatArray:
    """Values of each class, from those of the functions."""
    return by_class(values[:, 0] if values.shape[1] == 1 else values)
