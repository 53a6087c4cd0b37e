"""The map from the values of a machine of two or more classes to probabilities."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from mercer._shown import shown
from mercer.calibration.coupling import coupled
from mercer.calibration.layout import Layout
from mercer.calibration.sigmoid import fit_beta, fit_sigmoid, fit_sigmoids
from mercer.calibration.steps import VennAbers, fit_steps, fit_venn_abers
from mercer.calibration.temperature import fit_slope

__all__ = ["METHODS", "Calibration"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]
Map = Callable[[FloatArray], FloatArray]

_FITS: dict[str, Any] = {
    "platt": fit_sigmoid,
    "beta": fit_beta,
    "isotonic": fit_steps,
    "venn-abers": fit_venn_abers,
}
METHODS = ("platt", "temperature", "beta", "isotonic", "venn-abers")


@dataclass(frozen=True, eq=False)
class Calibration:
    """Maps of the values of a machine to probabilities, and how they are combined.

    Attributes
    ----------
    layout : Layout
        What the values are about.
    maps : list of maps
        One for two classes, one for each pair or class; empty for a temperature.
    slope : float or None
        The inverse temperature.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.calibration import Calibration
    >>> from mercer.calibration.layout import Layout
    >>> values, labels = np.array([-2.0, -1.0, 1.0, 2.0]), np.array([0, 1, 0, 1])
    >>> found = Calibration.fitted(Layout(2, "two"), values, labels, np.ones(4), "platt")
    >>> found.probabilities(np.array([-2.0, 0.0, 2.0])).round(2).tolist()
    [[0.6, 0.4], [0.5, 0.5], [0.4, 0.6]]
    """

    layout: Layout
    maps: list[Any]
    slope: float | None = None

    __repr__ = shown()

    @classmethod
    def fitted(
        cls, layout: Layout, values: FloatArray, labels: IntArray, weight: FloatArray, method: str
    ) -> Calibration:
        """The maps of values that were not trained on, to the labels of their rows."""
        used = weight > 0
        values, labels, weight = values[used], labels[used], weight[used]
        if method == "temperature":
            slope = fit_slope(layout.class_values(values), labels, weight)
            return cls(layout, [], slope)
        fit = _FITS[method]
        if layout.kind == "two":
            return cls(layout, [fit(values, labels == 1, weight)])
        if layout.kind == "pairs":
            return cls(layout, _of_pairs(fit, layout.n_classes, values, labels, weight))
        scores = layout.class_values(values)
        each = [fit(scores[:, c], labels == c, weight) for c in range(layout.n_classes)]
        return cls(layout, each)

    def probabilities(self, values: FloatArray) -> FloatArray:
        """Probability of each class, (n, n_classes)."""
        layout = self.layout
        if self.slope is not None:
            return np.asarray(softmax(self.slope * layout.class_values(values), axis=1))
        if layout.kind == "two":
            second = self.maps[0](values)
            return np.column_stack([1.0 - second, second])
        if layout.kind == "pairs":
            first = np.column_stack([own(column) for own, column in self._columns(values)])
            return coupled(first, layout.n_classes)
        scores = layout.class_values(values)
        found = np.column_stack([own(column) for own, column in self._columns(scores)])
        total = found.sum(axis=1, keepdims=True)
        even = np.full_like(found, 1.0 / layout.n_classes)  # where no class is thought possible
        return np.divide(found, total, out=even, where=total > 0)

    def _columns(self, values: FloatArray) -> Any:
        return zip(self.maps, values.T, strict=True)

    def interval(self, values: FloatArray) -> FloatArray:
        """Both probabilities of the second class by Venn-Abers, (n, 2)."""
        if self.layout.kind != "two" or not isinstance(self.maps[0], VennAbers):
            raise ValueError(
                "predict_interval needs two classes and method='venn-abers', got "
                f"{self.layout.n_classes} classes"
            )
        return self.maps[0].interval(values)


def _of_pairs(
    fit: Any, n_classes: int, values: FloatArray, labels: IntArray, weight: FloatArray
) -> list[Map]:
    """A map for each pair from the rows of its classes."""
    pairs = list(combinations(range(n_classes), 2))
    rows = [np.flatnonzero((labels == i) | (labels == j)) for i, j in pairs]
    own = [column[at] for column, at in zip(values.T, rows, strict=True)]
    first = [labels[at] == i for at, (i, _) in zip(rows, pairs, strict=True)]
    weights = [weight[at] for at in rows]
    if fit is fit_sigmoid:
        begins = np.cumsum([0, *map(len, rows[:-1])])
        joined = np.concatenate(own), np.concatenate(first), np.concatenate(weights)
        return list(fit_sigmoids(*joined, begins))
    return [fit(*given) for given in zip(own, first, weights, strict=True)]
