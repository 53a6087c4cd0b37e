"""Exact leave-one-out values of least squares on a kernel matrix."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer._shown import shown
from mercer.formulations.checks import check_weight
from mercer.least_squares.leave_one_out import LeaveOneOutSystem
from mercer.least_squares.scan import gcv
from mercer.solvers.linear_system import System

__all__ = ["LooPath", "loo_path"]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LooPath:
    """What every alpha does to left-out rows.

    Attributes
    ----------
    alphas : ndarray of shape (n_alphas,)
        The alphas.
    fitted, values : ndarray of shape (n_alphas, n_rows) or (n_alphas, n_rows, n_outputs)
        f(x_i), and f_-i(x_i) of the machine without row i.
    residuals : ndarray of the same shape
        y_i - f_-i(x_i).
    squared_error, gcv, dof : ndarray of shape (n_alphas,)
        Weighted mean square of the residuals; generalized cross-validation; effective
        degrees of freedom.
    condition : ndarray of shape (n_alphas,)
        Condition of K + alpha.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.diagnostics import loo_path
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> path = loo_path(X @ X.T, [0.0, 1.0, 2.0, 3.5], [0.01, 1.0, 100.0])
    >>> float(path.alphas[path.squared_error.argmin()])
    0.01
    """

    alphas: FloatArray
    fitted: FloatArray
    values: FloatArray
    residuals: FloatArray
    squared_error: FloatArray
    gcv: FloatArray
    dof: FloatArray
    condition: FloatArray

    __repr__ = shown()


def loo_path(
    K: ArrayLike,
    y: ArrayLike,
    alphas: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    fit_intercept: bool = False,
) -> LooPath:
    """Leave-one-out values of every alpha from one eigendecomposition (Rifkin 2002, section 3.3).

    alpha is the number on the diagonal, lambda n, and stays when a row is left out; a row is
    left out with all its weight.

    Parameters
    ----------
    K : array-like of shape (n_rows, n_rows)
        Kernel matrix, symmetric and positive semi-definite.
    y : array-like of shape (n_rows,) or (n_rows, n_outputs)
        Targets or labels.
    alphas : float or array-like of shape (n_alphas,)
        Positive numbers.
    sample_weight : array-like of shape (n_rows,), default=None
        Positive weights; weight 2 is the same as the row given twice.
    fit_intercept : bool, default=False
        Whether there is a free bias.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.diagnostics import loo_path
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> loo_path(X @ X.T, [0.0, 1.0, 2.0, 3.5], [0.01, 1.0, 100.0]).squared_error.round(3).tolist()
    [0.089, 0.252, 3.809]
    """
    matrix = np.array(K, dtype=np.float64)
    targets = np.asarray(y, dtype=np.float64)
    if matrix.ndim != 2 or matrix.shape != (len(targets),) * 2:
        raise ValueError(f"K must have shape ({len(targets)}, {len(targets)}), got {matrix.shape}")
    grid = np.atleast_1d(np.asarray(alphas, dtype=np.float64))
    if grid.ndim != 1 or not (np.isfinite(grid) & (grid > 0)).all():
        raise ValueError(f"alphas must be positive numbers, got {alphas!r}")
    flat = targets.ndim == 1
    weight = check_weight(sample_weight, len(targets))
    system = System(targets.reshape(len(targets), -1), weight, bool(fit_intercept))
    factored = LeaveOneOutSystem(system, matrix, None)
    fitted, values = factored.evaluate(grid, slice(0, len(targets)))
    residuals, dof = system.targets - values, factored.dof(grid)
    fit_square = ((system.targets - fitted) ** 2).mean(axis=2) @ weight
    shape = (len(grid), *targets.shape)
    return LooPath(
        alphas=grid,
        fitted=fitted.reshape(shape) if flat else fitted,
        values=values.reshape(shape) if flat else values,
        residuals=residuals.reshape(shape) if flat else residuals,
        squared_error=(residuals**2).mean(axis=2) @ weight / weight.sum(),
        gcv=gcv(fit_square, dof, system.total),
        dof=dof,
        condition=np.array([factored.condition(float(alpha)) for alpha in grid]),
    )
