"""One score or several, of which one decides; accuracy with weighed classes."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.metrics import accuracy_score, get_scorer_names
from sklearn.utils.class_weight import compute_sample_weight

from mercer.selection.objectives.losses import SMOOTH_LOSSES

__all__ = ["WeightedAccuracy", "scoring_options"]


@dataclass(frozen=True)
class WeightedAccuracy:
    """A scorer: the share of right predictions, each row counted by the weight of its class.

    Attributes
    ----------
    class_weight : dict
        Of each label; 1 for those that are not in it.
    """

    class_weight: dict[Any, float]

    def __call__(
        self, machine: Any, X: Any, y: Any, sample_weight: ArrayLike | None = None
    ) -> float:
        """That of a machine on some rows."""
        weight = compute_sample_weight(self.class_weight, y)
        if sample_weight is not None:
            weight = weight * np.asarray(sample_weight)
        return float(accuracy_score(y, machine.predict(X), sample_weight=weight))


def scoring_options(scoring: Any, refit: str | None) -> dict[str, Any]:
    """Options of criteria: the score that decides, and the others by their names."""
    if not isinstance(scoring, list | tuple | dict):
        if refit is not None:
            raise ValueError(
                f"refit names one of several scores, scoring is {scoring!r:.80}: give a list or a "
                f"dict of scores, or refit=None, got {refit!r}"
            )
        _check_names([scoring])
        return {} if scoring is None else {"loss": scoring}
    named = scoring if isinstance(scoring, dict) else {name: name for name in scoring}
    if not named or not all(isinstance(name, str) and name != "score" for name in named):
        raise ValueError(
            "several scores are a list of names, or a dict from names (not 'score') to scorers, "
            f"at least one, got scoring={scoring!r:.80}"
        )
    first = next(iter(named)) if refit is None else refit
    if first not in named:
        raise ValueError(f"refit must be one of {sorted(named)}, got {refit!r}")
    _check_names(named.values())
    return {"loss": named[first], "also": dict(named)}


def _check_names(scores: Any) -> None:
    """Refuse names that are no scores."""
    for name in scores:
        own = ["zero_one", *SMOOTH_LOSSES]
        known = [*get_scorer_names(), *own]
        if isinstance(name, str) and name not in known:
            close = get_close_matches(name.lower(), known, n=1)
            meant = f"; did you mean {close[0]!r}?" if close else ""
            raise ValueError(
                f"scoring must be a score of scikit-learn or its name, one of {own}, or a list or "
                f"dict of several scores, got {name!r}{meant}"
            )
