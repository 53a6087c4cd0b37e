"""How well numbers are predicted: verdict, residuals."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student

from mercer.report.judged import Judged

__all__ = ["number_verdict", "residuals"]

FloatArray = NDArray[np.float64]
MOST_POINTS = 400
N_BANDS = 10


def number_verdict(judged: Judged, confidence: float) -> dict[str, Any]:
    """R2 and errors next to those of always predicting the mean, with intervals.

    1 - R2 is the ratio of two means, m = mean of e_i^2 over s = mean of (y_i - mean y)^2. By the
    delta method its logarithm has the variance of e_i^2 / m - (y_i - mean y)^2 / s, over n; that of
    the mean square error has the variance of e_i^2 / m, over n (approximate: for many rows).
    """
    truth, n = np.asarray(judged.truth, dtype=np.float64), judged.n_rows
    squares, spread = (truth - judged.predicted) ** 2, (truth - truth.mean()) ** 2
    error, variance = float(squares.mean()), float(spread.mean())
    has_score = variance > 0.0
    ratio = error / variance if has_score else None
    by_error = _relative(squares, error)
    by_ratio = by_error - _relative(spread, variance)
    root = float(np.sqrt(error))
    ratio_interval = None if ratio is None else _interval(ratio, by_ratio, confidence)
    return {
        "n_rows": n,
        "confidence": confidence,
        "r2": None if ratio is None else 1.0 - ratio,
        "r2_interval": ratio_interval and [1.0 - ratio_interval[1], 1.0 - ratio_interval[0]],
        "rmse": root,
        "rmse_interval": _interval(root, 0.5 * by_error, confidence),
        "mean_absolute_error": float(np.abs(truth - judged.predicted).mean()),
        "median_absolute_error": float(np.median(np.abs(truth - judged.predicted))),
        "bias": float((judged.predicted - truth).mean()),
        "baseline": float(truth.mean()),
        "baseline_rmse": float(np.sqrt(variance)),
    }


def _relative(values: FloatArray, mean: float) -> FloatArray:
    return values / mean if mean > 0.0 else np.zeros_like(values)


def _interval(value: float, influence: FloatArray, confidence: float) -> list[float] | None:
    """Interval of a positive value whose logarithm is a mean of such influences."""
    n = len(influence)
    if n < 3:
        return None
    reach = student.ppf(0.5 * (1.0 + confidence), n - 1) * influence.std(ddof=1) / np.sqrt(n)
    return [value * float(np.exp(-reach)), value * float(np.exp(reach))]


def residuals(judged: Judged) -> dict[str, Any]:
    """Points to draw, evenly spaced rows of many, and bands of predictions for all rows."""
    truth = np.asarray(judged.truth, dtype=np.float64)
    rows = np.unique(np.linspace(0, len(truth) - 1, min(len(truth), MOST_POINTS)).round())
    chosen = rows.astype(np.intp)
    return {
        "n_points": len(chosen),
        "rows": chosen.tolist(),
        "true": truth[chosen].tolist(),
        "predicted": judged.predicted[chosen].tolist(),
        "bands": _bands(truth, judged.predicted),
    }


def _bands(truth: FloatArray, predicted: FloatArray) -> list[dict[str, Any]]:
    """Equal shares of the rows by what is predicted."""
    order = np.argsort(predicted, kind="stable")
    parts = np.array_split(order, min(N_BANDS, len(order)))
    return [
        {
            "n_rows": len(part),
            "low": float(predicted[part].min()),
            "high": float(predicted[part].max()),
            "mean_predicted": float(predicted[part].mean()),
            "mean_true": float(truth[part].mean()),
            "rmse": float(np.sqrt(np.mean((truth[part] - predicted[part]) ** 2))),
        }
        for part in parts
    ]
