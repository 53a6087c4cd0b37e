"""Steps before a tuned machine that have seen all labels, which its folds cannot undo.

Features chosen with the labels of all rows separate the classes even where nothing can be
learned: the held-out rows of a search helped to choose them (Ambroise & McLachlan 2002).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sklearn.compose import ColumnTransformer
from sklearn.feature_selection import VarianceThreshold
from sklearn.pipeline import FeatureUnion, Pipeline
from sklearn.utils import get_tags

__all__ = ["steps_that_see_labels"]

_SUPERVISED = ("sklearn.feature_selection.", "sklearn.cross_decomposition.")


def steps_that_see_labels(preparation: Any) -> list[str]:
    """Names of the classes of these steps, in the order of the pipeline."""
    return [type(step).__name__ for step in _inner(preparation) if _sees_labels(step)]


def _inner(step: Any) -> Iterator[Any]:
    """The steps that a step consists of, or itself."""
    parts: list[Any] = []
    if isinstance(step, Pipeline):
        parts = [own for _, own in step.steps]
    elif isinstance(step, FeatureUnion):
        parts = [own for _, own in step.transformer_list]
    elif isinstance(step, ColumnTransformer):
        parts = [own for _, own, _ in getattr(step, "transformers_", step.transformers)]
    elif hasattr(step, "fit"):
        yield step
    for own in parts:
        yield from _inner(own)


def _sees_labels(step: Any) -> bool:
    if isinstance(step, VarianceThreshold):
        return False
    return type(step).__module__.startswith(_SUPERVISED) or get_tags(step).target_tags.required
