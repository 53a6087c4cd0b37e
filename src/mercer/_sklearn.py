"""The names that scikit-learn keeps to itself and this package needs, in one place.

A release of scikit-learn may move any of them: then this file changes, and no other.
"""

from __future__ import annotations

from sklearn.base import _fit_context as checked_fit
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

__all__ = [
    "HasMethods",
    "Hidden",
    "Interval",
    "StrOptions",
    "check_sample_weight",
    "checked_fit",
    "num_samples",
    "safe_indexing",
    "safe_split",
    "validate_parameter_constraints",
]
