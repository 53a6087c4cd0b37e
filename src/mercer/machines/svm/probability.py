"""``probability=True``: scikit-learn's deprecated flag, served by a map of out-of-sample values."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from mercer._warning import warn
from mercer.machines.available import available_or_told

__all__ = ["PlattMixin"]

FloatArray = NDArray[np.float64]


def _has_probability(machine: Any) -> bool:
    if machine.probability is not True:
        name = type(machine).__name__
        raise AttributeError(
            f"This {name!r} has no attribute 'predict_proba': use CalibratedSVC({name}()), or "
            "TunedSVC, which has probabilities"
        ) from AttributeError("predict_proba is not available when probability=False")
    return True


class PlattMixin:
    """Probabilities by sigmoids fitted to values of rows that machines were not trained on."""

    def _fit_probability(self: Any, X: Any, y: Any, sample_weight: ArrayLike | None) -> None:
        warn(
            "The `probability` parameter is deprecated, as in scikit-learn. Use "
            f"`CalibratedSVC({type(self).__name__}())` instead.",
            FutureWarning,
        )
        if self.probability:
            _, counts = np.unique(y, return_counts=True)
            if counts.min() < 2:
                raise ValueError(
                    f"probability=True needs at least 2 samples of each class, got {counts.min()}"
                )
            # a room above this one, which knows how to leave rows out
            room = import_module("mercer.predictions.calibrated")
            self._calibration = room.calibration_of_machine(self, X, y, sample_weight)

    @available_or_told(_has_probability)
    def predict_proba(self: Any, X: Any) -> FloatArray:
        """Probability of each class, columns as in ``classes_``."""
        check_is_fitted(self)
        if not hasattr(self, "_calibration"):
            raise NotFittedError(
                "predict_proba is not available when fitted with probability=False"
            )
        values = self.machine_decisions(X)
        values = values[:, 0] if values.shape[1] == 1 else values
        found: FloatArray = self._calibration.probabilities(values)
        return found

    @available_or_told(_has_probability)
    def predict_log_proba(self: Any, X: Any) -> FloatArray:
        """Logarithm of :meth:`predict_proba`."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))
