"""Targets of regression as the machine learns them, and scores in their own unit."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.metrics import get_scorer
from sklearn.preprocessing import RobustScaler, StandardScaler

from mercer.selection.deviation import spreads

__all__ = ["ScoreOfTargets", "scale_of_targets", "target_scaler"]


def target_scaler(y: NDArray[np.float64]) -> Any:
    """Return what scales targets: by their deviation or, if that is less, by that of most of them.

    A few targets that are far away move the first one, and with it what epsilon means.
    """
    usual, robust = spreads(y, np.ones(len(y)))
    if 0.0 < robust < usual:
        return RobustScaler(unit_variance=True)
    return StandardScaler()


def scale_of_targets(estimator: Any) -> float | None:
    """By how much a fitted estimator scales the targets; None if it does not."""
    scaler = getattr(estimator, "transformer_", None)
    return None if scaler is None else float(scaler.scale_[0])


class ScoreOfTargets:
    """A score of scikit-learn that sees targets and predictions in their own unit.

    Parameters
    ----------
    name : str
        The name of the score.
    y : ndarray of shape (n_rows,)
        The targets that the machine learns scaled by :func:`target_scaler`.
    """

    def __init__(self, name: str, y: NDArray[np.float64]) -> None:
        self.name = name
        self.scorer = get_scorer(name)
        self.scaler = target_scaler(y).fit(y[:, None])

    def __call__(self, machine: Any, X: Any, y: NDArray[np.float64], **options: Any) -> float:
        """Score what the machine predicts for some rows."""
        whole = _Unscaled(machine, self.scaler)
        return float(self.scorer(whole, X, _unscaled(y, self.scaler), **options))

    def __repr__(self) -> str:
        return self.name


class _Unscaled(RegressorMixin, BaseEstimator):
    """A machine that predicts in the unit of the targets."""

    def __init__(self, machine: Any, scaler: Any) -> None:
        self.machine = machine
        self.scaler = scaler

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Predict."""
        return _unscaled(self.machine.predict(X), self.scaler)


def _unscaled(values: Any, scaler: Any) -> NDArray[np.float64]:
    return np.asarray(scaler.inverse_transform(np.reshape(values, (-1, 1)))).ravel()
