"""The trials of a machine that tunes itself."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from mercer.diagnostics.label_steps import steps_that_see_labels

__all__ = ["trials", "tuned_inside"]

MOST_TRIALS = 400


def tuned_inside(estimator: Any) -> Any:
    """The search inside an estimator; None if there is none."""
    if isinstance(estimator, Pipeline):
        return tuned_inside(estimator[-1])
    if hasattr(estimator, "cv_results_") and hasattr(estimator, "best_params_"):
        return estimator
    for name in ("regressor_", "estimator_"):
        if hasattr(estimator, name):
            return tuned_inside(getattr(estimator, name))
    return None


def trials(tuned: Any, machine: Any = None) -> dict[str, Any]:
    """Parameters and scores of what was tried, the best first, and what was chosen.

    Of a pipeline ``machine`` around the search, the steps that have seen all labels are named.

    ``parameters`` are the numbers among ``param_*`` of ``cv_results_``; of very many trials the
    best are kept.

    Examples
    --------
    >>> from mercer import TunedSVC
    >>> from mercer.datasets import load_example
    >>> from mercer.report import trials
    >>> X, y, _ = load_example()
    >>> tuned = TunedSVC(max_evals=3, cv=2, random_state=0).fit(X, y)
    >>> sorted(trials(tuned)["parameters"])
    ['C', 'gamma']
    """
    table = tuned.cv_results_
    scores = np.asarray(table["mean_test_score"], dtype=np.float64)
    found = {
        name.removeprefix("param_").replace("kernel__", ""): _numbers(values)
        for name, values in table.items()
        if name.startswith("param_")
    }
    numbers = {name: values for name, values in found.items() if values is not None}
    order = np.argsort(-np.nan_to_num(scores, nan=-np.inf), kind="stable")[:MOST_TRIALS]
    chosen = getattr(tuned, "best_index_", None)
    return {
        "n_trials": len(scores),
        "n_candidates": _n_candidates(tuned, len(scores)),
        "status": getattr(tuned, "search_status_", None),
        "best_score": _finite(tuned.best_score_),
        "honest_score": getattr(tuned, "honest_score_", None),
        "honest_interval": list(getattr(tuned, "honest_interval_", None) or ()),
        "label_steps": _label_steps(machine),
        "scoring": str(getattr(tuned, "scoring", None) or "default"),
        "chosen": {name: _plain(value) for name, value in tuned.best_params_.items()},
        "chosen_trial": None if chosen is None else _position(order, int(chosen)),
        "score": [_finite(scores[k]) for k in order],
        "parameters": {name: [float(values[k]) for k in order] for name, values in numbers.items()},
    }


def _label_steps(machine: Any) -> list[str]:
    return steps_that_see_labels(machine[:-1]) if isinstance(machine, Pipeline) else []


def _n_candidates(tuned: Any, n_trials: int) -> int:
    """All that were tried, on samples of the rows and by quicker criteria, too."""
    return max(sum(map(len, getattr(tuned, "history_", None) or ())), n_trials)


def _numbers(values: Any) -> Any:
    """Finite numbers of a parameter; None if it has others."""
    try:
        numbers = np.ma.filled(np.ma.asarray(values).astype(np.float64), np.nan)
    except (TypeError, ValueError):
        return None
    return numbers if numbers.ndim == 1 and np.isfinite(numbers).all() else None


def _position(order: Any, chosen: int) -> int | None:
    places = np.flatnonzero(order == chosen)
    return int(places[0]) if len(places) else None


def _finite(value: Any) -> float | None:
    return float(value) if np.isfinite(value) else None


def _plain(value: Any) -> float | str:
    return float(value) if isinstance(value, int | float | np.number) else str(value)
