"""Probabilities from leave-one-out values: calibration without held-out data."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import minimize
from scipy.special import expit, softmax

from mercer._shown import shown
from mercer.calibration.temperature import by_class, fit_slope

__all__ = ["LooProbability"]

FloatArray = NDArray[np.float64]


class LooProbability:
    """Class probabilities of a least squares classifier.

    Its leave-one-out values are out-of-sample: no machine has seen the row it is applied to. So a
    sigmoid fitted to them needs neither folds nor held-out rows.

    Parameters
    ----------
    machine : RLSC or LSSVC
        Fitted, with ``loo_values_``.
    y : array-like of shape (n_rows,)
        Labels it was fitted on.
    sample_weight : array-like of shape (n_rows,), default=None
        Weights.
    method : {"temperature", "sigmoid"}, default="temperature"
        "temperature": softmax(slope f), or expit(2 slope f) for two classes; the most
        probable class is always the predicted one. "sigmoid" (Platt): expit(slope f +
        offset) of each class, normalized; better for skewed classes, but it may disagree
        with ``predict``.

    Attributes
    ----------
    slope_, offset_ : ndarray of shape (n_outputs,)
        The calibration; one slope and no offset for "temperature".

    Examples
    --------
    >>> from mercer import RLSC
    >>> from mercer.diagnostics import LooProbability
    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]], [0, 0, 1, 0, 1, 1]
    >>> machine = RLSC(gamma=0.1, alpha=1.0).fit(X, y)
    >>> LooProbability(machine, y).predict_proba([[0.0], [5.0]]).argmax(axis=1).tolist()
    [0, 1]
    """

    __repr__ = shown("machine method")

    def __init__(
        self,
        machine: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        method: Literal["temperature", "sigmoid"] = "temperature",
    ) -> None:
        if method not in ("temperature", "sigmoid"):
            raise ValueError(f"method must be 'temperature' or 'sigmoid', got {method!r}")
        if getattr(machine, "loo_values_", None) is None:
            raise ValueError(
                "machine must have leave-one-out values: fit it with loo=True and a solver that "
                f"factors, got solver_={getattr(machine, 'solver_', None)!r}"
            )
        self.machine, self.method = machine, method
        labels = np.searchsorted(machine.classes_, np.asarray(y))
        weight = np.ones(len(labels)) if sample_weight is None else np.asarray(sample_weight, float)
        values = by_class(machine.loo_values_)
        if method == "temperature":
            self.slope_, self.offset_ = (
                np.array([fit_slope(values, labels, weight)]),
                np.zeros(1),
            )
        else:
            targets = labels[:, None] == np.arange(values.shape[1])
            fits = [_sigmoid(values[:, k], targets[:, k], weight) for k in range(values.shape[1])]
            self.slope_, self.offset_ = np.array(fits).T

    def predict_proba(self, X: Any) -> FloatArray:
        """Probability of each class, columns as in ``machine.classes_``."""
        values = by_class(self.machine.decision_function(X))
        scores = self.slope_ * values + self.offset_
        if self.method == "temperature":
            return softmax(scores, axis=1)
        raw = expit(scores)
        total = raw.sum(axis=1, keepdims=True)
        return np.divide(raw, total, out=np.full_like(raw, 1.0 / raw.shape[1]), where=total > 0)


def _sigmoid(
    values: FloatArray, positive: NDArray[np.bool_], weight: FloatArray
) -> tuple[float, float]:
    """Slope and offset of Platt's sigmoid, with his targets (n_+ + 1)/(n_+ + 2), 1/(n_- + 2)."""
    n_positive, n_negative = float(weight[positive].sum()), float(weight[~positive].sum())
    target = np.where(positive, (n_positive + 1) / (n_positive + 2), 1 / (n_negative + 2))

    def loss(p: FloatArray) -> tuple[float, FloatArray]:
        z = p[0] * values + p[1]
        error = weight * (expit(z) - target)
        return float(weight @ (np.logaddexp(0.0, z) - target * z)), np.array(
            [error @ values, error.sum()]
        )

    start = np.array([1.0, np.log((n_positive + 1) / (n_negative + 1))])
    slope, offset = minimize(loss, start, jac=True, method="BFGS").x
    return float(slope), float(offset)
