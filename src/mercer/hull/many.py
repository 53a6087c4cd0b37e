"""Nearest points of many pairs of small polytopes at once."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer import _core
from mercer._threads import resolve_threads
from mercer.hull.pose import Pose, check_pose
from mercer.hull.result import NearestPointsMany
from mercer.hull.rows import as_numbers, check_limits

__all__ = ["nearest_points_many"]

FloatArray = NDArray[np.float64]
IndexArray = NDArray[np.int64]
Packed = tuple[FloatArray, IndexArray]


def nearest_points_many(
    A: Any,
    B: Any,
    *,
    pairs: ArrayLike | None = None,
    pose_a: Pose | None = None,
    pose_b: Pose | None = None,
    start: NearestPointsMany | None = None,
    tol: float = 0.0,
    n_threads: int | None = None,
) -> NearestPointsMany:
    """Nearest points of the convex hulls of many pairs of sets of points.

    Each pair is solved on its own, in any dimension, exactly except for rounding; results do not
    depend on the number of threads.

    Parameters
    ----------
    A, B : array of shape (n, n_points, n_features), or sequence of arrays (n_points, n_features)
        The polytopes of either side, by their vertices or any points of them.
    pairs : array-like of shape (n_pairs, 2), default=None
        Which polytope of ``A`` meets which of ``B``; None for the first with the first, and so on.
    pose_a, pose_b : tuple (rotation, translation), default=None
        Where the polytopes of either side are, their points being given in axes of their own:
        polytope k at ``rotation[k] @ point + translation[k]``. Arrays of shape (n, n_features,
        n_features) and (n, n_features), either of them None for none; a rotation may be any matrix,
        or a ``scipy.spatial.transform.Rotation``.
    start : NearestPointsMany, default=None
        Where to start: the result for the same pairs a moment ago. Points that have moved little
        have nearly the same answer, and it is found in a step or two.
    tol : float, default=0.0
        Gap relative to the distance that is small enough; 0 for rounding.
    n_threads : int, default=None
        Threads; None means ``OMP_NUM_THREADS`` or all CPUs.

    Returns
    -------
    NearestPointsMany

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.hull import nearest_points_many
    >>> cube = np.array(np.meshgrid([0, 1], [0, 1], [0, 1])).reshape(3, -1).T
    >>> nearest_points_many([cube, cube], [cube + 3, cube + [0, 0, 2]]).distance.round(3).tolist()
    [3.464, 1.0]
    """
    check_limits(tol, None, n_threads)
    points_a, offsets_a = _packed("A", A)
    points_b, offsets_b = _packed("B", B)
    if points_a.shape[1] != points_b.shape[1]:
        raise ValueError(
            f"A and B must have the same number of features, got {points_a.shape[1]} and "
            f"{points_b.shape[1]}"
        )
    which_a, which_b = _which(pairs, len(offsets_a) - 1, len(offsets_b) - 1)
    options = _core.NearestOptions()
    options.tolerance = float(tol)
    found = _core.nearest_of_pairs(
        points_a,
        offsets_a,
        which_a,
        points_b,
        offsets_b,
        which_b,
        options,
        resolve_threads(n_threads),
        *_start_vertices(start, len(which_a), points_a.shape[1]),
        *check_pose("pose_a", pose_a, len(offsets_a) - 1, points_a.shape[1]),
        *check_pose("pose_b", pose_b, len(offsets_b) - 1, points_b.shape[1]),
    )
    return NearestPointsMany(*found)


def _packed(name: str, polytopes: Any) -> Packed:
    """All points in one array, and where each polytope begins."""
    if isinstance(polytopes, np.ndarray) and polytopes.dtype != object:
        points, counts = _of_array(name, polytopes)
    else:
        points, counts = _of_sequence(name, polytopes)
    if not np.isfinite(points).all():
        i = int(np.flatnonzero(~np.isfinite(points).all(axis=1))[0])
        k = int(np.searchsorted(np.cumsum(counts), i, side="right"))
        raise ValueError(f"{name} must be finite, got NaN or infinity in {name}[{k}]")
    offsets = np.zeros(len(counts) + 1, dtype=np.int64)
    np.cumsum(counts, out=offsets[1:])
    return points, offsets


def _of_array(name: str, polytopes: NDArray[Any]) -> tuple[FloatArray, IndexArray]:
    if polytopes.ndim != 3 or 0 in polytopes.shape:
        raise ValueError(
            f"{name} must have shape (n_polytopes, n_points, n_features), none of them 0, or be a "
            f"sequence of arrays, got shape {polytopes.shape}"
        )
    n, m, d = polytopes.shape
    points = as_numbers(name, polytopes.reshape(n * m, d))
    return points, np.full(n, m, dtype=np.int64)


def _of_sequence(name: str, polytopes: Any) -> tuple[FloatArray, IndexArray]:
    if isinstance(polytopes, str) or not isinstance(polytopes, Iterable):
        raise TypeError(
            f"{name} must be an array or a sequence of arrays, got {type(polytopes).__name__}"
        )
    polytopes = list(polytopes)
    if not polytopes:
        raise ValueError(f"{name} must hold at least one polytope, got none")
    points = _joined(polytopes)
    if points is None:
        points = _one_by_one(name, polytopes)
    return points, np.fromiter(map(len, polytopes), np.int64, len(polytopes))


def _joined(polytopes: list[Any]) -> FloatArray | None:
    """All points at once; None unless they are arrays or lists without fault."""
    kinds = set(map(type, polytopes))
    if not (kinds == {np.ndarray} or kinds <= {list, tuple}) or not min(map(len, polytopes)):
        return None
    try:
        if kinds == {np.ndarray}:
            points = as_numbers("points", np.concatenate(polytopes))
        else:
            points = as_numbers("points", list(chain.from_iterable(polytopes)))
    except (TypeError, ValueError):
        return None
    return points if points.shape[1] else None


def _one_by_one(name: str, polytopes: list[Any]) -> FloatArray:
    """The same of any, slowly, with an error that names the one at fault."""
    arrays = [as_numbers(f"{name}[{k}]", points) for k, points in enumerate(polytopes)]
    for k, points in enumerate(arrays):
        if 0 in points.shape:
            raise ValueError(
                f"{name}[{k}] must have shape (n_points, n_features), none of them 0, got "
                f"{points.shape}"
            )
        if points.shape[1] != arrays[0].shape[1]:
            raise ValueError(
                f"{name}[{k}] has {points.shape[1]} features, {name}[0] has {arrays[0].shape[1]}: "
                "all polytopes must have the same number"
            )
    return np.concatenate(arrays)


def _which(pairs: ArrayLike | None, n_a: int, n_b: int) -> tuple[IndexArray, IndexArray]:
    if pairs is None:
        if n_a != n_b:
            raise ValueError(
                f"A and B must hold equally many polytopes unless pairs are given, got {n_a} and "
                f"{n_b}"
            )
        return np.arange(n_a), np.arange(n_b)
    found = np.asarray(pairs)
    if found.shape == (0,):  # an empty list
        found = np.empty((0, 2), dtype=np.int64)
    if found.ndim != 2 or found.shape[1] != 2 or (found.size and found.dtype.kind not in "iu"):
        raise ValueError(
            f"pairs must be integers of shape (n_pairs, 2), got shape {found.shape} of "
            f"{found.dtype}"
        )
    for column, n, name in ((0, n_a, "A"), (1, n_b, "B")):
        values = found[:, column]
        if len(values) and not (values.min() >= 0 and values.max() < n):
            raise ValueError(
                f"pairs[:, {column}] must lie in 0..{n - 1}, the polytopes of {name}, got "
                f"{values.min()}..{values.max()}"
            )
    a, b = (np.ascontiguousarray(found[:, column], dtype=np.int64) for column in (0, 1))
    return a, b


def _start_vertices(
    start: NearestPointsMany | None, n_pairs: int, d: int
) -> tuple[IndexArray | None, IndexArray | None]:
    if start is None:
        return None, None
    if not isinstance(start, NearestPointsMany):
        raise TypeError(f"start must be a NearestPointsMany, got {type(start).__name__}")
    if start.vertex_a.shape != (n_pairs, d + 1):
        raise ValueError(
            f"start must be the result for {n_pairs} pairs in {d} dimensions, got "
            f"{len(start)} in {start.vertex_a.shape[1] - 1}"
        )
    return start.vertex_a, start.vertex_b
