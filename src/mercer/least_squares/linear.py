"""Linear kernels: Woodbury, conjugate gradients and LSQR on the data themselves."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.linalg import LinearOperator, lsqr

from mercer.least_squares.features import FeatureSystem
from mercer.least_squares.scan import Evaluator
from mercer.solvers.linear_system.conjugate_gradient import Iterate, conjugate_gradient
from mercer.solvers.linear_system.residual import relative_residual
from mercer.solvers.linear_system.system import System

__all__ = ["LinearData", "dual_condition", "linear_cg", "linear_lsqr", "woodbury"]

FloatArray = NDArray[np.float64]

# How often LSQR runs, and what it says where it may not go on.
ROUNDS, OUT_OF_ITERATIONS = 3, 7


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

    @property
    def targets(self) -> FloatArray:
        """s (Y - 1 mean')."""
        return self.system.centred

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
        return self.system.target_mean - self.mean @ weights


def linear_cg(
    data: LinearData,
    alpha: float,
    *,
    tol: float = 1e-8,
    max_iter: int | None = None,
    deadline: float = np.inf,
) -> tuple[FloatArray, FloatArray, Iterate]:
    """Weights, intercepts and the iterate, on the smaller side of the data.

    Rifkin 2002, section 3.6.

    In the dual (A A' + alpha) U = sY, w = A'U; in the primal (A'A + alpha) w = A'sY.
    """
    n, d = data.X.shape
    options: dict[str, Any] = {"tol": tol, "max_iter": max_iter, "deadline": deadline}
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
    data: LinearData,
    alpha: float,
    *,
    tol: float = 1e-8,
    max_iter: int | None = None,
    deadline: float = np.inf,
) -> tuple[FloatArray, FloatArray, Iterate]:
    """Weights, intercepts and the iterate by LSQR, output by output.

    min |A w - sY|^2 + alpha |w|^2 without squaring the condition of A. LSQR measures the
    gradient by |A| and the error; where that leaves too much of it, it runs again, further.
    """
    limit = max_iter or 10 * max(data.X.shape)
    strict = tol
    for _ in range(ROUNDS):
        options = {"damp": np.sqrt(alpha), "atol": strict, "btol": strict, "conlim": 0.0}
        weights, n_iter, ended = _lsqr_outputs(data, deadline, iter_lim=limit, **options)
        residual = _gradient(data, alpha, weights)
        if residual <= tol or not ended or strict == 0:
            break
        strict *= 0.1 * tol / residual
    return weights, data.intercept(weights), Iterate(weights, n_iter, residual, ended)


class _OutOfTime(Exception):
    pass


def _lsqr_outputs(
    data: LinearData, deadline: float, **options: Any
) -> tuple[FloatArray, int, bool]:
    """Weights, most iterations and whether all outputs ended by their tolerance.

    LSQR does not let go of an unfinished solution: outputs without time left have weights 0.
    """
    n, d = data.X.shape

    def forward(v: FloatArray) -> FloatArray:
        if time.perf_counter() > deadline:
            raise _OutOfTime
        return data.forward(np.reshape(v, (-1, 1)))[:, 0]

    backward = lambda u: data.backward(np.reshape(u, (-1, 1)))[:, 0]  # noqa: E731
    operator = LinearOperator((n, d), matvec=forward, rmatvec=backward, dtype=np.float64)
    weights, n_iter, ended = np.zeros((d, data.targets.shape[1])), 0, True
    for k, target in enumerate(data.targets.T):
        try:
            weights[:, k], stop, steps, *_ = lsqr(operator, target, **options)
        except _OutOfTime:
            return weights, n_iter, False
        n_iter = max(n_iter, steps)
        ended &= stop != OUT_OF_ITERATIONS
    return weights, n_iter, ended


def _gradient(data: LinearData, alpha: float, weights: FloatArray) -> float:
    """Largest |A'(sY - A w) - alpha w| / |A'sY| over the outputs."""
    targets = data.targets
    rest = data.backward(targets - data.forward(weights)) - alpha * weights
    return relative_residual(rest, np.linalg.norm(data.backward(targets), axis=0))


def dual_condition(system: Evaluator, alpha: float) -> float:
    """Condition of A A' + alpha, A with fewer columns than rows: what Woodbury divides by alpha."""
    return (system.largest + alpha) / alpha


def woodbury(system: FeatureSystem, alpha: float) -> tuple[FloatArray, FloatArray]:
    """Dual coefficients and intercepts (Rifkin 2002, equation 3.71, corrected).

    U = (I - A (alpha + A'A)^-1 A') sY / alpha, A the weighted (and centred) features: the
    n x n inverse from a d x d one.
    """
    weights, intercept = system.solve(alpha)
    s, moments = system.system, system.solver.moments
    coef = s.targets - moments.target_mean
    for rows in system.blocks:
        coef[rows] -= system.source(rows) @ weights - moments.mean @ weights
    if s.bias:
        # they sum to 0, except for the rounding of the means
        coef -= s.weight @ coef / s.total
    return s.weight[:, None] * coef / alpha, intercept
