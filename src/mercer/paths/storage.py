"""Paths in files: plain arrays, nothing that could run."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from mercer.kernels import Kernel
from mercer.paths.path import Path
from mercer.paths.segments import Segments
from mercer.problem import Problem

__all__ = ["load_path", "save_path"]

_PROBLEM = ("linear", "lower", "upper", "index", "ridge", "group", "group_sum")
_SEGMENTS = (
    "first_side",
    "parameter",
    "bias",
    "bias_rate",
    "changes_end",
    "values_end",
    "changed",
    "side",
    "values",
    "rates",
    "end_parameter",
)
_SCALARS = ("status", "start", "start_rate", "C_begin", "violation", "accuracy", "seconds")


def save_path(path: Path, file: str | os.PathLike[str]) -> None:
    """Write the arrays of a path: O(sum of free rows) numbers."""
    if path.classes is not None and path.classes.dtype.kind == "O":
        raise ValueError(
            f"classes must be numbers or strings to be saved, got {path.classes.tolist()!r}"
        )
    arrays: dict[str, Any] = {f"problem_{n}": getattr(path.problem, n) for n in _PROBLEM}
    arrays |= {f"segments_{n}": getattr(path.segments, n) for n in _SEGMENTS}
    arrays |= {n: getattr(path, n) for n in _SCALARS}
    if path.classes is not None:
        arrays["classes"] = path.classes
    np.savez(file, **arrays)


def load_path(file: str | os.PathLike[str], kernel: Kernel | None, X: Any) -> Path:
    """Read what :func:`save_path` wrote."""
    with np.load(file, allow_pickle=False) as arrays:
        missing = [n for n in _SCALARS if n not in arrays]
        if missing:
            raise ValueError(f"{os.fspath(file)} is not a path: {missing[0]!r} is missing")
        problem = Problem(**{n: arrays[f"problem_{n}"] for n in _PROBLEM})
        stored = {n: arrays[f"segments_{n}"] for n in _SEGMENTS}
        stored["end_parameter"] = float(stored["end_parameter"])
        segments = Segments(lower=problem.lower, upper=problem.upper, **stored)
        scalars = {n: arrays[n].item() for n in _SCALARS}
        classes = arrays.get("classes", None)
    return Path(
        segments=segments, problem=problem, classes=classes, kernel=kernel, rows=X, **scalars
    )
