"""Full conformal intervals of any regressor: ends by bisection.

The machine is trained with the new row at a value y; y stays while the p-value of its absolute
residual exceeds alpha. At the prediction without the row it is 1 (or nearly so); the end on
each side is bracketed by doubled steps and bisected (Ndiaye & Takeuchi 2021). What is reported
is the outer side of the last bracket. A set with holes is taken for its part around the prediction.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from mercer.predictions.given_rows import fit_machine
from mercer.predictions.ranks import count
from mercer.predictions.stacked_rows import some_rows, stacked

__all__ = ["SearchedEnds"]

FloatArray = NDArray[np.float64]
_DOUBLINGS = 30
_ACCURACY = 1e-3  # of an end, relative to the spread of the targets
_ROUNDING = 1e-9


class _Values:
    """Whether a value of a new row stays."""

    def __init__(
        self, machine: Any, rows: Any, y: FloatArray, weight: FloatArray | None, alpha: float
    ) -> None:
        self._machine, self._rows, self._y, self._alpha = machine, rows, y, alpha
        self._fit_weight = None if weight is None else np.append(weight, 1.0)
        self._weight = np.ones(len(y)) if weight is None else weight

    def stays(self, value: float) -> bool:
        """Whether its p-value exceeds alpha."""
        y = np.append(self._y, value)
        machine = fit_machine(clone(self._machine), self._rows, y, self._fit_weight)
        size = np.abs(y - machine.predict(self._rows))
        slack = max(_ROUNDING * float(size.max()), float(getattr(machine, "violation_", 0.0)))
        p = count(size[:-1], self._weight, size[-1:], slack).p_values()[0]
        return bool(p > self._alpha)


@dataclass(frozen=True, eq=False)
class SearchedEnds:
    """A regressor to train with each new row.

    Attributes
    ----------
    machine : regressor
        Cloned for every fit.
    X, y : rows and targets
        What it is trained on besides the new row.
    fit_weight : ndarray of shape (n_rows,) or None
        Weights, if any were given.
    """

    machine: Any
    X: Any
    y: FloatArray
    fit_weight: FloatArray | None
    scores: None = None

    @property
    def weight(self) -> FloatArray:
        """How often each row counts."""
        return np.ones(len(self.y)) if self.fit_weight is None else self.fit_weight

    def intervals(self, Z: Any, centre: FloatArray, alpha: float) -> FloatArray:
        """Ends for each new row; ``centre`` are the predictions."""
        if alpha * (self.weight.sum() + 1.0) < 1.0:
            return np.tile([-np.inf, np.inf], (len(centre), 1))
        rows = (some_rows(Z, np.array([j])) for j in range(len(centre)))
        found = [
            self._ends(row, float(value), alpha) for row, value in zip(rows, centre, strict=True)
        ]
        return np.array(found).reshape(len(centre), 2)

    def _ends(self, row: Any, centre: float, alpha: float) -> tuple[float, float]:
        values = _Values(self.machine, stacked(self.X, row), self.y, self.fit_weight, alpha)
        spread = float(self.y.std()) or 1.0
        below, above = (_reach(values, centre, side, spread) for side in (-1, 1))
        return centre - below, centre + above


def _reach(values: _Values, centre: float, side: int, spread: float) -> float:
    """Distance from the centre at which values no longer stay."""
    inner, outer = 0.0, spread
    for _ in range(_DOUBLINGS):
        if not values.stays(centre + side * outer):
            break
        inner, outer = outer, 2.0 * outer
    else:
        return np.inf
    while outer - inner > _ACCURACY * spread:
        middle = 0.5 * (inner + outer)
        inner, outer = (middle, outer) if values.stays(centre + side * middle) else (inner, middle)
    return outer
