"""When two kernels are the same, and how a kernel is written down."""

from __future__ import annotations

import inspect
from collections.abc import Hashable
from typing import Any

import numpy as np

__all__ = ["key_of", "written"]

# scikit-learn's composites are written by operators: their names would be taken for ours.
OPERATORS = {"Sum": "+", "Product": "*"}


def key_of(value: Any) -> Hashable:
    """Return a hashable key: two constructor arguments are the same if their keys are."""
    if hasattr(value, "get_params"):
        parameters = value.get_params(deep=False)
        return type(value), tuple((name, key_of(parameters[name])) for name in sorted(parameters))
    if isinstance(value, np.ndarray | list | tuple):
        array = np.asarray(value)
        if array.dtype.kind in "biuf":
            return array.shape, array.astype(np.float64).tobytes()
        return tuple(key_of(entry) for entry in value)
    key: Hashable = value
    return key


def written(value: Any) -> str:
    """Return an expression that evaluates to a kernel or a constructor argument.

    It keeps every digit, which scikit-learn's printed kernels do not, and leaves out
    arguments that have their default.
    """
    if hasattr(value, "k1") and type(value).__name__ in OPERATORS:
        sign = OPERATORS[type(value).__name__]
        return f"({written(value.k1)} {sign} {written(value.k2)})"
    if hasattr(value, "get_params"):
        return _written_call(value)
    if isinstance(value, np.ndarray | np.generic):
        return repr(value.tolist())
    if isinstance(value, list | tuple):
        inner = ", ".join(written(entry) for entry in value)
        return f"[{inner}]" if isinstance(value, list) or len(value) == 1 else f"({inner})"
    if callable(value) and hasattr(value, "__qualname__"):
        return str(value.__qualname__)
    return repr(value)


def _written_call(value: Any) -> str:
    parameters = value.get_params(deep=False)
    arguments = [
        f"{name}={written(parameters[name])}"
        for name, argument in inspect.signature(type(value)).parameters.items()
        if key_of(parameters[name]) != key_of(argument.default)
    ]
    return f"{type(value).__name__}({', '.join(arguments)})"
