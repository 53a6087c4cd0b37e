"""The parts of an estimator: steps that prepare rows, and the machine behind them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.compose import TransformedTargetRegressor
from sklearn.pipeline import Pipeline

from mercer.machines.functions import best_inside
from mercer.predictions import ThresholdSVC

__all__ = ["IS_MISSING", "Inside", "readable", "step_names", "taken_apart", "target_map"]

IS_MISSING = " is missing"  # ends the name of an indicator
_INDICATOR = "missingindicator_"  # begins it in scikit-learn
# What tuned, calibrated, conformal and frozen estimators are made around, the fitted one first.
_AROUND = ("best_estimator_", "regressor_", "estimator_")


@dataclass(frozen=True, eq=False)
class Inside:
    """The machine inside an estimator, and what stands before it.

    Attributes
    ----------
    machine : estimator
        The innermost one.
    steps : list of transformer
        What rows pass through before they reach it, the first one first.
    """

    machine: Any
    steps: list[Any]

    def prepared(self, X: Any) -> Any:
        """Rows as the machine takes them."""
        for step in self.steps:
            X = step.transform(X)
        return X

    def feature_names(self, X: Any) -> list[str]:
        """Names of the features that the machine sees."""
        names = getattr(X, "columns", None)
        known = None if names is None else np.asarray([str(name) for name in names], dtype=object)
        for step in self.steps:
            known = np.asarray(step.get_feature_names_out(known))
        if known is None:
            return [f"feature {j}" for j in range(int(self.machine.n_features_in_))]
        plain = [_plain(str(name)) for name in known]
        return plain if len(set(plain)) == len(plain) else [str(name) for name in known]

    def sources(self, X: Any) -> list[str]:
        """Of each feature the column it was made of, ``colour`` of ``colour_red``, or its name."""
        names = self.feature_names(X)
        columns = [str(column) for column in getattr(X, "columns", ())]
        return [_source(name, columns) for name in names] if self.steps else names


def _source(name: str, columns: list[str]) -> str:
    """The longest name of a column that a feature's name begins with."""
    made = [own for own in columns if name == own or name.startswith(f"{own}_")]
    if not made and name.startswith(_INDICATOR):
        return f"{_source(name.removeprefix(_INDICATOR), columns)}{IS_MISSING}"
    return max(made, key=len, default=name)


def _plain(name: str) -> str:
    """A name without the part of a ``ColumnTransformer`` that it came from."""
    return name.partition("__")[2] or name


def readable(name: str) -> str:
    """The name of a feature of the machine for people: ``age is missing`` of an indicator."""
    plain = _plain(name)
    if plain.startswith(_INDICATOR):
        return f"{plain.removeprefix(_INDICATOR)}{IS_MISSING}"
    return plain


def taken_apart(estimator: Any) -> Inside:
    """The machine at the end of pipelines, or inside what is around it."""
    if isinstance(estimator, Pipeline):
        steps = [step for _, step in estimator.steps[:-1] if not isinstance(step, str)]
        last = taken_apart(estimator[-1])
        return Inside(last.machine, [*steps, *last.steps])
    best_inside(estimator)  # of several targets there are several
    for name in _AROUND:
        if hasattr(estimator, name):
            return taken_apart(getattr(estimator, name))
    return Inside(estimator, [])


def step_names(estimator: Any) -> list[str]:
    """Classes of an estimator, from the outside in."""
    names = [] if isinstance(estimator, Pipeline) else [type(estimator).__name__]
    if isinstance(estimator, Pipeline):
        return names + [name for _, step in estimator.steps for name in step_names(step)]
    for name in _AROUND:
        if hasattr(estimator, name):
            return names + step_names(getattr(estimator, name))
    return names


def target_map(estimator: Any) -> tuple[float, float] | None:
    """Factor and shift from what the machine says to targets; None if that is no straight line."""
    if isinstance(estimator, Pipeline):
        return target_map(estimator[-1])
    if not isinstance(estimator, TransformedTargetRegressor):
        return 1.0, -_threshold_of(estimator)
    points = np.array([[0.0], [1.0], [2.0]])
    zero, one, two = np.ravel(estimator.transformer_.inverse_transform(points)).tolist()
    is_straight = abs(two - 2.0 * one + zero) <= 1e-9 * (abs(zero) + abs(one) + abs(two))
    return (one - zero, zero) if is_straight else None


def _threshold_of(estimator: Any) -> float:
    """What is taken from the values of the machine inside, by its thresholds."""
    own = float(estimator.threshold_) if isinstance(estimator, ThresholdSVC) else 0.0
    for name in _AROUND:
        if hasattr(estimator, name):
            return own + _threshold_of(getattr(estimator, name))
    return own


def n_seen(inside: Inside, prepared: Any) -> int | None:
    """How many rows are support vectors of the machine, bit for bit: it was trained on these.

    None where that is unknown: the machine has kept no rows, or the rows are no dense numbers.
    """
    kept = getattr(inside.machine, "support_vectors_", None)
    if kept is None or sp.issparse(kept) or sp.issparse(prepared) or not len(kept):
        return None
    try:
        rows, own = _as_bytes(prepared), _as_bytes(kept)
    except (TypeError, ValueError):
        return None
    return int(np.isin(rows, own).sum()) if rows.dtype == own.dtype else None


def _as_bytes(rows: Any) -> NDArray[Any]:
    """Each row as one value that can be compared."""
    whole = np.ascontiguousarray(rows, dtype=np.float64) + 0.0  # -0 is 0
    return whole.view(np.dtype((np.void, whole.itemsize * whole.shape[1]))).ravel()
