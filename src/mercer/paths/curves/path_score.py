"""How well the machines of a path predict other rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics import r2_score

from mercer.gram.native import count_rows
from mercer.training.targets import read_labels, read_targets
from mercer.training.weights import read_weight

if TYPE_CHECKING:
    from mercer.paths.results.path import Path

__all__ = ["path_score"]

FloatArray = NDArray[np.float64]
_BLOCK = 64  # machines whose values are held at once


def path_score(
    path: Path,
    X: Any,
    y: ArrayLike,
    value: float | ArrayLike | None,
    sample_weight: ArrayLike | None,
) -> Any:
    """The arguments and the result of :meth:`Path.score`."""
    values = path.kernel_values
    if values is None:
        raise ValueError("score needs the kernel and the rows of the path")
    X = values.read(X)
    weight = read_weight(sample_weight, count_rows(X))
    truth = _truth(path, y, len(weight))
    several = np.atleast_1d(path.breakpoints if value is None else np.asarray(value))
    out = np.empty(len(several))
    for begin in range(0, len(several), _BLOCK):
        part = slice(begin, begin + _BLOCK)
        decisions = path.decide(X, several[part])
        for k, at in enumerate(several[part]):
            out[begin + k] = _score(path, truth, path.decided(decisions[:, k], at), weight)
    return float(out[0]) if value is not None and np.ndim(value) == 0 else out


def _truth(path: Path, y: ArrayLike, n_rows: int) -> NDArray[Any]:
    """The labels or targets, checked."""
    classes = np.array([-1, 1]) if path.is_one_class else path.classes
    if classes is None:
        return read_targets(y, n_rows)
    return np.asarray(classes[read_labels(y, classes, n_rows)])


def _score(path: Path, truth: NDArray[Any], predicted: NDArray[Any], weight: FloatArray) -> float:
    if path.classes is None and not path.is_one_class:
        return float(r2_score(truth, predicted, sample_weight=weight))
    return float(weight @ (predicted == truth) / weight.sum())
