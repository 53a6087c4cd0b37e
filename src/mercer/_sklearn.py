"""The names that scikit-learn keeps to itself and this package needs, in one place.

A release of scikit-learn may move any of them: then this file changes, and no other.
"""

from __future__ import annotations

import inspect
from copy import copy
from typing import Any

from sklearn.base import _fit_context as checked_fit
from sklearn.model_selection._search import BaseSearchCV
from sklearn.utils import _safe_indexing as safe_indexing
from sklearn.utils._param_validation import (
    HasMethods,
    Hidden,
    Interval,
    StrOptions,
    validate_parameter_constraints,
)
from sklearn.utils.metaestimators import _safe_split as safe_split
from sklearn.utils.validation import _check_sample_weight as check_sample_weight
from sklearn.utils.validation import _num_samples as num_samples

try:
    from sklearn.callback import CallbackSupportMixin
except ImportError:  # scikit-learn before 1.9

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Nothing: there are no callbacks yet."""


__all__ = [
    "BaseSearchCV",
    "CallbackSupportMixin",
    "HasMethods",
    "Hidden",
    "Interval",
    "StrOptions",
    "asks_for_probabilities",
    "check_sample_weight",
    "checked_fit",
    "num_samples",
    "safe_indexing",
    "safe_split",
    "validate_parameter_constraints",
    "with_labels",
]


def asks_for_probabilities(scorer: Any) -> bool:
    """Whether a scorer can do with probabilities only."""
    asked = getattr(scorer, "_response_method", "predict")
    asked = (asked,) if isinstance(asked, str) else tuple(asked)
    return "predict_proba" in asked and "decision_function" not in asked


def with_labels(scorer: Any, labels: Any) -> Any:
    """The scorer, told all labels if it may ask for them: a split may have no row of some."""
    function = getattr(scorer, "_score_func", None)
    known = getattr(scorer, "_kwargs", {})
    if function is None or "labels" in known:
        return scorer
    if "labels" not in inspect.signature(function).parameters:
        return scorer
    told = copy(scorer)
    told._kwargs = {**known, "labels": labels}
    return told
