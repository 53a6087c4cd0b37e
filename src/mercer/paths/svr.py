"""Support vector regression for every C at once."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer._floating import without_warnings
from mercer.formulations import svr
from mercer.lowrank import LowRank
from mercer.paths.inputs.data import KernelChoice, read_rows
from mercer.paths.inputs.limits import read_limits
from mercer.paths.results.path import Path
from mercer.paths.svc import check_range, trace
from mercer.solvers.runs.deadline import Deadline
from mercer.solvers.runs.progress import Callback

__all__ = ["svr_path"]

FloatArray = NDArray[np.float64]
_DIGITS = 4.0 * float(np.finfo(np.float64).eps)


@without_warnings
def svr_path(
    X: Any,
    y: ArrayLike,
    *,
    epsilon: float = 0.1,
    kernel: Any = "rbf",
    degree: int = 3,
    gamma: float | str = "scale",
    coef0: float = 0.0,
    C_min: float | None = None,
    C_max: float = 1e3,
    accuracy: float = 0.0,
    sample_weight: ArrayLike | None = None,
    low_rank: int | LowRank | None = None,
    cache_size: float | str = "auto",
    n_threads: int | None = None,
    max_events: int = -1,
    max_time: float | None = None,
    callback: Callback | None = None,
    verbose: bool | int = False,
) -> Path:
    """Support vector regression with a tube of half-width ``epsilon`` for every C.

    The problem of classification with two variables for each row and the targets in place
    of the labels: the same events, the same guarantees as :func:`svc_path`.

    Parameters
    ----------
    X : array-like, sparse matrix or sequence of shape (n_rows, n_features)
        Training rows; for ``kernel="precomputed"`` the kernel matrix; a :class:`Gram` to
        share its kernel values.
    y : array-like of shape (n_rows,)
        Targets.
    epsilon : float, default=0.1
        Half-width of the tube.
    kernel, degree, gamma, coef0
        As in :class:`SVR`; the kernel must be positive semi-definite.
    C_min, C_max, accuracy, sample_weight, low_rank, cache_size, n_threads, max_events, \
    max_time, callback, verbose
        As in :func:`svc_path`.

    Returns
    -------
    Path
        ``classes`` is None; ``predict`` gives the values themselves.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from mercer import svr_path
    >>> X, y = load_diabetes(return_X_y=True)
    >>> path = svr_path(X[:100], y[:100], epsilon=20.0, kernel="linear")
    >>> path.predict(X[100:103], 50.0).shape
    (3,)
    """
    deadline = Deadline.after(max_time)
    check_range(C_min, C_max, accuracy)
    limits = read_limits(C_max, max_events, deadline, callback)
    rows, targets, weight, training = read_rows(X, y, sample_weight, kernel, y_numeric=True)
    choice = KernelChoice(kernel, degree, gamma, coef0, low_rank, cache_size, n_threads, deadline)
    values = choice.values(X, rows, weight, training)
    problem = svr(targets, 1.0, epsilon, weight).problem
    problem = replace(problem, linear=_without_rounding(problem.linear))
    with limits.shown(verbose) as shown_limits:
        return trace(
            problem, values.gram, shown_limits, values=values, C_min=C_min, accuracy=accuracy
        )


def _without_rounding(linear: FloatArray) -> FloatArray:
    """Linear terms of which those that differ by rounding are equal.

    0.7 - 0.1 and 0.5 + 0.1 meet at every C, or at 1e16 times the parameter of all other events.
    """
    distinct, which = np.unique(linear, return_inverse=True)
    is_first = np.diff(distinct, prepend=-np.inf) > _DIGITS * np.abs(distinct[[0, -1]]).max()
    return np.asarray(distinct[is_first][np.cumsum(is_first) - 1][which])
