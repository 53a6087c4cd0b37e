"""Classes of a stream that were not announced: functions are added when they come."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.machines.least_squares.one_against_all import signed_labels
from mercer.online.stream import State
from mercer.training.classes import find_classes

__all__ = ["all_classes", "grown_state", "grown_values", "signed_terms"]

FloatArray = NDArray[np.float64]
Places = NDArray[np.intp]


def all_classes(y: NDArray[Any], known: NDArray[Any] | None = None) -> NDArray[Any]:
    """The classes of a chunk and those known before, ascending."""
    found = np.unique(y) if y.ndim == 1 and y.dtype.kind in "biuUS" else find_classes(y)[0]
    if known is None:
        return found
    kinds = {dtype.kind in "US" for dtype in (found.dtype, known.dtype)}
    if len(kinds) > 1:
        raise ValueError(
            f"y must hold classes like {known.tolist()}, all names or all numbers, got "
            f"{found.tolist()}"
        )
    return np.union1d(known, found)


def signed_terms(labels: Places, n_classes: int, size: FloatArray) -> FloatArray:
    """Labels -1 and +1, and boxes [0, size] and [-size, 0], function after function."""
    sign = signed_labels(labels, max(n_classes, 2))  # a class alone waits for the other one
    lower = np.where(sign > 0, 0.0, -size[:, None])
    upper = np.where(sign > 0, size[:, None], 0.0)
    return np.stack([sign, lower, upper], axis=2).reshape(len(sign), -1)


def grown_state(state: State, places: Places, n_classes: int) -> State:
    """What is kept of a stream, with a function for each of more classes.

    ``places`` tells where the old classes are among the new ones. To functions of new classes all
    examples are of the others, without a coefficient: then the gradient is the linear term.
    """
    linear, lower, upper = (state["terms"][:, k::3] for k in range(3))
    one = linear.shape[1] == 1
    labels = places[(linear[:, 0] > 0).astype(np.intp) if one else linear.argmax(axis=1)]
    terms = signed_terms(labels, n_classes, (upper - lower).max(axis=1))
    sign = terms[:, ::3]
    beta, gradient, errors = np.zeros_like(sign), sign.copy(), np.zeros(sign.shape[1])
    is_known = state["gradient"] is not None
    if len(places) > 1:
        beta[:, places] = _by_class(state["beta"])
        if is_known:
            gradient[:, places] = _by_class(state["gradient"])
        if state["gradient_error"] is not None:
            errors[places] = state["gradient_error"]
    has_error = state["gradient_error"] is not None
    grown = {
        "terms": terms,
        "beta": beta,
        "gradient": gradient if is_known else None,
        "gradient_error": errors if has_error else None,
    }
    return state | grown


def grown_values(values: FloatArray, places: Places, n_classes: int) -> FloatArray:
    """Values of each class, -1 for new ones, as a function without examples of its class has."""
    grown = np.full((len(values), n_classes), -1.0)
    grown[:, places] = values
    return grown


def _by_class(values: FloatArray) -> FloatArray:
    """One column a class; two classes share a function with opposite signs."""
    return np.hstack([-values, values]) if values.shape[1] == 1 else values
