"""Columns of predictions on request: probabilities, sets of labels, intervals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier, is_regressor
from sklearn.compose import TransformedTargetRegressor
from sklearn.pipeline import Pipeline

from mercer.cli.errors import InputError
from mercer.cli.models.inputs import inner_machine

__all__ = ["NO_COLUMNS", "RequestedColumns", "requested_columns"]


@dataclass(frozen=True)
class RequestedColumns:
    """The columns requested in addition to the prediction.

    Attributes
    ----------
    proba : bool
        The probability of each class.
    coverage : float or None
        Of sets of labels.
    interval : float or None
        Coverage of intervals of numbers.
    kept : tuple of str
        Columns of the file to copy.
    """

    proba: bool = False
    coverage: float | None = None
    interval: float | None = None
    kept: tuple[str, ...] = ()


NO_COLUMNS = RequestedColumns()


def requested_columns(
    estimator: Any, rows: Any, requested: RequestedColumns
) -> dict[str, NDArray[Any]]:
    """Return the columns asked for: ``p_CLASS``, ``set_CLASS`` (1 or 0), ``low`` and ``high``.

    InputError says what a model would have to be.
    """
    columns: dict[str, NDArray[Any]] = {}
    if requested.proba:
        columns |= _probabilities(estimator, rows)
    if requested.coverage is not None:
        columns |= _sets(estimator, rows, _level("--set", requested.coverage))
    if requested.interval is not None:
        columns |= _intervals(estimator, rows, _level("--interval", requested.interval))
    return columns


def _level(option: str, coverage: float) -> float:
    """The share of misses that a coverage leaves."""
    if not 0.0 < coverage < 1.0:
        raise InputError(f"{option} must be a coverage between 0 and 1, got {coverage:g}")
    return 1.0 - coverage


def _probabilities(estimator: Any, rows: Any) -> dict[str, NDArray[Any]]:
    if not hasattr(estimator, "predict_proba"):
        name = type(inner_machine(estimator)).__name__
        if not is_classifier(estimator):
            raise InputError(f"--proba is for classes, {name} has none{_of_numbers(estimator)}")
        raise InputError(
            f"--proba needs a model with probabilities, {name} has none: train one with mercer "
            "tune --proba or mercer fit --proba, or in Python a CalibratedSVC"
        )
    shares = np.asarray(estimator.predict_proba(rows))
    return {f"p_{label}": shares[:, k] for k, label in enumerate(estimator.classes_)}


def _sets(estimator: Any, rows: Any, alpha: float) -> dict[str, NDArray[Any]]:
    last, prepared = _last(estimator, rows)
    if not is_classifier(estimator) or not hasattr(last, "predict_set"):
        raise InputError(_needs("--set", estimator, "ConformalSVC"))
    sets = np.asarray(last.predict_set(prepared, alpha)).astype(np.int64)
    return {f"set_{label}": sets[:, k] for k, label in enumerate(last.classes_)}


def _intervals(estimator: Any, rows: Any, alpha: float) -> dict[str, NDArray[Any]]:
    last, prepared = _last(estimator, rows)
    if not is_regressor(estimator) or not hasattr(last, "predict_interval"):
        raise InputError(_needs("--interval", estimator, "ConformalSVR"))
    ends = np.asarray(last.predict_interval(prepared, alpha), dtype=np.float64)
    if isinstance(estimator, TransformedTargetRegressor):
        known = np.isfinite(ends)  # too few rows for the coverage: there is no end
        if known.any():
            back = estimator.transformer_.inverse_transform(ends[known][:, None])
            ends[known] = np.ravel(back)
    return {"low": ends.min(axis=1), "high": ends.max(axis=1)}


def _last(estimator: Any, rows: Any) -> tuple[Any, Any]:
    """The last step of a pipeline, and rows as it takes them."""
    if isinstance(estimator, TransformedTargetRegressor):
        return _last(estimator.regressor_, rows)
    if isinstance(estimator, Pipeline):
        return _last(estimator[-1], estimator[:-1].transform(rows))
    return estimator, rows


def _of_numbers(estimator: Any) -> str:
    """The options of regression models instead."""
    return ": numbers have intervals, --interval 0.9" if is_regressor(estimator) else ""


def _needs(option: str, estimator: Any, machines: str) -> str:
    name = type(inner_machine(estimator)).__name__
    if option == "--set" and not is_classifier(estimator):
        return f"--set is for classes, {name} has none{_of_numbers(estimator)}"
    if option == "--interval" and not is_regressor(estimator):
        sets = ": classes have sets, --set 0.9" if is_classifier(estimator) else ""
        return f"--interval is for numbers, {name} predicts none{sets}"
    noun = "classes" if option == "--set" else "numbers"
    return (
        f"{option} needs a model of {noun} with the machines of folds, this one is {name}: train "
        f"one with mercer tune --conformal or mercer fit --conformal, or in Python a {machines}"
    )
