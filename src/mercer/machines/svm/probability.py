"""``probability=True``: scikit-learn's deprecated flag, served by its calibration."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from mercer._warning import warn

__all__ = ["PlattMixin"]

FloatArray = NDArray[np.float64]


def _has_probability(machine: Any) -> bool:
    if machine.probability is not True:
        raise AttributeError("predict_proba is not available when probability=False")
    return True


class PlattMixin:
    """Probabilities by a sigmoid fitted to deterministic out-of-fold decisions."""

    def _fit_probability(self: Any, X: Any, y: Any, sample_weight: ArrayLike | None) -> None:
        warn(
            "The `probability` parameter is deprecated, as in scikit-learn. Use "
            f"`CalibratedClassifierCV({type(self).__name__}(), ensemble=False)` instead.",
            FutureWarning,
        )
        if self.probability:
            from sklearn.calibration import CalibratedClassifierCV

            _, counts = np.unique(y, return_counts=True)
            if counts.min() < 2:
                raise ValueError(
                    f"probability=True needs at least 2 samples of each class, got {counts.min()}"
                )
            machine = clone(self).set_params(probability="deprecated", warm_start=False)
            folds = int(min(5, counts.min()))
            self._calibrated = CalibratedClassifierCV(machine, cv=folds, ensemble=False)
            self._calibrated.fit(X, y, sample_weight=sample_weight)

    @available_if(_has_probability)
    def predict_proba(self: Any, X: Any) -> FloatArray:
        """Probability of each class, columns as in ``classes_``."""
        check_is_fitted(self)
        if not hasattr(self, "_calibrated"):
            raise NotFittedError(
                "predict_proba is not available when fitted with probability=False"
            )
        return self._calibrated.predict_proba(self._validate_predict(X))

    @available_if(_has_probability)
    def predict_log_proba(self: Any, X: Any) -> FloatArray:
        """Logarithm of :meth:`predict_proba`."""
        return np.log(self.predict_proba(X))
