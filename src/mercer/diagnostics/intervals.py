"""Intervals of errors and of their differences, and several tests at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv
from scipy.stats import norm

__all__ = ["difference_interval", "error_interval", "holm"]

FloatArray = NDArray[np.float64]


def error_interval(n_wrong: NDArray[np.int64], n: int, confidence: float) -> FloatArray:
    """Intervals of errors of which ``n_wrong`` of n rows were seen, shape (n_errors, 2).

    The errors p that do not make a count as small, or as large, as k less likely than (1 -
    confidence)/2: quantiles of Beta(k, n - k + 1) and of Beta(k + 1, n - k) (Clopper & Pearson
    1934).
    """
    k, tail = np.asarray(n_wrong, dtype=np.float64), 0.5 * (1.0 - confidence)
    low = np.where(k > 0, betaincinv(np.maximum(k, 1.0), n - k + 1.0, tail), 0.0)
    high = np.where(k < n, betaincinv(k + 1.0, np.maximum(n - k, 1.0), 1.0 - tail), 1.0)
    return np.column_stack([low, high])


def difference_interval(
    only_first: int, only_second: int, n: int, confidence: float
) -> tuple[float, float]:
    """Interval of the difference of two errors on the same n rows (Bonett & Price 2012).

    With one row more of either kind, p = (b + 1)/(n + 2) and q = (c + 1)/(n + 2) for the b and c
    rows that only one of the two gets wrong:

        p - q +- z sqrt((p + q - (p - q)^2) / (n + 2))
    """
    z = float(norm.ppf(0.5 * (1.0 + confidence)))
    p, q = (only_first + 1) / (n + 2), (only_second + 1) / (n + 2)
    reach = z * float(np.sqrt((p + q - (p - q) ** 2) / (n + 2)))
    seen = (only_first - only_second) / n
    return max(min(p - q - reach, seen), -1.0), min(max(p - q + reach, seen), 1.0)


def holm(p_values: FloatArray) -> FloatArray:
    """The k-th smallest of m times m - k + 1, at least the one before it (Holm 1979)."""
    order = np.argsort(p_values)
    factor = np.arange(len(p_values), 0, -1)
    out = np.empty_like(p_values)
    out[order] = np.minimum(np.maximum.accumulate(p_values[order] * factor), 1.0)
    return out
