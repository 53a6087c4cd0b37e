"""Where polytopes are: a rotation and a translation of each."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Pose", "check_pose"]

FloatArray = NDArray[np.float64]
Pose = tuple[Any, Any]  # rotations and translations, either of them None for none


def check_pose(
    name: str, pose: Pose | None, n: int, d: int
) -> tuple[FloatArray | None, FloatArray | None]:
    """Rotations (n, d, d) and translations (n, d) as the core takes them, both or neither."""
    if pose is None:
        return None, None
    if not (isinstance(pose, tuple) and len(pose) == 2):
        raise TypeError(
            f"{name} must be a tuple (rotation, translation), got {type(pose).__name__}"
        )
    rotation, translation = pose
    if hasattr(rotation, "as_matrix"):
        rotation = rotation.as_matrix()
    return (
        _array(f"the rotation of {name}", rotation, (n, d, d), np.eye(d)),
        _array(f"the translation of {name}", translation, (n, d), np.zeros(d)),
    )


def _array(name: str, given: Any, shape: tuple[int, ...], nothing: FloatArray) -> FloatArray:
    if given is None:
        return np.ascontiguousarray(np.broadcast_to(nothing, shape))
    try:
        array = np.ascontiguousarray(given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must be an array of numbers: {error}") from error
    if array.shape != shape:
        raise ValueError(f"{name} must have shape {shape}, one a polytope, got {array.shape}")
    if not np.isfinite(array).all():
        raise ValueError(f"{name} must be finite, got NaN or infinity")
    return array
