"""What thresholds gain: a score of the labels that they give, or minus what these cost."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import check_scoring

__all__ = ["Gain", "check_cost", "gain_of"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]
# From thresholds, values, labels and weights to what is to be large.
Gain = Callable[[FloatArray, FloatArray, IntArray, FloatArray], FloatArray]
_MOST_SCORED = 200  # thresholds that a scorer is asked about
_TWO = np.arange(2)


class _Parted(ClassifierMixin, BaseEstimator):
    """A classifier whose rows are values: of labels alone, which thresholds are chosen by."""

    def __init__(self, classes: NDArray[Any] = _TWO, threshold: float = 0.0) -> None:
        self.classes = classes
        self.threshold = threshold
        self.classes_ = classes

    def fit(self, X: FloatArray, y: Any) -> _Parted:
        """Nothing to do."""
        return self

    def predict(self, values: FloatArray) -> NDArray[Any]:
        """The second class above the threshold."""
        return np.asarray(self.classes[(values > self.threshold).astype(np.intp)])


def check_cost(cost: Any) -> None:
    """Raise ValueError unless thresholds can be chosen by it."""
    if not isinstance(cost, str) and not callable(cost):
        _costs(cost)
        return
    try:
        scorer = check_scoring(_Parted(), scoring=cost)
    except ValueError as error:
        raise ValueError(f"cost must be a score of scikit-learn, got {cost!r}") from error
    # functions of the user do not say what they ask for
    if getattr(scorer, "_response_method", "predict") != "predict":
        raise _not_of_labels(cost, "it judges values or probabilities, which stay as they are")


def gain_of(cost: Any, classes: NDArray[Any]) -> Gain:
    """The gain by a score, or by costs of a row for each class and a column for each predicted."""
    if isinstance(cost, str) or callable(cost):
        return _by_scorer(cost, classes)
    return _by_costs(_costs(cost))


def _costs(cost: Any) -> FloatArray:
    try:
        costs = np.asarray(cost, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"cost must be a score or 2 x 2 numbers, got {cost!r:.80}") from error
    if costs.shape != (2, 2):
        raise ValueError(
            f"cost must be a score or 2 x 2 costs, one row for each class, got shape {costs.shape}"
        )
    if not np.isfinite(costs).all():
        raise ValueError(f"cost must be finite, got {costs.tolist()}")
    if (costs < 0).any():
        raise ValueError(
            f"cost must not be negative, got {costs.tolist()}: give what an error costs as a "
            "positive number"
        )
    return costs


def _not_of_labels(cost: Any, reason: Any) -> ValueError:
    return ValueError(f"cost must be a score of predicted labels, got {cost!r}: {reason}")


def _by_costs(costs: FloatArray) -> Gain:
    def gain(
        candidates: FloatArray, values: FloatArray, labels: IntArray, weight: FloatArray
    ) -> FloatArray:
        order = np.argsort(values, kind="stable")
        # rows at or below a candidate are predicted as the first class
        low, high = (costs[labels[order], c] * weight[order] for c in (0, 1))
        below = np.searchsorted(values[order], candidates, side="right")
        as_first = np.append(0.0, np.cumsum(low))[below]
        as_second = high.sum() - np.append(0.0, np.cumsum(high))[below]
        return -(as_first + as_second) / weight.sum()

    return gain


def _by_scorer(scoring: Any, classes: NDArray[Any]) -> Gain:
    scorer = check_scoring(_Parted(), scoring=scoring)

    def gain(
        candidates: FloatArray, values: FloatArray, labels: IntArray, weight: FloatArray
    ) -> FloatArray:
        options = {} if (weight == weight[0]).all() else {"sample_weight": weight}
        out = np.full(len(candidates), -np.inf)
        share = max(1, -(-len(candidates) // _MOST_SCORED))
        for k in {*range(0, len(candidates), share), len(candidates) - 1}:
            machine = _Parted(classes, float(candidates[k]))
            try:
                out[k] = scorer(machine, values, classes[labels], **options)
            except (AttributeError, ValueError) as error:
                raise _not_of_labels(scoring, error) from error
        return out

    return gain
