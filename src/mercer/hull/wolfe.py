"""Points of hulls by simplices of rows, exact except for rounding (docs/theory/hulls.md#wolfe)."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from mercer import _core
from mercer.hull.result import STATUS, NearestPoints
from mercer.hull.rows import Cloud
from mercer.hull.scaled import scaled_rows, unscaled_coef
from mercer.kernels import Kernel
from mercer.solvers import Solver

__all__ = ["by_wolfe", "combine", "takes_wolfe"]

FloatArray = NDArray[np.float64]
# status, distance, gap, iterations, coefficients of either side, direction
SearchResult = tuple[str, float, float, int, FloatArray, FloatArray, FloatArray]

_MOST_FEATURES = 128  # up to which simplices are solved anew at every step
_PRECISE = 1e-9  # of the size of the rows: gaps beyond are no rounding


def takes_wolfe(solver: str | Solver, kernel: Kernel | None, *clouds: Cloud) -> bool:
    """Whether the search goes by simplices of rows; refuses those it cannot take."""
    is_plain = kernel is None and not any(sp.issparse(cloud.rows) for cloud in clouds)
    if isinstance(solver, str) and solver == "wolfe" and not is_plain:
        got = "sparse rows" if kernel is None else f"kernel={kernel!r}"
        raise ValueError(f"solver='wolfe' takes dense rows without a kernel, got {got}")
    if isinstance(solver, str) and solver == "auto":
        return is_plain and clouds[0].rows.shape[1] <= _MOST_FEATURES
    return isinstance(solver, str) and solver == "wolfe"


def by_wolfe(
    a: Cloud,
    b: Cloud,
    mu: float | None,
    scale: float | None,
    tol: float | None,
    *,
    only_separate: bool = False,
) -> NearestPoints:
    """Nearest points of two clouds, or the first hyperplane between them."""
    options = _core.NearestOptions()
    options.tolerance = 0.0 if tol is None else tol
    options.only_separate = only_separate
    rows_a, rows_b = scaled_rows(a, scale), scaled_rows(b, scale)
    cap_a, cap_b = a.caps(mu), b.caps(mu)
    is_whole = cap_a.min() == cap_b.min() == 1.0
    found: SearchResult = (
        _of_convex(rows_a, rows_b, options)
        if is_whole
        else _core.nearest_reduced(rows_a, cap_a, rows_b, cap_b, options)
    )
    status, distance, gap, n_iter, coef_a, coef_b, direction = found
    point_a, point_b = combine(coef_a, rows_a), combine(coef_b, rows_b)
    if scale is not None:
        coef_a, coef_b = unscaled_coef(a, coef_a, scale), unscaled_coef(b, coef_b, scale)
    offset = -0.5 * float(direction @ (point_a + point_b))
    size = float(max(np.abs(rows_a - rows_a[0]).max(), np.abs(rows_b - rows_a[0]).max()))
    if status == "converged" and tol is None and not only_separate and gap > _PRECISE * size:
        status = "precision-limit"
    points = (point_a, point_b, coef_a, coef_b, direction, offset)
    return NearestPoints(distance, gap, *points, status, n_iter, 0, "wolfe")


def _of_convex(
    rows_a: FloatArray, rows_b: FloatArray, options: _core.NearestOptions
) -> SearchResult:
    """Nearest points of whole convex hulls: one of many pairs (:mod:`mercer.hull.many`)."""
    first = np.zeros(1, dtype=np.int64)
    ends_a, ends_b = (np.array([0, len(rows)], dtype=np.int64) for rows in (rows_a, rows_b))
    outcome, distance, gap, _, _, direction, vertex_a, vertex_b, weight, n_iter = (
        found[0]
        for found in _core.nearest_of_pairs(
            rows_a, ends_a, first, rows_b, ends_b, first, options, 1
        )
    )
    used = vertex_a >= 0
    coef_a, coef_b = (
        np.bincount(vertex[used], weight[used], minlength=len(rows)).astype(np.float64)
        for vertex, rows in ((vertex_a, rows_a), (vertex_b, rows_b))
    )
    lengths = (float(distance), float(gap))
    return STATUS[outcome], *lengths, int(n_iter), coef_a, coef_b, direction


def combine(coef: FloatArray, rows: Any) -> FloatArray:
    """``coef @ rows``, of rows that may lie far from the origin; of sparse ones as it is."""
    if sp.issparse(rows):
        return np.asarray(coef @ rows).ravel()
    support = np.flatnonzero(coef)
    first = rows[support[0]]
    return np.asarray(first + coef[support] @ (rows[support] - first))
