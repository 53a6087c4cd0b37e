"""Linear kernels: Woodbury, conjugate gradients and LSQR on the data themselves."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.linalg import LinearOperator, lsqr

from mercer.solvers.linear_system.conjugate_gradient import Iterate, conjugate_gradient
from mercer.solvers.linear_system.features import FeatureSystem
from mercer.solvers.linear_system.system import Evaluator, System

__all__ = ["LinearData", "dual_condition", "linear_cg", "linear_lsqr", "woodbury"]

FloatArray = NDArray[np.float64]


class LinearData:
    """The matrix s (X - 1 mean') without forming it: sparse rows stay sparse.

    The mean is the weighted one of the rows if there is a bias, else zero.

    Parameters
    ----------
    X : array or CSR matrix of shape (n_rows, n_features)
        The rows.
    system : System
        Weights and bias.
    """

    def __init__(self, X: Any, system: System) -> None:
        self.X, self.system = X, system
        # gathering is faster than scattering: products with X' get rows of their own
        self.transposed = X.T.tocsr() if hasattr(X, "tocsr") else X.T
        n_features = X.shape[1]
        self.mean = system.weight @ X / system.total if system.bias else np.zeros(n_features)
        self.target_mean = (
            system.weight @ system.targets / system.total
            if system.bias
            else np.zeros(system.targets.shape[1])
        )

    @property
    def targets(self) -> FloatArray:
        """s (Y - 1 mean')."""
        return self.system.scale[:, None] * (self.system.targets - self.target_mean)

    def forward(self, V: FloatArray) -> FloatArray:
        """s (X - 1 mean') V."""
        scale = self.system.scale[:, None]
        return scale * (self.X @ V - self.mean @ V)

    def backward(self, U: FloatArray) -> FloatArray:
        """(X - 1 mean')' s U."""
        scaled = self.system.scale[:, None] * U
        product = self.transposed @ scaled
        if self.system.bias:
            product -= np.outer(self.mean, scaled.sum(axis=0))
        return product

    def intercept(self, weights: FloatArray) -> FloatArray:
        """b of the weights of the features."""
        return self.target_mean - self.mean @ weights


def linear_cg(
    data: LinearData, alpha: float, *, tol: float = 1e-8, max_iter: int | None = None
) -> tuple[FloatArray, FloatArray, Iterate]:
    """Weights, intercepts and the iterate, on the smaller side of the data.

    Rifkin 2002, section 3.6.

    In the dual (A A' + alpha) U = sY, w = A'U; in the primal (A'A + alpha) w = A'sY.
    """
    n, d = data.X.shape
    options: dict[str, Any] = {"tol": tol, "max_iter": max_iter}
    if n <= d:
        run = conjugate_gradient(
            lambda V: data.forward(data.backward(V)) + alpha * V, data.targets, **options
        )
        weights = data.backward(run.x)
    else:
        run = conjugate_gradient(
            lambda V: data.backward(data.forward(V)) + alpha * V,
            data.backward(data.targets),
            **options,
        )
        weights = run.x
    return weights, data.intercept(weights), run


def linear_lsqr(
    data: LinearData, alpha: float, *, tol: float = 1e-8, max_iter: int | None = None
) -> tuple[FloatArray, FloatArray, Iterate]:
    """Weights, intercepts and the iterate by LSQR, output by output.

    min |A w - sY|^2 + alpha |w|^2 without squaring the condition of A.
    """
    n, d = data.X.shape
    operator = LinearOperator(
        (n, d),
        matvec=lambda v: data.forward(np.reshape(v, (-1, 1)))[:, 0],
        rmatvec=lambda u: data.backward(np.reshape(u, (-1, 1)))[:, 0],
        dtype=np.float64,
    )
    weights = np.empty((d, data.targets.shape[1]))
    n_iter, worst, converged = 0, 0.0, True
    for k, target in enumerate(data.targets.T):
        options = {"damp": np.sqrt(alpha), "atol": tol, "btol": tol, "conlim": 0.0}
        w, stop, steps, _, norm, a_norm, _, gradient, *_ = lsqr(
            operator, target, iter_lim=max_iter or 10 * max(n, d), **options
        )
        weights[:, k] = w
        n_iter = max(n_iter, steps)
        scale = a_norm * norm
        worst = max(worst, gradient / scale if scale > 0 else 0.0)
        converged &= stop in (0, 1, 2, 4, 5)
    run = Iterate(weights, n_iter, float(worst), bool(converged))
    return weights, data.intercept(weights), run


def dual_condition(system: Evaluator, alpha: float) -> float:
    """Condition of A A' + alpha, A with fewer columns than rows: what Woodbury divides by alpha."""
    return (system.largest + alpha) / alpha


def woodbury(system: FeatureSystem, alpha: float) -> tuple[FloatArray, FloatArray]:
    """Dual coefficients and intercepts (Rifkin 2002, equation 3.71, corrected).

    U = (I - A (alpha + A'A)^-1 A') sY / alpha, A the weighted (and centred) features: the
    n x n inverse from a d x d one.
    """
    weights, intercept = system.solve(alpha)
    s = system.system
    coef = np.empty_like(s.targets)
    for rows in system.blocks:
        coef[rows] = s.targets[rows] - (system.source(rows) @ weights + intercept)
    return s.weight[:, None] * coef / alpha, intercept
