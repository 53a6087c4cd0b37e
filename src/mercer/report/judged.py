"""Rows, their true values, and the predictions of an estimator."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import is_classifier, is_outlier_detector, is_regressor
from sklearn.utils import check_consistent_length

__all__ = ["Judged", "judge", "label_of", "plain", "take"]

FloatArray = NDArray[np.float64]
Task = Literal["classes", "numbers", "outliers"]


@dataclass(frozen=True, eq=False)
class Judged:
    """The predictions of an estimator for rows.

    Attributes
    ----------
    task : {"classes", "numbers", "outliers"}
        What it predicts; "outliers" only without labels.
    X : rows
        As given.
    truth : ndarray of shape (n_rows,) or None
        Labels or targets.
    predicted : ndarray of shape (n_rows,)
        What the estimator says.
    classes : ndarray of shape (n_classes,) or None
        Labels that it knows.
    values : ndarray of shape (n_rows, n_classes) or None
        One value a class, whose largest is predicted: decision values or probabilities.
    above : ndarray of shape (n_rows,) or None
        Of two classes: the value that is compared with ``threshold``.
    threshold : float
        Above it the second class is predicted.
    value_name : str
        What the values are.
    probabilities : ndarray of shape (n_rows, n_classes) or None
        Of each class.
    """

    task: Task
    X: Any
    truth: NDArray[Any] | None
    predicted: NDArray[Any]
    classes: NDArray[Any] | None = None
    values: FloatArray | None = None
    above: FloatArray | None = None
    threshold: float = 0.0
    value_name: str = "decision value"
    probabilities: FloatArray | None = None

    @property
    def n_rows(self) -> int:
        """Their number."""
        return len(self.predicted)


def judge(estimator: Any, X: Any, y: ArrayLike | None) -> Judged:
    """Ask an estimator for everything that it says of rows, each once."""
    truth = None if y is None else np.asarray(y)
    if truth is not None and truth.ndim != 1:
        raise ValueError(f"y must be a vector, got shape {truth.shape}")
    if truth is None and not is_outlier_detector(estimator):
        raise ValueError("y must hold the labels or targets of X, got None")
    predicted = np.asarray(estimator.predict(X))  # which refuses what are not rows by name
    if truth is not None:
        check_consistent_length(X, truth)
    if predicted.ndim != 1:
        raise ValueError(
            f"machine must predict one value for each row, got predictions of shape "
            f"{predicted.shape}"
        )
    if not len(predicted):
        raise ValueError("X must have a row or more, got none")
    if is_regressor(estimator):
        return Judged("numbers", X, _numbers(truth), predicted.astype(np.float64))
    if is_outlier_detector(estimator):
        return _of_outliers(estimator, X, truth, predicted)
    if not is_classifier(estimator):
        raise TypeError(f"machine must be a classifier, regressor or outlier detector: {estimator}")
    assert truth is not None
    return _of_classes(estimator, X, _labels(truth, estimator.classes_), predicted)


def _numbers(truth: Any) -> FloatArray:
    numbers = np.asarray(truth, dtype=np.float64)
    if not np.isfinite(numbers).all():
        raise ValueError(f"y must hold finite numbers, {(~np.isfinite(numbers)).sum()} are not")
    return numbers


def _labels(truth: NDArray[Any], classes: NDArray[Any]) -> NDArray[Any]:
    """Labels of the kind that the machine knows; others are an error that names them."""
    unknown = [label for label in np.unique(truth).tolist() if label not in set(classes.tolist())]
    if unknown:
        known = [str(label) for label in classes.tolist()[:20]]
        raise ValueError(f"y must hold classes of the machine, {known}, got {unknown[:5]}")
    return truth


def _of_classes(estimator: Any, X: Any, truth: NDArray[Any], predicted: NDArray[Any]) -> Judged:
    classes = np.asarray(estimator.classes_)
    shares: FloatArray | None = None
    if hasattr(estimator, "predict_proba"):
        shares = np.asarray(estimator.predict_proba(X), dtype=np.float64)
    parts: dict[str, Any] = {"classes": classes, "probabilities": shares}
    values = _decisions(estimator, X)
    if values is None and shares is not None:
        values = shares[:, 1] if len(classes) == 2 else shares
        parts |= {"value_name": "probability", "threshold": 0.5 if len(classes) == 2 else 0.0}
    if values is not None and values.ndim == 2 and values.shape[1] == len(classes):
        parts["values"] = values
    elif values is not None and values.ndim == 1 and len(classes) == 2:
        edge = parts.get("threshold", 0.0)
        parts["values"] = np.column_stack([edge - values, values - edge])
        # a machine may decide by a rule of its own
        if np.array_equal(np.where(values > edge, classes[1], classes[0]), predicted):
            parts["above"] = values
    return Judged("classes", X, truth, predicted, **parts)


def _decisions(estimator: Any, X: Any) -> FloatArray | None:
    if not hasattr(estimator, "decision_function"):
        return None
    return np.asarray(estimator.decision_function(X), dtype=np.float64)


def _of_outliers(
    estimator: Any, X: Any, truth: NDArray[Any] | None, predicted: NDArray[Any]
) -> Judged:
    """Normal rows are 1, outliers -1; with labels these are two classes."""
    values = np.asarray(estimator.decision_function(X), dtype=np.float64)
    classes = np.array([-1, 1])
    parts: dict[str, Any] = {"classes": classes, "values": np.column_stack([-values, values])}
    if truth is None:
        return Judged("outliers", X, None, predicted, **parts)
    is_strict = bool(np.array_equal(np.where(values > 0.0, 1, -1), predicted))
    above = values if is_strict else None
    return Judged("classes", X, _labels(truth, classes), predicted, above=above, **parts)


def take(X: Any, rows: NDArray[np.intp]) -> Any:
    """Some rows of a table or a matrix."""
    return X.iloc[rows] if hasattr(X, "iloc") else X[rows]


def label_of(X: Any, row: int) -> Any:
    """What a row is called in the index of its table; None if that only counts the rows."""
    if not hasattr(X, "iloc"):
        return None
    index = X.index
    counts = type(index).__name__ == "RangeIndex" and (index.start, index.step) == (0, 1)
    return None if counts else plain(index[row])


def plain(value: Any) -> Any:
    """A label or a value of a row as JSON can hold it."""
    own = value.item() if hasattr(value, "item") else value
    if isinstance(own, float) and not np.isfinite(own):
        return None
    return own if isinstance(own, bool | int | float | str) else str(own)
