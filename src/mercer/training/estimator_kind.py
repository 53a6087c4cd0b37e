"""The kinds of estimators that another one may wrap."""

from __future__ import annotations

from typing import Any

from sklearn.utils import get_tags

__all__ = ["check_kind"]


def check_kind(estimator: Any, *kinds: str) -> None:
    """Raise TypeError for an estimator that says it is of another kind; others may be anything.

    Kinds are scikit-learn's: "classifier", "regressor", "outlier_detector".
    """
    if not hasattr(estimator, "__sklearn_tags__"):
        return
    own = get_tags(estimator).estimator_type
    if own is not None and own not in kinds:
        named = " or ".join(kind.replace("_", " ") for kind in kinds)
        article = "an" if named[0] in "aeiou" else "a"
        raise TypeError(f"estimator must be {article} {named}, got {estimator!r:.80}")
