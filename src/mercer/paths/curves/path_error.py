"""The error of a path on other rows, as a function of C."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer.gram.native import count_rows
from mercer.paths.curves.crossings import sign_changes
from mercer.paths.curves.regression_error import LOSSES, ErrorCurve, regression_error
from mercer.paths.curves.step_function import StepFunction
from mercer.training.targets import read_labels, read_targets
from mercer.training.weights import read_weight

if TYPE_CHECKING:
    from mercer.paths.results.path import Path

__all__ = ["path_error"]

FloatArray = NDArray[np.float64]


def path_error(
    path: Path, X: Any, y: ArrayLike, sample_weight: ArrayLike | None, loss: str | None
) -> StepFunction | ErrorCurve:
    """Error of the predictions at every C; the arguments of :meth:`Path.error`."""
    allowed = (None,) if path.classes is not None else (None, *LOSSES)
    if loss not in allowed:
        raise ValueError(f"loss must be one of {allowed}, got {loss!r}")
    path.over_C.check_known()
    values = path._known_values()
    X = values.read(X)
    weight = read_weight(sample_weight, count_rows(X))

    def block(variables: NDArray[np.int64]) -> FloatArray:
        return values.block(X, path.problem.index[variables])

    if path.classes is None:
        targets = read_targets(y, len(weight))
        return regression_error(path, block, targets, weight, loss or LOSSES[0])
    sign = np.where(read_labels(y, path.classes, len(weight)) == 1, 1.0, -1.0)
    return sign_changes(path, block, len(sign)).error(sign, weight)
