"""How deep two hulls overlap (docs/theory/hulls.md#how-deep-hulls-overlap)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import ConvexHull

from mercer.hull.result import Penetration
from mercer.hull.row_scale import row_scale_of, scaled_rows
from mercer.hull.rows import Cloud, check_rows
from mercer.hull.wolfe import by_wolfe

__all__ = ["penetration_depth"]

FloatArray = NDArray[np.float64]

_EPSILON = float(np.finfo(np.float64).eps)
_MOST_FEATURES = 8  # beyond which facets are too many
_FACETS = 256  # nearest ones that grow at a time
_MOST_ROUNDS = 1000


class _Differences(NamedTuple):
    """The polytope of all a - b."""

    a: FloatArray
    b: FloatArray

    def farthest(self, normals: FloatArray) -> tuple[FloatArray, FloatArray]:
        """How far it goes along each of some directions, and the vertex there."""
        along_a, along_b = normals @ self.a.T, normals @ self.b.T
        i, j = along_a.argmax(axis=1), along_b.argmin(axis=1)
        k = np.arange(len(normals))
        return along_a[k, i] - along_b[k, j], self.a[i] - self.b[j]

    @property
    def size(self) -> float:
        return float(np.abs(self.a).max() + np.abs(self.b).max())


def penetration_depth(A: Any, B: Any) -> Penetration:
    """How far one of two convex hulls must move, at least, to overlap with the other no more.

    Parameters
    ----------
    A, B : array-like of shape (n_rows, n_features)
        The rows, of up to 8 features.

    Returns
    -------
    Penetration

    Examples
    --------
    >>> from mercer.hull import penetration_depth
    >>> square = [[0, 0], [0, 2], [2, 0], [2, 2]]
    >>> found = penetration_depth(square, [[1.5, 1], [5, 0], [5, 2]])
    >>> round(found.depth, 12), found.direction.round(12).tolist()
    (0.5, [-1.0, 0.0])
    """
    a, b = check_rows("A", A, None), check_rows("B", B, None)
    d = _check_features(a, b)
    row_scale = row_scale_of((a, b), None, moves=True)
    if row_scale is not None:
        a, b = scaled_rows(a, row_scale), scaled_rows(b, row_scale)
    if by_wolfe(a, b, None, None, None, only_separate=True).status != "overlap":
        return Penetration(0.0, 0.0, np.zeros(d), "separate")
    shift = a.rows[0]
    polytope = _Differences(a.rows - shift, b.rows - shift)
    first = _simplex(polytope)
    if first.shape == (d,):  # a direction along which there is no difference
        depth, gap, direction, status = 0.0, 0.0, first, "converged"
    elif d == 1:
        depth, gap, direction, status = _of_intervals(polytope)
    else:
        depth, gap, direction, status = _of_facets(polytope, first)
    if row_scale is not None:
        depth, gap = row_scale.length(depth), row_scale.length(gap)
    return Penetration(depth, gap, direction, status)


def _check_features(a: Cloud, b: Cloud) -> int:
    for cloud in (a, b):
        if not isinstance(cloud.rows, np.ndarray):
            raise TypeError(f"{cloud.name} must be dense, got a sparse matrix")
    d = a.rows.shape[1]
    if d != b.rows.shape[1]:
        raise ValueError(
            f"A and B must have the same number of features, got {d} and {b.rows.shape[1]}"
        )
    if d > _MOST_FEATURES:
        raise ValueError(f"A and B must have at most {_MOST_FEATURES} features, got {d}")
    return d


def _simplex(polytope: _Differences) -> FloatArray:
    """d + 1 vertices that are affinely independent, or a direction that has no two of them."""
    d = polytope.a.shape[1]
    edges = np.vstack([polytope.a - polytope.a[0], polytope.b - polytope.b[0]])
    vertices = [polytope.a[0] - polytope.b[0]]
    basis = np.empty((0, d))
    least = 16.0 * (d + 2) * _EPSILON * polytope.size
    for _ in range(d):
        left = _beside(basis, edges)
        lengths = np.linalg.norm(left, axis=1)
        longest = int(lengths.argmax())
        if lengths[longest] <= least:
            return _normal(basis)
        along = left[longest] / lengths[longest]
        _, ends = polytope.farthest(np.array([along, -along]))
        far = int(np.abs((ends - vertices[0]) @ along).argmax())
        vertices.append(ends[far])
        edge = _beside(basis, (ends[far] - vertices[0])[None])[0]
        basis = np.vstack([basis, edge / np.linalg.norm(edge)])
    return np.array(vertices)


def _beside(basis: FloatArray, rows: FloatArray) -> FloatArray:
    """The part of rows outside the span of an orthonormal basis, projected twice."""
    left = rows - (rows @ basis.T) @ basis
    return np.asarray(left - (left @ basis.T) @ basis)


def _normal(basis: FloatArray) -> FloatArray:
    """A unit vector that is orthogonal to the basis."""
    return np.asarray(np.linalg.svd(basis)[2][-1] if len(basis) else np.eye(basis.shape[1])[0])


def _of_intervals(polytope: _Differences) -> tuple[float, float, FloatArray, str]:
    reach, _ = polytope.farthest(np.array([[1.0], [-1.0]]))
    side = int(reach.argmin())
    gap = 4.0 * _EPSILON * polytope.size
    return float(reach[side]), gap, np.array([[-1.0], [1.0]])[side], "converged"


def _of_facets(polytope: _Differences, inside: FloatArray) -> tuple[float, float, FloatArray, str]:
    """The nearest facet of a polytope inside grows until it is one of the differences.

    Its distance is a lower bound, how far the differences go along any normal an upper one.
    """
    d = inside.shape[1]
    rounding = 16.0 * (d + 2) * _EPSILON * polytope.size
    upper, direction, first = np.inf, np.zeros(d), inside
    for _ in range(_MOST_ROUNDS):
        normals = _nearest_normals(inside, first)
        distance = (normals @ inside.T).max(axis=1)
        reach, vertices = polytope.farthest(normals)
        best, lower = int(reach.argmin()), float(distance.min())
        if reach[best] < upper:
            upper, direction = float(reach[best]), 0.0 - normals[best]
        if upper - lower <= rounding:
            return max(upper, 0.0), upper - lower + rounding, direction, "converged"
        grows = (reach - distance > rounding) & (distance < upper)
        if not grows.any():
            break
        inside = np.unique(np.vstack([inside, vertices[grows]]), axis=0)
    return max(upper, 0.0), upper - lower + rounding, direction, "precision-limit"


def _nearest_normals(points: FloatArray, simplex: FloatArray) -> FloatArray:
    """Outer normals of those facets of the hull of points that are nearest to the origin.

    Facets stay facets under affine maps: they are found where the simplex has edges of length 1
    along the axes, because Qhull takes what is thin for flat.
    """
    edges = simplex[1:] - simplex[0]
    facets = ConvexHull(np.linalg.solve(edges.T, (points - simplex[0]).T).T).equations
    normals = np.linalg.solve(edges, facets[:, :-1].T).T
    lengths = np.linalg.norm(normals, axis=1)
    distance = (normals @ simplex[0] - facets[:, -1]) / lengths
    nearest = np.argsort(distance)[:_FACETS]
    return np.asarray(normals[nearest] / lengths[nearest, None])
