"""Whether more rows would help: errors of machines trained on parts of the rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student

from mercer.report.learned import Learned

__all__ = ["gained", "learning_curve"]

SHARES = (1 / 16, 1 / 8, 1 / 4, 1 / 2)
LEAST_ROWS = 10
REPEATS = 4
MOST_ROWS = 16_000  # of the largest machine that is trained
MOST_TRAINED = 40_000  # rows of all machines of a size
FloatArray = NDArray[np.float64]


def learning_curve(learned: Learned, confidence: float) -> dict[str, Any]:
    """Errors on the judged rows after training on more and more rows.

    The parameters are those of the machine, which is the last one of the curve. What a doubling
    gained is the mean over the judged rows of the difference d of their losses, with the interval
    mean +- t s / sqrt(n) of n rows; for classes d is a difference of zeros and ones. Of more than
    16,000 rows a part is doubled, and the machine stands behind it.
    """
    whole = min(learned.n_rows, MOST_ROWS)
    sizes = [round(share * whole) for share in SHARES]
    sizes += [whole] if whole < learned.n_rows else []
    parts = {size: _losses(learned, size) for size in sizes if size >= LEAST_ROWS}
    curve = {size: own for size, own in parts.items() if own is not None}
    doubled = list(curve)
    curve[learned.n_rows] = learned.losses(learned.machine)[None, :]
    doubled += [] if whole < learned.n_rows else [learned.n_rows]
    means = [[learned.error(float(own.mean())) for own in one] for one in curve.values()]
    return {
        "why_not": None,
        "n_rows": list(curve),
        "n_machines": [len(one) for one in curve.values()],
        "error": [learned.error(float(one.mean())) for one in curve.values()],
        "lowest": [min(own) for own in means],
        "highest": [max(own) for own in means],
        "gain": _last_doubling(curve, doubled, confidence),
    }


def _last_doubling(
    curve: dict[int, FloatArray], doubled: list[int], confidence: float
) -> dict[str, Any] | None:
    if len(doubled) < 2:
        return None
    first, second = doubled[-2:]
    found = gained([curve[first], curve[second]], confidence)
    return {"from": first, "to": second} | found


def _losses(learned: Learned, size: int) -> FloatArray | None:
    """Of each judged row, for some machines of so many rows; None if a class is missing."""
    n_machines = max(min(REPEATS, MOST_TRAINED // size), 1)
    order = learned.in_order()
    # every k-th row of an order in equal shares has equal shares, too
    parts = [np.sort(_part(order, size, k)) for k in range(n_machines)]
    if learned.has_classes:
        n_classes = len(np.unique(learned.y))
        if any(len(np.unique(learned.y[rows])) < n_classes for rows in parts):
            return None
    found = []
    for rows in parts:
        machine = learned.unfitted().fit(*learned.taken(rows))
        found.append(learned.losses(machine))
    return np.stack(found)


def _part(order: NDArray[np.intp], size: int, k: int) -> NDArray[np.intp]:
    """The k-th of several parts of one size, overlapping where rows are few."""
    first = (k * size) % len(order)
    return np.take(order, np.arange(first, first + size), mode="wrap")


def gained(curve: list[FloatArray], confidence: float) -> dict[str, Any]:
    """By how much the mean loss fell when the rows were doubled."""
    fell = curve[-2].mean(axis=0) - curve[-1].mean(axis=0)
    mean, n = float(fell.mean()), len(fell)
    if n == 1:
        return {"mean": mean, "interval": None, "more_rows_help": None}
    reach = float(student.ppf(0.5 * (1 + confidence), n - 1) * fell.std(ddof=1) / np.sqrt(n))
    low, high = mean - reach, mean + reach
    helps = "yes" if low > 0 else "no" if high < 0 else "not shown"
    return {"mean": mean, "interval": [low, high], "more_rows_help": helps}
