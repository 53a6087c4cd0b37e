"""Results on hulls: plain values."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mercer._shown import shown

__all__ = [
    "STATUS",
    "EnclosingBall",
    "MinNormPoint",
    "NearestPoints",
    "NearestPointsMany",
    "Penetration",
]

FloatArray = NDArray[np.float64]

STATUS = ("converged", "overlap", "max-iter")  # as the core numbers them


@dataclass(frozen=True, eq=False)
class NearestPoints:
    """Nearest points of two hulls, and the hyperplane between them.

    Attributes
    ----------
    distance : float
        Distance of the two points; 0 where the hulls overlap.
    gap : float
        The distance of the hulls lies in ``[distance - gap, distance]``, rounding included. Where
        they overlap, what is left of it. Infinite for a kernel that is not positive semi-definite.
    point_a, point_b : ndarray of shape (n_features,) or None
        The points; None with a kernel, whose feature space has no coordinates.
    coef_a, coef_b : ndarray
        Coefficients of the rows of either side: not negative, with a sum of 1.
    direction : ndarray of shape (n_features,) or None
        Unit vector from ``point_b`` to ``point_a``; zeros where the hulls overlap.
    offset : float
        ``direction @ x + offset = 0`` is the hyperplane that bisects the segment between the
        points. With a kernel, that of ``sum_i c_i k(x_i, x) / distance``, c being ``coef_a`` and
        ``-coef_b``.
    status : str
        "converged", "overlap" if the hulls have a point in common (up to rounding), or how a
        solver ended otherwise.
    n_iter : int
        Iterations.
    n_kernel : int
        Kernel values computed; 0 if none were needed.
    solver : str
        Solver that was used.

    Examples
    --------
    >>> from mercer.hull import nearest_points
    >>> found = nearest_points([[0, 0], [0, 2]], [[3, 1], [4, 0]])
    >>> found.distance, found.direction.tolist(), found.status
    (3.0, [-1.0, 0.0], 'converged')
    """

    distance: float
    gap: float
    point_a: FloatArray | None
    point_b: FloatArray | None
    coef_a: FloatArray
    coef_b: FloatArray
    direction: FloatArray | None
    offset: float
    status: str
    n_iter: int = 0
    n_kernel: int = 0
    solver: str = ""

    __repr__ = shown()

    @property
    def lower_bound(self) -> float:
        """A lower bound of the distance."""
        return max(self.distance - self.gap, 0.0)


@dataclass(frozen=True, eq=False)
class MinNormPoint:
    """The point of a hull nearest to the origin.

    Attributes
    ----------
    norm : float
        Its distance from there; 0 where the hull holds the origin.
    gap : float
        The smallest norm lies in ``[norm - gap, norm]``; see :class:`NearestPoints`.
    point : ndarray of shape (n_features,) or None
        The point; None with a kernel.
    coef : ndarray of shape (n_rows,)
        Coefficients of the rows: not negative, with a sum of 1.
    status : str
        "converged", "overlap" if the hull holds the origin, or how a solver ended otherwise.
    n_iter, n_kernel, solver
        As for :class:`NearestPoints`.

    Examples
    --------
    >>> from mercer.hull import min_norm_point
    >>> nearest = min_norm_point([[0.0, 2.0], [2.0, 0.0]])
    >>> nearest.point.round(6).tolist(), nearest.coef.round(6).tolist()
    ([1.0, 1.0], [0.5, 0.5])
    """

    norm: float
    gap: float
    point: FloatArray | None
    coef: FloatArray
    status: str
    n_iter: int = 0
    n_kernel: int = 0
    solver: str = ""

    __repr__ = shown()


@dataclass(frozen=True, eq=False)
class EnclosingBall:
    """The smallest ball around rows.

    Attributes
    ----------
    radius : float
        Its radius.
    gap : float
        The smallest radius lies in ``[radius - gap, radius]``; see :class:`NearestPoints`. With
        ``mu`` the gap is that of the root of R^2 + mu sum_i weight_i max(|x_i - c|^2 - R^2, 0).
    centre : ndarray of shape (n_features,) or None
        Its centre; None with a kernel.
    coef : ndarray of shape (n_rows,)
        Coefficients of the rows in the centre: not negative, with a sum of 1.
    status : str
        "converged", or how a solver ended otherwise.
    n_iter, n_kernel, solver
        As for :class:`NearestPoints`.

    Examples
    --------
    >>> from mercer.hull import enclosing_ball
    >>> ball = enclosing_ball([[0.0, 0.0], [2.0, 0.0], [1.0, 0.5]])
    >>> round(ball.radius, 6), ball.centre.round(6).tolist()
    (1.0, [1.0, 0.0])
    """

    radius: float
    gap: float
    centre: FloatArray | None
    coef: FloatArray
    status: str
    n_iter: int = 0
    n_kernel: int = 0
    solver: str = ""

    __repr__ = shown()


@dataclass(frozen=True, eq=False)
class NearestPointsMany:
    """Nearest points of many pairs of polytopes, an entry for each pair.

    Attributes
    ----------
    distance, gap : ndarray of shape (n_pairs,)
        As for :class:`NearestPoints`.
    point_a, point_b : ndarray of shape (n_pairs, n_features)
        The nearest points.
    direction : ndarray of shape (n_pairs, n_features)
        Unit vector from ``point_b`` to ``point_a``; zeros where the polytopes overlap. More
        accurate than the difference of the points where they nearly touch.
    vertex_a, vertex_b : ndarray of shape (n_pairs, n_features + 1)
        Vertices the points are made of, side by side; -1 for none.
    weight : ndarray of shape (n_pairs, n_features + 1)
        Their weights, the same on both sides.
    n_iter : ndarray of shape (n_pairs,)
        Iterations.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.hull import nearest_points_many
    >>> A = np.array([[[0.0, 0.0], [0.0, 2.0]], [[0.0, 0.0], [1.0, 0.0]]])
    >>> found = nearest_points_many(A, A + [3.0, 0.0])
    >>> found.distance.tolist()
    [3.0, 2.0]
    """

    _outcome: NDArray[np.int8]
    distance: FloatArray
    gap: FloatArray
    point_a: FloatArray
    point_b: FloatArray
    direction: FloatArray
    vertex_a: NDArray[np.int64]
    vertex_b: NDArray[np.int64]
    weight: FloatArray
    n_iter: NDArray[np.int64]

    __repr__ = shown()

    def __len__(self) -> int:
        return len(self.distance)

    @property
    def overlap(self) -> NDArray[np.bool_]:
        """Whether the polytopes of each pair have a point in common."""
        return self._outcome == STATUS.index("overlap")

    @property
    def status(self) -> NDArray[np.str_]:
        """The status of each pair."""
        return np.array(STATUS)[self._outcome]

    @property
    def offset(self) -> FloatArray:
        """That of the hyperplane ``direction @ x + offset = 0`` between each pair."""
        middle = 0.5 * (self.point_a + self.point_b)
        return -np.einsum("ij,ij->i", self.direction, middle)


@dataclass(frozen=True, eq=False)
class Penetration:
    """How deep two hulls overlap.

    Attributes
    ----------
    depth : float
        Length of the shortest translation after which they touch only; 0 where they do not overlap.
    gap : float
        The least depth lies in ``[depth - gap, depth]``, up to rounding.
    direction : ndarray of shape (n_features,)
        Unit vector along which the hull of ``A`` moves by ``depth``; zeros where hulls are apart.
    status : str
        "converged", "separate" if the hulls are apart, or "precision-limit" if rounding ended the
        search.

    Examples
    --------
    >>> from mercer.hull import penetration_depth
    >>> A = [[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]]
    >>> found = penetration_depth(A, [[x + 1.5, y] for x, y in A])
    >>> round(found.depth, 6)
    0.5
    """

    depth: float
    gap: float
    direction: FloatArray
    status: str

    __repr__ = shown()
