"""A criterion over C and one width, as a picture."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer._floating import without_warnings
from mercer.selection.objectives import Objective
from mercer.selection.objectives.base import NoValue
from mercer.selection.objectives.validation import Validation

__all__ = ["landscape", "plot_landscape"]

FloatArray = NDArray[np.float64]


@without_warnings
def landscape(
    objective: Objective, Cs: ArrayLike, factors: ArrayLike, *, n_draws: int = 1
) -> FloatArray:
    """Values of a criterion for all pairs of a C and a factor of all widths.

    Parameters
    ----------
    objective : Objective
        What :func:`make_objective` gives, of a kernel with at least one width.
    Cs : array-like of shape (n_C,)
        Values of C; of nu for machines that have that, of 1 / alpha for least squares.
    factors : array-like of shape (n_factors,)
        What every gamma of the objective's kernel is multiplied by.
    n_draws : int, default=1
        Evaluations that are averaged, for criteria that draw rows.

    Returns
    -------
    ndarray of shape (n_factors, n_C)
        NaN where the criterion has no value.

    Examples
    --------
    >>> from mercer import SVC
    >>> from mercer.lab import landscape
    >>> from mercer.selection import make_objective
    >>> objective = make_objective("cv", SVC(), [[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1], cv=2)
    >>> landscape(objective, [1.0, 10.0], [0.1, 1.0, 10.0]).shape
    (3, 2)
    """
    Cs, scales = (_positive(name, given) for name, given in (("Cs", Cs), ("factors", factors)))
    direction = objective.space.width_direction
    if not direction.any():
        raise ValueError(f"the kernel {objective.space.kernel!r} has no width to move")
    start = objective.space.start[1:]
    rows = []
    for scale in scales:
        kernel = start + np.log(scale) * direction
        thetas = [np.concatenate([[np.log(C)], kernel]) for C in Cs]
        rows.append(_row(objective, thetas, n_draws))
    return np.array(rows)


def _row(objective: Objective, thetas: list[FloatArray], n_draws: int) -> list[float]:
    """Values of several C with one kernel."""
    if isinstance(objective, Validation) and not objective.is_stochastic:
        return [float(by_split.mean()) for by_split in objective.series(thetas)]
    count = n_draws if objective.is_stochastic else 1
    return [float(np.mean([_value(objective, theta) for _ in range(count)])) for theta in thetas]


def _value(objective: Objective, theta: FloatArray) -> float:
    try:
        return objective.value(theta)
    except NoValue:
        return np.nan


def plot_landscape(
    objective: Objective,
    Cs: ArrayLike | None = None,
    factors: ArrayLike | None = None,
    *,
    n_draws: int = 1,
    ax: Any = None,
) -> Any:
    """Draw a criterion over C and gamma; the best cell is marked.

    Parameters
    ----------
    objective : Objective
        What :func:`make_objective` gives, of a kernel with at least one width.
    Cs : array-like, default=None
        Values of C; None for thirteen from 0.01 to 10,000.
    factors : array-like, default=None
        What every gamma is multiplied by; None for thirteen from 1/1000 to 1000.
    n_draws : int, default=1
        Evaluations that are averaged, for criteria that draw rows.
    ax : matplotlib axes, default=None
        Where to draw; None for the current ones.

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> from mercer import SVC
    >>> from mercer.lab import plot_landscape
    >>> from mercer.selection import make_objective
    >>> objective = make_objective("alignment", SVC(gamma=0.5), [[0.0], [1.0], [2.0]], [0, 0, 1])
    >>> axes = plot_landscape(objective, [1.0, 10.0], [0.1, 1.0])
    >>> axes.get_xlabel()
    'C'
    """
    import matplotlib.pyplot as plt

    shown = np.logspace(-2, 4, 13) if Cs is None else _positive("Cs", Cs)
    scales = np.logspace(-3, 3, 13) if factors is None else _positive("factors", factors)
    values = landscape(objective, shown, scales, n_draws=n_draws)
    ax = plt.figure().gca() if ax is None else ax
    widths = objective.space.widths
    is_radial = len(widths) == 1 and widths[0].ndim == 0
    heights = scales * float(widths[0]) if is_radial else scales
    drawn = ax.pcolormesh(shown, heights, np.ma.masked_invalid(values), shading="nearest")
    best = np.nanargmax(values) if objective.greater_is_better else np.nanargmin(values)
    row, column = np.unravel_index(best, values.shape)
    label = f"best: {values[row, column]:.4g}"
    ax.plot(shown[column], heights[row], "r*", markersize=14, label=label)
    ax.set(xscale="log", yscale="log", title=objective.name)
    ax.set_xlabel(objective.space.names[0].removeprefix("log "))
    ax.set_ylabel("gamma" if is_radial else "factor of gamma")
    ax.figure.colorbar(drawn, ax=ax, label="criterion")
    ax.legend()
    return ax


def _positive(name: str, given: ArrayLike) -> FloatArray:
    values = np.asarray(given, dtype=np.float64)
    if values.ndim != 1 or not len(values) or not ((values > 0) & np.isfinite(values)).all():
        raise ValueError(f"{name} must be a list of positive finite numbers, got {given!r}")
    return values
