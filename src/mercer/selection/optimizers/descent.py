"""The searches by derivatives, for any function.

Rprop, iRprop+ and NoisyRprop need a value and a gradient and nothing of a machine (Glasmachers
2008, chapter 11).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer._shown import shown
from mercer.selection.optimizers.noisy_rprop import NoisyRprop
from mercer.selection.optimizers.rprop import IRpropPlus, Rprop

__all__ = ["Minimum", "minimize"]

FloatArray = NDArray[np.float64]
ValueAndGradient = Callable[[FloatArray], tuple[float, ArrayLike]]
DESCENTS: dict[str, Any] = {"rprop": Rprop, "irprop+": IRpropPlus, "noisy-rprop": NoisyRprop}


@dataclass(frozen=True)
class Minimum:
    """Where a search ended.

    Attributes
    ----------
    x : ndarray of shape (n,)
        The best point; of "noisy-rprop" the mean of the last tenth of its walk, because values
        that are draws say nothing about a single point.
    value : float
        The least value; of "noisy-rprop" the mean of those of the last tenth.
    status : str
        "converged", "max-evals" or "flat" (a gradient of zeros).
    n_evals : int
        Evaluations of the function.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.selection import minimize
    >>> found = minimize(lambda x: (float(((x - 2) ** 2).sum()), 2 * (x - 2)), np.array([5.0]))
    >>> found.x.round(3).tolist(), found.status
    ([2.0], 'converged')
    """

    x: FloatArray
    value: float
    status: str
    n_evals: int

    __repr__ = shown()


def minimize(
    function: ValueAndGradient,
    start: ArrayLike,
    *,
    optimizer: str | Rprop | NoisyRprop = "irprop+",
    bounds: ArrayLike | None = None,
) -> Minimum:
    """Minimize a function by the signs of its derivatives.

    Parameters
    ----------
    function : callable
        Takes a point and returns the value and the gradient there; for "noisy-rprop" both may be
        draws, and the value may be NaN.
    start : array-like of shape (n,)
        Where to begin.
    optimizer : {"rprop", "irprop+", "noisy-rprop"}, Rprop or NoisyRprop, default="irprop+"
        The search. An object of :mod:`mercer.selection.optimizers` brings its own step sizes and
        number of iterations.
    bounds : array-like of shape (n, 2), default=None
        Least and largest value of every coordinate; None means none.

    Returns
    -------
    Minimum

    Examples
    --------
    >>> from mercer.selection import minimize
    >>> found = minimize(lambda x: (x @ x, 2 * x), [1.0, -2.0])
    >>> bool(abs(found.x).max() < 1e-4), found.status
    (True, 'converged')
    """
    place = np.array(start, dtype=np.float64)
    if place.ndim != 1 or not len(place) or not np.isfinite(place).all():
        raise ValueError(f"start must be a vector of finite numbers, got {start!r}")
    search = _resolve(optimizer)
    watched = _WatchedFunction(function, _read_bounds(bounds, place))
    status = search.minimize(watched, place)
    return watched.minimum(status, is_walk=isinstance(search, NoisyRprop))


def _resolve(optimizer: Any) -> Any:
    if isinstance(optimizer, (Rprop, NoisyRprop)):
        return optimizer
    if isinstance(optimizer, str) and optimizer in DESCENTS:
        return DESCENTS[optimizer]()
    raise ValueError(
        f"optimizer must be one of {sorted(DESCENTS)}, Rprop or NoisyRprop, got {optimizer!r}"
    )


def _read_bounds(bounds: ArrayLike | None, start: FloatArray) -> FloatArray:
    if bounds is None:
        return np.tile([-np.inf, np.inf], (len(start), 1))
    found = np.array(bounds, dtype=np.float64)
    if found.shape != (len(start), 2) or not (found[:, 0] <= found[:, 1]).all():
        raise ValueError(
            f"bounds must be {len(start)} pairs of a least and a largest value, got {bounds!r}"
        )
    if not ((found[:, 0] <= start) & (start <= found[:, 1])).all():
        raise ValueError(f"start must lie within bounds, got {start!r}")
    return found


class _WatchedFunction:
    """What a search sees of a function: values, gradients, bounds; there is no chart to move."""

    def __init__(self, function: ValueAndGradient, bounds: FloatArray) -> None:
        self.function, self.bounds = function, bounds
        self.places: list[FloatArray] = []
        self.values: list[float] = []

    def gradient(self, place: FloatArray) -> tuple[float, FloatArray]:
        value, found = self.function(place.copy())
        gradient = np.array(found, dtype=np.float64)
        if gradient.shape != place.shape:
            raise ValueError(
                f"function must return a gradient of shape {place.shape}, got {gradient.shape}"
            )
        self.places.append(place)
        self.values.append(float(value))
        return float(value), gradient

    def move_chart(self, place: FloatArray) -> FloatArray:
        return place

    def minimum(self, status: str, is_walk: bool) -> Minimum:
        n = len(self.values)
        if is_walk:
            last = -max(1, n // 10)
            place = np.mean(self.places[last:], axis=0)
            return Minimum(place, float(np.mean(self.values[last:])), status, n)
        values = np.where(np.isfinite(self.values), self.values, np.inf)
        best = int(np.argmin(values))
        return Minimum(self.places[best], self.values[best], status, n)
