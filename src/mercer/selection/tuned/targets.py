"""Several targets of a regression, apart: read, each handed to a search, and told side by side."""

from __future__ import annotations

import warnings
from copy import copy
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from mercer._warning import warn
from mercer.solvers.runs.deadline import Deadline
from mercer.training.checked_input import naming
from mercer.training.rows import read_training_rows

__all__ = [
    "copied",
    "fit_one",
    "gathered",
    "has_several",
    "labels_of",
    "plot_targets",
    "read_several",
    "share_of_time",
    "table_of",
]

# What a search tells of itself: lists with an entry for each target.
_TOLD = (
    *("best_estimator_", "best_params_", "best_index_", "kernel_", "relevance_", "history_"),
    *("cv_results_", "held_out_", "search_status_"),
    *("honest_score_", "honest_interval_", "honest_kind_"),
)
_SHORTEST = 1e-3  # seconds for a target where the time is over


def has_several(y: Any) -> bool:
    """Whether there is more than one column of targets."""
    try:
        shape = y.shape if hasattr(y, "shape") else np.asarray(y).shape
    except ValueError:  # rows of unlike lengths
        return True
    return len(shape) > 1 and shape[1] > 1


def read_several(
    machine: Any, X: Any, Y: Any, sample_weight: ArrayLike | None
) -> tuple[list[NDArray[Any]], NDArray[Any] | None]:
    """The targets one by one, and their names if Y has any; all that is wrong is told at once."""
    if sp.issparse(Y):
        raise ValueError(f"y must be dense, got a {type(Y).__name__}: use y.toarray()")
    names = np.array([str(own) for own in getattr(Y, "columns", ())], dtype=object)
    given = X, Y, sample_weight
    _, targets, _ = read_training_rows(machine, *given, y_numeric=True, multi_output=True)
    with naming(y=Y):
        columns = list(np.ascontiguousarray(np.asarray(targets, dtype=np.float64).T))
    return columns, names if len(names) else None


def copied(machine: Any, before: Any, cv: Any, max_time: float | None) -> Any:
    """A copy of the machine for one target, or of one that goes on, with these splits and seconds.

    All copies draw the same numbers, and call the same callback.
    """
    shared = {"callback": machine.callback, "max_time": max_time}
    given = machine.get_params(deep=False) | {"cv": cv}
    drawn = {name: _fresh(own) for name, own in given.items() if name not in shared}
    own = type(machine)() if before is None else copy(before)
    return own.set_params(**drawn, **shared)


def _fresh(parameter: Any) -> Any:
    """A copy that has drawn nothing yet; scorers, and what cannot be copied, as they are."""
    if callable(parameter):
        return parameter
    try:
        return clone(parameter, safe=False)
    except TypeError:  # a lock, a file
        return parameter


def share_of_time(deadline: Deadline, n_left: int) -> float | None:
    """Seconds for the next of so many targets: what one has left is for the others."""
    if not np.isfinite(deadline.moment):
        return None
    return max(deadline.seconds_left / n_left, _SHORTEST)


def fit_one(machine: Any, label: str, *given: Any, groups: ArrayLike | None) -> None:
    """Fit the copy for a target; warnings say which one they are about."""
    if machine.verbose:
        print(f"[{type(machine).__name__}] target {label}", flush=True)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        machine.fit(*given, groups=groups)
    for own in caught:
        warn(f"target {label}: {own.message}", own.category)


def gathered(machines: list[Any]) -> dict[str, Any]:
    """The attributes of all of them: a list each, and an array of the scores."""
    known = [name for name in _TOLD if machines and all(hasattr(own, name) for own in machines)]
    found: dict[str, Any] = {name: [getattr(own, name) for own in machines] for name in known}
    if machines and all(hasattr(own, "best_score_") for own in machines):
        found["best_score_"] = np.array([own.best_score_ for own in machines])
    shared = ("n_features_in_", "feature_names_in_")
    return found | {
        name: getattr(machines[0], name) for name in shared if hasattr(machines[0], name)
    }


def labels_of(names: NDArray[Any] | None, count: int) -> list[str]:
    """How messages and pictures call the targets: by their names, or counted from 0."""
    return [str(k) for k in range(count)] if names is None else [repr(own) for own in names]


def table_of(machines: list[Any], labels: list[str]) -> dict[str, str]:
    """What was chosen for each target, in words."""
    return {
        f"target {label}": f"{own.search_status_}, score {own.best_score_:.6g}, "
        + ", ".join(f"{name} {value}" for name, value in own.best_params_.items())
        for label, own in zip(labels, machines, strict=True)
    }


def plot_targets(machines: list[Any], labels: list[str], axes: Any = None) -> Any:
    """The search of every target, side by side; the axes."""
    import matplotlib.pyplot as plt

    n = len(machines)
    if axes is None:
        axes = plt.subplots(1, n, figsize=(5.0 * n, 4.0), layout="constrained")[1]
    if np.shape(axes) != (n,):
        raise ValueError(f"ax must hold {n} axes, one for each target, got {axes!r:.80}")
    for own, label, ax in zip(machines, labels, axes, strict=True):
        own.plot(ax).set_title(f"target {label}")
    return axes
