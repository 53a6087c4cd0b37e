"""Intervals by machines that were trained on parts of the rows: split and CV+.

Row i is off by s_i under the machine k(i) that has not seen it. The ends of a new row are

    f_k(i)(x) - s_i  and  f_k(i)(x) + s_i,         s_i = |y_i - f_k(i)(x_i)|

(Barber et al. 2021), or, of machines for a lower and an upper quantile, low(x) - s_i
and high(x) + s_i with s_i = max(low(x_i) - y_i, y_i - high(x_i)) (Romano et al. 2019).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from mercer.machines.svm.regressors import SVR
from mercer.predictions.parts import Part, fit_parts

__all__ = ["PartEnds", "band_machines", "fit_part_ends", "is_quantile", "off_by"]

FloatArray = NDArray[np.float64]


def is_quantile(machine: Any) -> bool:
    """Whether a machine is one of quantiles."""
    return isinstance(machine, SVR) and machine.loss == "quantile"


def band_machines(machine: Any, alpha: float) -> list[Any]:
    """The machine, or those of the lower and the upper quantile."""
    if not is_quantile(machine):
        return [machine]
    return [clone(machine).set_params(quantile=level) for level in (alpha / 2, 1 - alpha / 2)]


def off_by(y: FloatArray, values: list[FloatArray]) -> FloatArray:
    """How far targets lie from one value, or outside of two."""
    return np.maximum(values[0] - y, y - values[-1])


@dataclass(frozen=True, eq=False)
class PartEnds:
    """Machines of parts of the rows, and how far off they are on the others.

    Attributes
    ----------
    machines : list of lists of regressors
        For each part one, or those of the lower and the upper quantile.
    fold : ndarray of shape (n_calibration,)
        The part that each held-out row is for.
    scores, weight : ndarray of shape (n_calibration,)
        How far it is off, and how often it counts.
    columns : list of ndarray or None
        The columns of a kernel matrix that the machines of each part were trained on.
    """

    machines: list[list[Any]]
    fold: NDArray[np.intp]
    scores: FloatArray
    weight: FloatArray
    columns: list[NDArray[np.intp]] | None

    def ends(self, Z: Any) -> tuple[FloatArray, FloatArray]:
        """Lower and upper ends of new rows, one for each held-out row: (m, n) each."""
        low, high = [], []
        for k, band in enumerate(self.machines):
            rows = Z if self.columns is None else Z[:, self.columns[k]]
            values = [machine.predict(rows) for machine in band]
            low.append(values[0])
            high.append(values[-1])
        below, above = np.column_stack(low), np.column_stack(high)
        return below[:, self.fold] - self.scores, above[:, self.fold] + self.scores


def fit_part_ends(
    bands: list[Any],
    X: Any,
    y: FloatArray,
    weight: FloatArray | None,
    parts: list[Part],
    pairwise: bool,
) -> PartEnds:
    """Train on each part and see how far the machines are off on the rest."""
    found = [fit_parts(machine, X, y, weight, parts, pairwise) for machine in bands]
    first = found[0]
    values = [
        np.concatenate(
            [
                machine.predict(rows)
                for machine, rows in zip(one.machines, one.held_out, strict=True)
            ]
        )
        for one in found
    ]
    return PartEnds(
        machines=[list(band) for band in zip(*(one.machines for one in found), strict=True)],
        fold=first.fold,
        scores=off_by(y[first.index], values),
        weight=first.weight,
        columns=first.columns,
    )
