"""The point of a hull nearest to the origin."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from mercer.formulations import minimum_norm
from mercer.hull.by_solver import solve_hulls
from mercer.hull.result import MinNormPoint
from mercer.hull.row_scale import row_scale_of, scaled_rows
from mercer.hull.rows import (
    Cloud,
    check_limits,
    check_mu,
    check_rows,
    make_gram,
    resolve,
    takes_objects,
)
from mercer.hull.wolfe import by_wolfe, takes_wolfe
from mercer.kernels import Kernel
from mercer.solvers import Solver

__all__ = ["min_norm_point"]


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
        The rows; for ``kernel="precomputed"`` the matrix of their kernel values.
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
    cloud = check_rows("X", X, weight, any_rows=takes_objects(found))
    mu = check_mu(mu, (cloud,))
    check_limits(tol, max_time, n_threads)
    row_scale = row_scale_of((cloud,), found, moves=False)
    if row_scale is not None:
        cloud = scaled_rows(cloud, row_scale)
    if takes_wolfe(solver, found, cloud):
        result = _by_wolfe(cloud, mu, tol)
    else:
        result = _by_solver(cloud, found, mu, solver, tol, max_time, n_threads)
    if row_scale is None:
        return result
    norm, gap, point = (
        row_scale.length(result.norm),
        row_scale.length(result.gap),
        row_scale.point(result.point),
    )
    return replace(result, norm=norm, gap=gap, point=point)


def _by_wolfe(cloud: Cloud, mu: float | None, tol: float | None) -> MinNormPoint:
    # of a weight that lets it have all of its coefficient, for any mu
    origin = Cloud("origin", np.zeros((1, cloud.rows.shape[1])), np.array([np.inf]))
    near = by_wolfe(cloud, origin, mu, None, tol)
    numbers = (near.distance, near.gap, near.point_a, near.coef_a, near.status, near.n_iter)
    return MinNormPoint(*numbers, solver="wolfe")


def _by_solver(
    cloud: Cloud,
    kernel: Kernel | None,
    mu: float | None,
    solver: str | Solver,
    tol: float | None,
    max_time: float | None,
    n_threads: int | None,
) -> MinNormPoint:
    gram = make_gram(kernel, cloud.rows, n_threads=n_threads, balanced=False)
    formulation = minimum_norm(cloud.n, np.inf if mu is None else mu, cloud.weights)
    found = solve_hulls(formulation, gram, solver, tol, max_time)
    coef = found.solution.coef
    point = None if kernel is not None else np.asarray(coef @ cloud.rows).ravel()
    return MinNormPoint(found.distance, found.gap, point, coef, found.status, *found.costs)
