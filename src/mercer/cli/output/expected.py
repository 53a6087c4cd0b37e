"""The score that the rows of other folds let expect on new rows, in words."""

from __future__ import annotations

import math
from collections.abc import Iterator

from sklearn.base import is_regressor

from mercer.cli.data.training_set import TrainingSet
from mercer.cli.models.targets import scale_of_targets
from mercer.cli.models.tuning import Tuning
from mercer.selection.tuned.judged_rows import judged_and_fitted

__all__ = ["expected_lines"]

_ERRORS = {
    "neg_root_mean_squared_error": "typical error (RMSE)",
    "neg_mean_absolute_error": "mean absolute error",
    "neg_median_absolute_error": "median absolute error",
}


def expected_lines(tuning: Tuning, data: TrainingSet, has_test: bool) -> Iterator[str]:
    """The score with its interval; nothing where a test set says it better."""
    tuned = tuning.tuned
    if has_test:
        return
    if getattr(tuned, "honest_score_", None) is None:
        if (sizes := judged_and_fitted(tuned)) is not None:
            yield (
                f"score on new rows not told: that of the search is of machines of a sample of "
                f"{sizes[0]:,} rows, the machine has {sizes[1]:,}"
            )
        return
    values = (tuned.honest_score_, *tuned.honest_interval_, tuned.best_score_)
    name, (score, low, high, searched) = _named(tuning, values)
    low, high = min(low, high), max(low, high)
    n_rows = max(history.n_rows for history in tuned.history_)
    of = ""
    if n_rows < data.X.shape[0]:
        of = f", of machines trained on {n_rows:,} of {data.X.shape[0]:,} rows"
    yield (
        f"{name} on new rows {score:.4g}, between {low:.4g} and {high:.4g}{of}: each fold judged "
        f"by what the others choose (in the search {searched:.4g})"
    )


def _named(tuning: Tuning, values: tuple[float, ...]) -> tuple[str, tuple[float, ...]]:
    """The name of the score, and values of it; errors are on the scale of the target."""
    scoring = getattr(tuning.tuned, "scoring", None)
    if not is_regressor(tuning.estimator):
        return str(scoring or "accuracy").replace("_", " "), values
    if scoring is None or str(scoring) == "neg_mean_squared_error":
        # squares of scaled targets, unless a score was asked for, which sees them in their unit
        scale = 1.0 if scoring is not None else scale_of_targets(tuning.estimator) or 1.0
        # the search takes the mean of squares, negated: the larger the better
        roots = tuple(scale * math.sqrt(max(-value, 0.0)) for value in values)
        return _ERRORS["neg_root_mean_squared_error"], roots
    if str(scoring) in _ERRORS:
        return _ERRORS[str(scoring)], tuple(-value for value in values)
    return str(scoring).replace("_", " "), values
