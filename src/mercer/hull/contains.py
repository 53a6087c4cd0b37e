"""Whether points lie in a hull."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer import _core
from mercer._threads import resolve_threads
from mercer.hull.nearest import separable
from mercer.hull.result import STATUS
from mercer.hull.rows import (
    Cloud,
    check_limits,
    check_mu,
    check_rows,
    check_scale,
    resolve,
    takes_objects,
)
from mercer.hull.scaled import scaled_rows
from mercer.hull.wolfe import takes_wolfe
from mercer.kernels import Kernel
from mercer.kernels.precomputed import Precomputed

__all__ = ["contains"]


def contains(
    X: Any,
    points: Any,
    *,
    mu: float | None = None,
    kernel: Any = None,
    weight: ArrayLike | None = None,
    scale: float | None = None,
    n_threads: int | None = None,
) -> bool | NDArray[np.bool_]:
    """Whether points lie in the hull of rows, its boundary included.

    Without a kernel and up to 128 features the answer is that of exact arithmetic on the numbers
    given, where hulls are neither reduced nor scaled; else it is right up to rounding, or to the
    accuracy of a solver.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_rows, n_features)
        The rows.
    points : array-like of shape (n_features,) or (n_points, n_features)
        One point, or several; for a kernel of Python objects a sequence of these.
    mu : float, default=None
        Largest coefficient of a row, as for :func:`nearest_points`.
    kernel : str, Kernel or callable, default=None
        The kernel in whose feature space the hull is, not precomputed; None for the rows
        themselves.
    weight : array-like of shape (n_rows,), default=None
        Weights of the rows.
    scale : float, default=None
        Factor in (0, 1] by which the hull shrinks towards the mean of its rows.
    n_threads : int, default=None
        Threads; None means ``OMP_NUM_THREADS`` or all CPUs.

    Returns
    -------
    bool or ndarray of bool of shape (n_points,)
        For one point, or for several.

    Examples
    --------
    >>> from mercer.hull import contains
    >>> square = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> contains(square, [0.5, 1.0])
    True
    >>> contains(square, [[0.5, 0.5], [0.5, 1.5]]).tolist()
    [True, False]
    """
    check_limits(None, None, n_threads)
    found = resolve(kernel)
    if isinstance(found, Precomputed):
        raise ValueError(
            "kernel must not be precomputed: use nearest_points, which takes the kernel values of "
            "both sides"
        )
    objects = takes_objects(found)
    cloud = check_rows("X", X, weight, any_rows=objects)
    is_one = not objects and np.ndim(points) == 1
    others = check_rows("points", [points] if is_one else points, None, any_rows=objects)
    if not objects and others.rows.shape[1] != cloud.rows.shape[1]:
        raise ValueError(
            f"points must have the {cloud.rows.shape[1]} features of X, got {others.rows.shape[1]}"
        )
    mu, scale = check_mu(mu, (cloud,)), check_scale(scale)
    if takes_wolfe("auto", found, cloud, others) and cloud.caps(mu).min() == 1.0:
        answers = _of_whole_hull(scaled_rows(cloud, scale), others.rows, resolve_threads(n_threads))
    else:
        answers = _one_by_one(cloud, others, mu, found, scale)
    return bool(answers[0]) if is_one else answers


def _one_by_one(
    cloud: Cloud, others: Cloud, mu: float | None, kernel: Kernel | None, scale: float | None
) -> NDArray[np.bool_]:
    # a weight that lets the point have all of its coefficient, for any mu
    own = None if mu is None else [max(1.0 / mu, 1.0)]
    each = (others.rows[k : k + 1] for k in range(others.n))
    options: Any = {"mu": mu, "kernel": kernel, "weight_a": cloud.weight, "scale": scale}
    answers = [not separable(cloud.rows, one, weight_b=own, **options) for one in each]
    return np.array(answers, dtype=bool)


def _of_whole_hull(
    rows: NDArray[np.float64], points: NDArray[np.float64], n_threads: int
) -> NDArray[np.bool_]:
    """Each point against the rows, until a hyperplane is between them."""
    options = _core.NearestOptions()
    options.only_separate = True
    n = len(points)
    ends = np.array([0, len(rows)], dtype=np.int64)
    same, own = np.zeros(n, dtype=np.int64), np.arange(n + 1, dtype=np.int64)
    found = _core.nearest_of_pairs(rows, ends, same, points, own, own[:-1], options, n_threads)
    return np.asarray(found[0] == STATUS.index("overlap"))
