"""Nearest points of two hulls, and whether a hyperplane separates them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer._warning import warn
from mercer.formulations import nearest_points as nearest_points_problem
from mercer.hull.by_solver import solve_hulls, stacked
from mercer.hull.result import NearestPoints
from mercer.hull.row_scale import RowScale, row_scale_of, scaled_rows
from mercer.hull.rows import (
    Cloud,
    check_limits,
    check_mu,
    check_rows,
    check_scale,
    make_gram,
    resolve,
    takes_objects,
)
from mercer.hull.scaled import scaled_kernel, unscaled_coef
from mercer.hull.wolfe import by_wolfe, combine, takes_wolfe
from mercer.kernels import Kernel
from mercer.kernels.precomputed import Precomputed
from mercer.solvers import Solver

__all__ = ["nearest_points", "separable"]

FloatArray = NDArray[np.float64]
# points and coefficients of either side, direction and offset
Places = tuple[
    FloatArray | None, FloatArray | None, FloatArray, FloatArray, FloatArray | None, float
]


def nearest_points(
    A: Any,
    B: Any,
    *,
    mu: float | None = None,
    kernel: Any = None,
    weight_a: ArrayLike | None = None,
    weight_b: ArrayLike | None = None,
    scale: float | None = None,
    solver: str | Solver = "auto",
    tol: float | None = None,
    max_time: float | None = None,
    n_threads: int | None = None,
) -> NearestPoints:
    """Nearest points of the hulls of two sets of rows.

    Parameters
    ----------
    A, B : array-like or sparse matrix of shape (n_rows, n_features)
        The rows. For a kernel of Python objects sequences of these. For ``kernel="precomputed"``
        their kernel values with all rows, those of A, then those of B.
    mu : float, default=None
        Largest coefficient of a row: the hulls are reduced to the combinations whose coefficients
        are at most ``mu`` times the weight of the row. At least 1 / (rows of the smaller side);
        without weights 1 is the convex hull, as None is.
    kernel : str, Kernel or callable, default=None
        The kernel whose feature space the hulls are in, as for :class:`mercer.SVC`; None for the
        rows themselves.
    weight_a, weight_b : array-like of shape (n_rows,), default=None
        Weights of the rows; 2 is the same as the row given twice, 0 as left out.
    scale : float, default=None
        Factor in (0, 1] by which both hulls shrink towards the means of their rows.
    solver : str or Solver, default="auto"
        "wolfe" is exact except for rounding, for dense rows without a kernel; "auto" takes it up to
        128 features, else a solver of :mod:`mercer.solvers`. Any of these may be named.
    tol : float, default=None
        Accuracy that is enough: of "wolfe" the gap relative to the distance (None: rounding), of
        others the violation in units of the margin (None: 1e-6).
    max_time : float, default=None
        Seconds after which a solver returns what it has; "wolfe" takes no notice.
    n_threads : int, default=None
        Threads of kernel values.

    Returns
    -------
    NearestPoints

    Examples
    --------
    >>> from mercer.hull import nearest_points
    >>> found = nearest_points([[0, 0], [0, 2]], [[3, 1], [4, 0]])
    >>> found.distance, found.point_a.tolist(), found.point_b.tolist()
    (3.0, [0.0, 1.0], [3.0, 1.0])
    """
    a, b, kernel_found = _clouds(A, B, kernel, weight_a, weight_b)
    mu, scale = check_mu(mu, (a, b)), check_scale(scale)
    check_limits(tol, max_time, n_threads)
    row_scale = row_scale_of((a, b), kernel_found, moves=True)
    if row_scale is not None:
        a, b = scaled_rows(a, row_scale), scaled_rows(b, row_scale)
    if takes_wolfe(solver, kernel_found, a, b):
        found = by_wolfe(a, b, mu, scale, tol)
    else:
        found = _by_solver(a, b, kernel_found, mu, scale, solver, tol, max_time, n_threads)
    if row_scale is not None:
        found = _restored(found, row_scale)
    if found.status == "overlap" and mu is not None and mu < 1.0:
        warn(
            f"the reduced convex hulls with mu={mu:g} overlap: their distance is 0 and there is no "
            "direction between them. Choose a smaller mu to reduce them further, or a kernel."
        )
    return found


def separable(
    A: Any,
    B: Any,
    *,
    mu: float | None = None,
    kernel: Any = None,
    weight_a: ArrayLike | None = None,
    weight_b: ArrayLike | None = None,
    scale: float | None = None,
) -> bool:
    """Whether a hyperplane has the hulls of two sets of rows strictly on either side.

    Parameters are those of :func:`nearest_points`. Hulls that touch are not separable. The search
    ends with the first hyperplane that separates, or with a point that both hulls have.

    Examples
    --------
    >>> from mercer.hull import separable
    >>> xor = [[0, 0], [1, 1]], [[0, 1], [1, 0]]
    >>> separable(*xor), separable(*xor, kernel="rbf")
    (False, True)
    """
    a, b, found = _clouds(A, B, kernel, weight_a, weight_b)
    mu, scale = check_mu(mu, (a, b)), check_scale(scale)
    row_scale = row_scale_of((a, b), found, moves=True)
    if row_scale is not None:
        a, b = scaled_rows(a, row_scale), scaled_rows(b, row_scale)
    if takes_wolfe("auto", found, a, b):
        near = by_wolfe(a, b, mu, scale, None, only_separate=True)
    else:
        near = _by_solver(a, b, found, mu, scale, "auto", None, None, None)
    if near.gap == np.inf:
        raise ValueError(
            f"kernel must be positive semi-definite, or there is no space to separate in; "
            f"kernel={found!r} is not"
        )
    return near.status != "overlap" and near.lower_bound > 0.0


def _clouds(
    A: Any, B: Any, kernel: Any, weight_a: ArrayLike | None, weight_b: ArrayLike | None
) -> tuple[Cloud, Cloud, Kernel | None]:
    found = resolve(kernel)
    objects = takes_objects(found)
    a = check_rows("A", A, weight_a, any_rows=objects)
    b = check_rows("B", B, weight_b, any_rows=objects)
    if not objects and a.rows.shape[1] != b.rows.shape[1]:
        raise ValueError(
            f"A and B must have the same number of features, got {a.rows.shape[1]} and "
            f"{b.rows.shape[1]}"
        )
    if isinstance(found, Precomputed) and a.rows.shape[1] != a.n + b.n:
        raise ValueError(
            f"A and B must have a kernel value for each row of A, then each of B: {a.n + b.n} "
            f"columns for {a.n} and {b.n} rows, got {a.rows.shape[1]}"
        )
    return a, b, found


def _restored(found: NearestPoints, row_scale: RowScale) -> NearestPoints:
    """The result on the scale of the rows."""
    point_a, point_b = row_scale.point(found.point_a), row_scale.point(found.point_b)
    assert found.direction is not None
    assert point_a is not None
    assert point_b is not None
    return replace(
        found,
        distance=row_scale.length(found.distance),
        gap=row_scale.length(found.gap),
        point_a=point_a,
        point_b=point_b,
        offset=-float(found.direction @ (0.5 * point_a + 0.5 * point_b)),
    )


def _by_solver(
    a: Cloud,
    b: Cloud,
    kernel: Kernel | None,
    mu: float | None,
    scale: float | None,
    solver: str | Solver,
    tol: float | None,
    max_time: float | None,
    n_threads: int | None,
) -> NearestPoints:
    labels = np.repeat([1.0, -1.0], [a.n, b.n])
    weights = np.concatenate([a.weights, b.weights])
    formulation = nearest_points_problem(labels, np.inf if mu is None else mu, weights)
    rows = stacked(a.rows, b.rows)
    gram = make_gram(kernel, rows, n_threads=n_threads, balanced=scale is None)
    if scale is not None:
        gram = scaled_kernel(gram, (a, b), scale)
    found = solve_hulls(formulation, gram, solver, tol, max_time)
    coef_a, coef_b = found.solution.coef[: a.n], -found.solution.coef[a.n :]
    if scale is not None:
        coef_a, coef_b = unscaled_coef(a, coef_a, scale), unscaled_coef(b, coef_b, scale)
    if kernel is not None:
        offset = found.bias / found.distance if found.distance > 0.0 else 0.0
        points: Places = (None, None, coef_a, coef_b, None, offset)
    else:
        points = _in_coordinates(a, b, coef_a, coef_b, found.distance)
    return NearestPoints(found.distance, found.gap, *points, found.status, *found.costs)


def _in_coordinates(
    a: Cloud, b: Cloud, coef_a: FloatArray, coef_b: FloatArray, distance: float
) -> Places:
    point_a, point_b = combine(coef_a, a.rows), combine(coef_b, b.rows)
    if distance == 0.0:
        return point_a, point_b, coef_a, coef_b, np.zeros(len(point_a)), 0.0
    direction = (point_a - point_b) / distance
    offset = -0.5 * float(direction @ (point_a + point_b))
    return point_a, point_b, coef_a, coef_b, direction, offset
