"""Nearest points of two hulls, the point of one nearest to the origin, and separability."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from mercer import _core
from mercer._warning import warn
from mercer.formulations import minimum_norm
from mercer.formulations import nearest_points as nearest_points_problem
from mercer.hull.by_solver import Found, solve_hulls, stacked
from mercer.hull.result import MinNormPoint, NearestPoints
from mercer.hull.rows import (
    Cloud,
    check_mu,
    check_rows,
    check_scale,
    check_tol,
    make_gram,
    resolve,
)
from mercer.hull.scaled import scaled_kernel, scaled_rows, unscaled_coef
from mercer.kernels import Kernel
from mercer.kernels.precomputed import Precomputed
from mercer.solvers import Solver

__all__ = ["min_norm_point", "nearest_points", "separable"]

FloatArray = NDArray[np.float64]
# points and coefficients of either side, direction and offset
Places = tuple[
    FloatArray | None, FloatArray | None, FloatArray, FloatArray, FloatArray | None, float
]

_MOST_FEATURES = 128  # up to which simplices are solved anew at every step
_PRECISE = 1e-9  # of the size of the rows: gaps beyond are no rounding


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
        The rows. For a kernel of Python objects sequences of these.
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
        "wolfe" is exact but for rounding, for dense rows without a kernel; "auto" takes it up to
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
    check_tol(tol)
    if _goes_exactly(solver, kernel_found, a, b):
        found = _exactly(a, b, mu, scale, tol)
    else:
        found = _by_solver(a, b, kernel_found, mu, scale, solver, tol, max_time, n_threads)
    if found.status == "overlap" and mu is not None and mu < 1.0:
        warn(
            f"the reduced convex hulls with mu={mu:g} overlap: their distance is 0 and there is no "
            "direction between them. Choose a smaller mu to reduce them further, or a kernel."
        )
    return found


def min_norm_point(
    X: Any,
    *,
    mu: float | None = None,
    kernel: Any = None,
    weight: ArrayLike | None = None,
    solver: str | Solver = "auto",
    tol: float | None = None,
    max_time: float | None = None,
    n_threads: int | None = None,
) -> MinNormPoint:
    """The point of the hull of rows that is nearest to the origin.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_rows, n_features)
        The rows.
    mu, kernel, solver, tol, max_time, n_threads
        As for :func:`nearest_points`.
    weight : array-like of shape (n_rows,), default=None
        Weights of the rows.

    Returns
    -------
    MinNormPoint

    Examples
    --------
    >>> from mercer.hull import min_norm_point
    >>> min_norm_point([[1, 3], [3, 1]]).point.tolist()
    [2.0, 2.0]
    """
    found = resolve(kernel)
    cloud = check_rows("X", X, weight, any_rows=_takes_objects(found))
    mu = check_mu(mu, (cloud,))
    check_tol(tol)
    if _goes_exactly(solver, found, cloud):
        # of a weight that lets it have all of its coefficient, whatever mu is
        origin = Cloud("origin", np.zeros((1, cloud.rows.shape[1])), np.array([np.inf]))
        near = _exactly(cloud, origin, mu, None, tol)
        numbers = (near.distance, near.gap, near.point_a, near.coef_a, near.status, near.n_iter)
        return MinNormPoint(*numbers, solver="wolfe")
    gram = make_gram(found, cloud.rows, n_threads=n_threads, balanced=False)
    formulation = minimum_norm(cloud.n, np.inf if mu is None else mu, cloud.weights)
    result = solve_hulls(formulation, gram, solver, tol, max_time)
    coef = result.solution.coef
    point = None if found is not None else np.asarray(coef @ cloud.rows).ravel()
    return MinNormPoint(result.distance, result.gap, point, coef, result.status, *_costs(result))


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
    if _goes_exactly("auto", found, a, b):
        near = _exactly(a, b, mu, scale, None, only_separate=True)
    else:
        near = _by_solver(a, b, found, mu, scale, "auto", None, None, None)
    return near.status != "overlap" and near.lower_bound > 0.0


def _clouds(
    A: Any, B: Any, kernel: Any, weight_a: ArrayLike | None, weight_b: ArrayLike | None
) -> tuple[Cloud, Cloud, Kernel | None]:
    found = resolve(kernel)
    if isinstance(found, Precomputed):
        raise ValueError(
            "kernel must not be precomputed: a matrix of one set of rows against itself cannot be "
            "told apart into two sides; use mercer.formulations.nearest_points and mercer.solve"
        )
    objects = _takes_objects(found)
    a = check_rows("A", A, weight_a, any_rows=objects)
    b = check_rows("B", B, weight_b, any_rows=objects)
    if not objects and a.rows.shape[1] != b.rows.shape[1]:
        raise ValueError(
            f"A and B must have the same number of features, got {a.rows.shape[1]} and "
            f"{b.rows.shape[1]}"
        )
    return a, b, found


def _takes_objects(kernel: Kernel | None) -> bool:
    return kernel is not None and kernel._row_kind == "object"


def _goes_exactly(solver: str | Solver, kernel: Kernel | None, *clouds: Cloud) -> bool:
    """Whether the search goes by simplices of rows; refuses those it cannot take."""
    is_plain = kernel is None and not any(sp.issparse(cloud.rows) for cloud in clouds)
    if isinstance(solver, str) and solver == "wolfe" and not is_plain:
        got = "sparse rows" if kernel is None else f"kernel={kernel!r}"
        raise ValueError(f"solver='wolfe' takes dense rows without a kernel, got {got}")
    if isinstance(solver, str) and solver == "auto":
        return is_plain and clouds[0].rows.shape[1] <= _MOST_FEATURES
    return isinstance(solver, str) and solver == "wolfe"


def _costs(found: Found) -> tuple[int, int, str]:
    return found.solution.n_iter, found.solution.n_kernel, found.solution.solver


def _exactly(
    a: Cloud,
    b: Cloud,
    mu: float | None,
    scale: float | None,
    tol: float | None,
    *,
    only_separate: bool = False,
) -> NearestPoints:
    options = _core.NearestOptions()
    options.tolerance = 0.0 if tol is None else tol
    options.only_separate = only_separate
    rows_a, rows_b = scaled_rows(a, scale), scaled_rows(b, scale)
    cap_a, cap_b = a.caps(mu), b.caps(mu)
    status, distance, gap, n_iter, coef_a, coef_b, direction = _core.nearest_reduced(
        rows_a, cap_a, rows_b, cap_b, options
    )
    point_a, point_b = _combine(coef_a, rows_a), _combine(coef_b, rows_b)
    if scale is not None:
        coef_a, coef_b = unscaled_coef(a, coef_a, scale), unscaled_coef(b, coef_b, scale)
    offset = -0.5 * float(direction @ (point_a + point_b))
    size = float(max(np.abs(rows_a - rows_a[0]).max(), np.abs(rows_b - rows_a[0]).max()))
    if status == "converged" and tol is None and not only_separate and gap > _PRECISE * size:
        status = "precision-limit"
    points = (point_a, point_b, coef_a, coef_b, direction, offset)
    return NearestPoints(distance, gap, *points, status, n_iter, 0, "wolfe")


def _combine(coef: FloatArray, rows: FloatArray) -> FloatArray:
    """``coef @ rows``, of rows that may lie far from the origin."""
    support = np.flatnonzero(coef)
    first = rows[support[0]]
    return np.asarray(first + coef[support] @ (rows[support] - first))


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
    return NearestPoints(found.distance, found.gap, *points, found.status, *_costs(found))


def _in_coordinates(
    a: Cloud, b: Cloud, coef_a: FloatArray, coef_b: FloatArray, distance: float
) -> Places:
    point_a = np.asarray(coef_a @ a.rows).ravel()
    point_b = np.asarray(coef_b @ b.rows).ravel()
    if distance == 0.0:
        return point_a, point_b, coef_a, coef_b, np.zeros(len(point_a)), 0.0
    direction = (point_a - point_b) / distance
    offset = -0.5 * float(direction @ (point_a + point_b))
    return point_a, point_b, coef_a, coef_b, direction, offset
