"""Warnings that point to the line of the user's program that called mercer."""

from __future__ import annotations

import inspect
import warnings

__all__ = ["warn"]

# Between the user's line and ours: wrappers of fits, pipelines, searches, jobs.
_BETWEEN = ("mercer", "sklearn", "numpy", "joblib", "contextlib", "functools")


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the innermost line that belongs to none of the packages between."""
    depth, frame = 1, inspect.currentframe()
    while frame is not None and frame.f_globals.get("__name__", "").split(".")[0] in _BETWEEN:
        depth, frame = depth + 1, frame.f_back
    warnings.warn(message, category, stacklevel=depth if frame is not None else 2)
