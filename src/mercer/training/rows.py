"""Rows, as every machine and path reads them, and what other rows must have in common."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import InputTags, Tags, TargetTags, get_tags
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from mercer.gram.native import count_rows
from mercer.kernels import Kernel, as_kernel
from mercer.kernels.precomputed import check_square
from mercer.training.checked_input import READ_TYPES, are_ready, as_rows, naming
from mercer.training.targets import read_targets
from mercer.training.weights import check_total, check_weight

__all__ = [
    "RowReader",
    "TrainingRows",
    "is_precomputed",
    "read_new_rows",
    "read_training_rows",
    "takes_objects",
]

FloatArray = NDArray[np.float64]
# How rows of numbers are validated: taken as they are stored wherever the core can read that.
_ROWS: dict[str, Any] = {
    "dtype": list(READ_TYPES),
    "order": "C",
    "accept_sparse": "csr",
    "accept_large_sparse": True,
}


def is_precomputed(kernel: Any) -> bool:
    """Whether rows are kernel values, by the ``kernel`` of a machine."""
    if isinstance(kernel, str):
        return kernel == "precomputed"
    return isinstance(kernel, Kernel) and kernel.row_kind == "stored"


def takes_objects(kernel: Any) -> bool:
    """Whether rows are handed to a Python function as they are."""
    return not isinstance(kernel, str) and as_kernel(kernel).row_kind == "object"


def read_new_rows(reader: RowReader, X: Any) -> Any:
    """Rows for a fitted machine to predict, checked against those of the training."""
    check_is_fitted(reader)
    return reader._validate_other(X)


class RowReader:
    """Reads rows as the kernel takes them: numbers, kernel values, or any objects.

    Whoever derives from it has a ``kernel``, tags as scikit-learn's estimators, and remembers
    ``n_features_in_``, ``feature_names_in_`` and ``shape_fit_``.
    """

    kernel: Any
    n_features_in_: int
    shape_fit_: tuple[int, ...]
    _needs_targets: ClassVar[bool] = True

    def _validate_other(self, X: Any) -> Any:
        """Rows that are like those of the training."""
        if takes_objects(self.kernel):
            return as_rows(X)
        if not self._is_known_width(X) or not are_ready(X):
            with naming(X=X):
                X = validate_data(self, X, reset=False, **_ROWS)
        if is_precomputed(self.kernel) and X.shape[1] != self.shape_fit_[0]:
            raise ValueError(
                f"X.shape[1] = {X.shape[1]} should be equal to {self.shape_fit_[0]}, "
                "the number of samples at training time"
            )
        return X

    def _is_known_width(self, X: Any) -> bool:
        """Whether plain rows have as many features as at training time, then without names."""
        if type(X) is not np.ndarray or hasattr(self, "feature_names_in_"):
            return False
        return X.shape[1:] == (self.n_features_in_,)


def read_training_rows(
    reader: RowReader, X: Any, y: Any, sample_weight: ArrayLike | None, **y_options: Any
) -> tuple[Any, Any, FloatArray]:
    """Checked rows, targets (None if not given) and weights."""
    if takes_objects(reader.kernel):
        X, y = _read_objects(reader, X, y)
    elif y_options.get("reset", True) and are_ready(X, y, needs_y=reader._needs_targets):
        reader.n_features_in_ = X.shape[1]
        reader.__dict__.pop("feature_names_in_", None)
    elif y is None:
        with naming(X=X):
            X = validate_data(reader, X, y=None, **_ROWS)
    else:
        with naming(X=X, y=y):
            X, y = validate_data(reader, X, y, **_ROWS, **y_options)
    if is_precomputed(reader.kernel):
        check_square(X)
    weight = check_weight(sample_weight, count_rows(X))
    return X, y, weight


def _read_objects(reader: RowReader, X: Any, y: Any) -> tuple[Any, Any]:
    """Rows for a Python function to judge; only their number is checked."""
    X = as_rows(X)
    if not count_rows(X):
        raise ValueError("X must have at least one row, got 0")
    if y is None:
        if get_tags(reader).target_tags.required:
            raise ValueError("fit requires y to be passed, but the target y is None")
        return X, None
    y = np.asarray(y)
    if y.shape[:1] != (count_rows(X),):
        raise ValueError(
            f"X and y must have equal lengths, got {count_rows(X)} rows and y of shape {y.shape}"
        )
    return X, y


class TrainingRows(RowReader):
    """The rows a path is made of, and what other rows must have in common with them.

    Parameters
    ----------
    kernel : str, Kernel or callable, default="rbf"
        Decides what a row is: numbers, kernel values, or any object.
    """

    def __init__(self, kernel: Any = "rbf") -> None:
        self.kernel = kernel

    def __sklearn_tags__(self) -> Tags:
        tags = Tags(None, TargetTags(required=False), input_tags=InputTags())
        tags.input_tags.sparse = not is_precomputed(self.kernel)
        return tags

    def _validate_other(self, X: Any) -> Any:
        try:
            return super()._validate_other(X)
        except ValueError as error:
            # scikit-learn names the class that asks, which users of a path do not know
            raise ValueError(str(error).replace(type(self).__name__, "the path")) from None

    @classmethod
    def of(cls, machine: RowReader) -> TrainingRows:
        """Those that ``machine`` was fitted to."""
        rows = cls(machine.kernel)
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(machine, name):
                setattr(rows, name, getattr(machine, name))
        rows.shape_fit_ = machine.shape_fit_
        return rows

    def read(
        self, X: Any, y: Any, sample_weight: ArrayLike | None, *, y_numeric: bool = False
    ) -> tuple[Any, Any, FloatArray]:
        """Training rows, labels or targets (None without) and weights, checked."""
        options = {} if y is None else {"y_numeric": y_numeric}
        rows, targets, weight = read_training_rows(self, X, y, sample_weight, **options)
        check_total(weight)
        self.shape_fit_ = getattr(rows, "shape", (len(weight),))
        if targets is None:
            return rows, None, weight
        if y_numeric:
            return rows, read_targets(targets, len(weight)), weight
        return rows, column_or_1d(targets), weight

    def check(self, X: Any) -> Any:
        """Other rows, checked as ``predict`` of a machine does it."""
        rows = self._validate_other(X)
        if not count_rows(rows):
            raise ValueError("X must have at least one row, got 0")
        return rows
