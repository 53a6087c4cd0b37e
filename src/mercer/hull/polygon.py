"""The outline of a reduced hull in the plane."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer.hull.rows import Cloud, as_numbers, check_mu, check_rows

__all__ = ["reduced_polygon"]

FloatArray = NDArray[np.float64]

_NOTHING = 1e-12  # of the size of the points, which a new corner must add


def reduced_polygon(
    X: ArrayLike, mu: float | None = None, *, weight: ArrayLike | None = None
) -> FloatArray:
    """Corners of the reduced hull of points in the plane, counter-clockwise.

    Between two corners lies another one if the extreme point across their edge is beyond it
    (docs/theory/hulls.md#reduced-hulls).

    Parameters
    ----------
    X : array-like of shape (n_points, 2)
        The points.
    mu : float, default=None
        Largest coefficient of a point; None for the convex hull.
    weight : array-like of shape (n_points,), default=None
        Weights of the points.

    Returns
    -------
    ndarray of shape (n_corners, 2)
        One corner if the hull is a point, two if it is a segment.

    Examples
    --------
    >>> from mercer.hull import reduced_polygon
    >>> reduced_polygon([[0, 0], [2, 0], [0, 2]], mu=0.5).tolist()
    [[1.0, 1.0], [0.0, 1.0], [1.0, 0.0]]
    """
    cloud = check_rows("X", as_numbers("X", X), weight)
    if cloud.rows.shape[1] != 2:
        raise ValueError(f"X must have 2 features, got {cloud.rows.shape[1]}")
    caps = cloud.caps(check_mu(mu, (cloud,)))
    extreme = _Extreme(cloud, caps)
    right, left = extreme.along(1.0, 0.0), extreme.along(-1.0, 0.0)
    corners = [right, *extreme.between(right, left), left, *extreme.between(left, right)]
    kept = [corners[0]]
    for corner in corners[1:]:
        apart = min(np.abs(corner - kept[-1]).max(), np.abs(corner - kept[0]).max())
        if apart > extreme.nothing:
            kept.append(corner)
    return np.array(kept)


class _Extreme:
    """Extreme points of a reduced hull."""

    def __init__(self, cloud: Cloud, caps: FloatArray) -> None:
        self.points, self.caps = cloud.rows, caps
        self.nothing = _NOTHING * float(np.abs(self.points - self.points[0]).max())

    def along(self, x: float, y: float) -> FloatArray:
        """The extreme point farthest along a direction; of several the one farthest to its left."""
        direction, left = np.array([x, y]), np.array([-y, x])
        order = np.lexsort((-(self.points @ left), -(self.points @ direction)))
        before = np.concatenate([[0.0], np.cumsum(self.caps[order])[:-1]])
        coef = np.clip(1.0 - before, 0.0, self.caps[order])
        return np.asarray(coef @ self.points[order])

    def between(self, first: FloatArray, last: FloatArray) -> list[FloatArray]:
        """Corners after ``first`` and before ``last``, counter-clockwise."""
        edge = last - first
        length = float(np.hypot(*edge))
        if length <= self.nothing:
            return []
        x, y = float(edge[1]) / length, float(-edge[0]) / length  # to the right of the edge
        found = self.along(x, y)
        beyond = float((found - first) @ np.array([x, y]))
        if beyond <= self.nothing:
            return []
        return [*self.between(first, found), found, *self.between(found, last)]
