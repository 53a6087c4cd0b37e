"""Fitted machines, and a comparison that knows no tolerance."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.datasets import load_iris

from mercer import SVC, SVR, NuSVC, NuSVR, OneClassSVM
from mercer.problem import Solutions

X, Y = load_iris(return_X_y=True)

LABELS = {
    "int": Y,
    "int8": (Y - 1).astype(np.int8),
    "float": Y + 0.5 * (Y == 3),
    "str": np.array(["setosa", "versicolor", "virginica"])[Y],
    "object": np.array(["a", "b", "ü"], dtype=object)[Y],
    "bool": Y > 0,
}
MACHINES = {
    "SVC": SVC(C=2.0),
    "NuSVC": NuSVC(nu=0.3, decision_function_shape="ovo"),
    "SVR": SVR(epsilon=0.05, loss="huber"),
    "NuSVR": NuSVR(nu=0.4),
    "OneClassSVM": OneClassSVM(nu=0.2),
}
ROWS = {
    "dense": X,
    "float32": X.astype(np.float32),
    "csr_matrix": sp.csr_matrix(X),
    "csr_array": sp.csr_array(X),
}


def outputs(estimator: Any, rows: Any) -> list[np.ndarray]:
    """All that an estimator says of some rows."""
    methods = ("predict", "decision_function", "score_samples")
    return [getattr(estimator, name)(rows) for name in methods if hasattr(estimator, name)]


def assert_same_outputs(first: Any, second: Any, rows: Any) -> None:
    for left, right in zip(outputs(first, rows), outputs(second, rows), strict=True):
        assert_same(left, right)


def assert_same(left: Any, right: Any) -> None:
    """Equal types and equal bytes, all the way down."""
    if isinstance(left, Solutions):  # files hold them one by one
        left = tuple(left)
    assert type(left) is type(right)
    if isinstance(left, np.ndarray):
        assert left.dtype == right.dtype
        assert left.shape == right.shape
        assert left.flags.f_contiguous == right.flags.f_contiguous
        same = left.tolist() == right.tolist() if left.dtype == object else False
        assert same or left.tobytes() == right.tobytes()
    elif sp.issparse(left):
        assert left.shape == right.shape
        for part in ("data", "indices", "indptr"):
            assert_same(getattr(left, part), getattr(right, part))
    elif isinstance(left, dict):
        assert list(left) == list(right)
        for key in left:
            assert_same(left[key], right[key])
    elif isinstance(left, list | tuple):
        assert len(left) == len(right)
        for one, other in zip(left, right, strict=True):
            assert_same(one, other)
    elif dataclasses.is_dataclass(left) and not isinstance(left, type):
        assert_same(_told(left), _told(right))
    elif hasattr(left, "__getstate__") and hasattr(left, "get_params"):
        assert_same(_state(left), _state(right))
    else:
        assert left == right or (left != left and right != right)


def _told(value: Any) -> dict[str, Any]:
    """All but how long it took, which files do not tell."""
    return {name: own for name, own in vars(value).items() if name != "seconds"}


def _state(value: Any) -> dict[str, Any]:
    state = value.__getstate__() if hasattr(value, "fit") else value.get_params(deep=False)
    return {name: state[name] for name in sorted(state) if not name.startswith("_repr")}
