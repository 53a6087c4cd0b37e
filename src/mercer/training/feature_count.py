"""How many features an estimator was fitted on."""

from __future__ import annotations

from typing import Any

from sklearn.pipeline import Pipeline

__all__ = ["feature_count"]


def feature_count(estimator: Any) -> int:
    """The number of features that a fitted estimator takes.

    A pipeline asks its first step, which may be "passthrough" and know of none.
    """
    if isinstance(estimator, Pipeline):
        steps = [own for _, own in estimator.steps]
        return feature_count(next(own for own in steps if own not in (None, "passthrough")))
    return int(estimator.n_features_in_)
