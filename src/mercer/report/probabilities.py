"""Whether probabilities are calibrated."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import log_loss

from mercer.diagnostics.intervals import error_interval
from mercer.report.judged import Judged

__all__ = ["bins", "calibration"]

N_BINS = 10


def calibration(judged: Judged, confidence: float) -> dict[str, Any] | None:
    """Predicted against observed shares, in bins of equally many rows, with exact intervals.

    Two classes: the probability of the second one. More: that of the class with the largest one,
    against how often it is the true class.
    """
    shares, classes = judged.probabilities, judged.classes
    if shares is None or classes is None or judged.truth is None:
        return None
    own = np.searchsorted(classes, judged.truth)
    is_two = len(classes) == 2
    said = shares[:, 1] if is_two else shares.max(axis=1)
    happened = own == 1 if is_two else shares.argmax(axis=1) == own
    return {
        "of": str(classes[1]) if is_two else None,
        "confidence": confidence,
        "log_loss": float(log_loss(own, shares, labels=np.arange(len(classes)))),
        "brier": _brier(shares, own),
        "bins": bins(said, happened, confidence),
    }


def _brier(shares: NDArray[np.float64], own: NDArray[np.intp]) -> float:
    """Brier's score, the mean square error of the probabilities; of two classes of the second."""
    if shares.shape[1] == 2:
        return float(np.mean((shares[:, 1] - own) ** 2))
    mine = shares[np.arange(len(own)), own]
    return float(np.mean((shares**2).sum(axis=1) - 2.0 * mine + 1.0))


def bins(
    said: NDArray[np.float64],
    happened: NDArray[np.bool_],
    confidence: float,
    n_bins: int = N_BINS,
) -> list[dict[str, Any]]:
    """Rows by the probability said, in parts of equally many."""
    order = np.argsort(said, kind="stable")
    found = []
    for part in np.array_split(order, min(n_bins, len(order))):
        count = int(happened[part].sum())
        within = error_interval(np.array([count]), len(part), confidence)[0]
        found.append(
            {
                "n_rows": len(part),
                "mean_said": float(said[part].mean()),
                "observed": count / len(part),
                "interval": within.tolist(),
            }
        )
    return found
