"""Scorers of scikit-learn on left-out values: what they are given is a machine of known values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.metrics import check_scoring

__all__ = ["LeftOutClassifier", "LeftOutRegressor", "left_out_score"]

FloatArray = NDArray[np.float64]


class LeftOutClassifier(ClassifierMixin, BaseEstimator):
    """Its rows are outputs, from which ``decide`` makes decision values."""

    def __init__(
        self,
        classes: NDArray[Any],
        choose: Callable[[FloatArray], Any],
        decide: Callable[[FloatArray], FloatArray] = lambda values: values,
    ) -> None:
        self.classes = classes
        self.choose = choose
        self.decide = decide
        self.classes_ = classes

    def fit(self, X: FloatArray, y: Any) -> LeftOutClassifier:
        """Nothing to do."""
        return self

    def decision_function(self, values: FloatArray) -> FloatArray:
        """Of two classes the values themselves."""
        return values[:, 0] if values.shape[1] == 1 else self.decide(values)

    def predict(self, values: FloatArray) -> Any:
        """The classes that the values choose."""
        return self.choose(values)


class LeftOutRegressor(RegressorMixin, BaseEstimator):
    """Its rows are predictions."""

    def fit(self, X: FloatArray, y: Any) -> LeftOutRegressor:
        """Nothing to do."""
        return self

    def predict(self, values: FloatArray) -> FloatArray:
        """The values themselves."""
        return values[:, 0] if values.shape[1] == 1 else values


def left_out_score(
    scoring: Any, known: Any, y: NDArray[Any], weight: FloatArray
) -> Callable[[FloatArray], float]:
    """From left-out values of the first rows to their score; larger is better."""
    scorer = check_scoring(known, scoring=scoring)

    def score(values: FloatArray) -> float:
        n = len(values)
        # not every metric knows weights
        options = {} if (weight == 1).all() else {"sample_weight": weight[:n]}
        try:
            return float(scorer(known, values, y[:n], **options))
        except (AttributeError, ValueError) as error:
            raise ValueError(
                f"scoring must work on predictions or decision values, got {scoring!r}: {error}"
            ) from error

    return score
