"""Regression on real targets."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from mercer.formulations.bias_and_rho import Formulation
from mercer.formulations.boxes import Intercept, linear_loss, one_bias, squared_loss
from mercer.formulations.checks import (
    check_choice,
    check_scalar,
    check_squared_targets,
    check_targets,
)
from mercer.problem import Problem

TUBES = ("epsilon_insensitive", "squared_epsilon_insensitive")


def svr(
    y: ArrayLike,
    C: float,
    epsilon: float,
    weight: ArrayLike | None = None,
    *,
    loss: Literal["epsilon_insensitive", "squared_epsilon_insensitive"] = "epsilon_insensitive",
    fit_intercept: Intercept = True,
) -> Formulation:
    """Support vector regression with a tube of half-width ``epsilon``.

    Lopez Lazaro 2011, section 3.2.

    Two variables per row, above and below the tube: n_rows of the one, then of the other.

    Parameters
    ----------
    y : array-like of shape (n_rows,)
        Targets.
    C : float
        Regularization parameter, positive, may be infinite. The squared loss carries C/2.
    epsilon : float
        Half-width of the tube, not negative.
    weight : array-like of shape (n_rows,), default=None
        Weight of each row.
    loss : {"epsilon_insensitive", "squared_epsilon_insensitive"}
        The loss.
    fit_intercept : {True, False, "penalized"}, default=True
        With "penalized" the caller solves with the kernel k + 1.

    Examples
    --------
    >>> from mercer.formulations import svr
    >>> problem = svr([0.0, 5.0], C=1.0, epsilon=0.5).problem
    >>> problem.linear.tolist()  # y - epsilon, then y + epsilon
    [-0.5, 4.5, 0.5, 5.5]
    """
    check_choice("loss", loss, TUBES)
    C = check_scalar("C", C, closed_high=True)
    epsilon = check_scalar("epsilon", epsilon, closed_low=True)
    linear = loss == TUBES[0]
    targets, w = (check_targets if linear else check_squared_targets)(y, weight)
    size, ridge = linear_loss(C, w) if linear else squared_loss(1 / C, w)
    nothing = np.zeros_like(size)
    return one_bias(
        np.concatenate([targets - epsilon, targets + epsilon]),
        np.concatenate([nothing, -size]),
        np.concatenate([size, nothing]),
        np.concatenate([ridge, ridge]),
        fit_intercept,
        n_rows=len(targets),
        epsilon=epsilon,
    )


def nu_svr(
    y: ArrayLike,
    C: float,
    nu: float,
    weight: ArrayLike | None = None,
    *,
    loss: Literal["epsilon_insensitive", "squared_epsilon_insensitive"] = "epsilon_insensitive",
) -> Formulation:
    """Support vector regression that learns its tube (Lopez Lazaro 2011, section 3.2.3).

    1/2 |w|^2 + C (nu W epsilon + sum_i w_i loss_i) in scikit-learn's scale of C. With the
    squared loss epsilon >= 0 is not automatic: see :meth:`Formulation.correction`.

    Parameters
    ----------
    y : array-like of shape (n_rows,)
        Targets.
    C : float
        Regularization parameter, positive and finite. The squared loss carries C/2.
    nu : float
        Fraction of rows outside the tube, in (0, 1]. For the squared loss the mean distance
        to the tube, any positive number.
    weight : array-like of shape (n_rows,), default=None
        Weight of each row.
    loss : {"epsilon_insensitive", "squared_epsilon_insensitive"}
        The loss.

    Examples
    --------
    >>> from mercer import Gram, solve
    >>> from mercer.formulations import nu_svr
    >>> from mercer.kernels import Linear
    >>> machine = nu_svr([0.0, 1.0, 3.0], C=10.0, nu=0.5)
    >>> solution = solve(machine.problem, Gram(Linear(), [[0.0], [1.0], [2.0]]), tol=1e-9)
    >>> round(machine.fitted_parameters(solution).epsilon, 6)
    0.25
    """
    check_choice("loss", loss, TUBES)
    C = check_scalar("C", C)
    linear = loss == TUBES[0]
    nu = check_scalar("nu", nu, high=1.0 if linear else np.inf, closed_high=linear)
    targets, w = (check_targets if linear else check_squared_targets)(y, weight)
    size, ridge = linear_loss(C, w) if linear else squared_loss(1 / C, w)
    nothing, share = np.zeros_like(size), C * nu * float(w.sum()) / 2
    problem = Problem(
        linear=np.concatenate([targets, targets]),
        lower=np.concatenate([nothing, -size]),
        upper=np.concatenate([size, nothing]),
        index=np.arange(2 * len(targets)) % len(targets),
        ridge=np.concatenate([ridge, ridge]),
        group=(np.arange(2 * len(targets)) >= len(targets)).astype(np.int8),
        group_sum=np.array([share, -share]),
    )
    fallback = None if linear else replace(least_squares(targets, 1 / C, w), epsilon=0.0)
    return Formulation(problem, len(targets), "tube", fallback=fallback)


def quantile(
    y: ArrayLike,
    C: float,
    tau: float,
    weight: ArrayLike | None = None,
    *,
    fit_intercept: Intercept = True,
) -> Formulation:
    """Quantile regression, the pinball loss of level ``tau`` (Koenker & Bassett 1978).

    C tau max(0, y - f) + C (1 - tau) max(0, f - y).

    Parameters
    ----------
    y : array-like of shape (n_rows,)
        Targets.
    C : float
        Regularization parameter, positive and finite.
    tau : float
        Level of the quantile, in (0, 1).
    weight : array-like of shape (n_rows,), default=None
        Weight of each row.
    fit_intercept : {True, False, "penalized"}, default=True
        With "penalized" the caller solves with the kernel k + 1.

    Examples
    --------
    >>> from mercer.formulations import quantile
    >>> problem = quantile([0.0, 1.0, 5.0], C=1.0, tau=0.75).problem
    >>> problem.lower.tolist(), problem.upper.tolist()
    ([-0.25, -0.25, -0.25], [0.75, 0.75, 0.75])
    """
    C = check_scalar("C", C)
    tau = check_scalar("tau", tau, high=1.0)
    targets, w = check_targets(y, weight)
    size, ridge = linear_loss(C, w)
    return one_bias(targets, -(1 - tau) * size, tau * size, ridge, fit_intercept)


def absolute(
    y: ArrayLike,
    C: float,
    weight: ArrayLike | None = None,
    *,
    fit_intercept: Intercept = True,
) -> Formulation:
    """Least absolute deviations, C |y - f|: :func:`svr` without a tube.

    Lopez Lazaro 2011, appendix A.

    Parameters
    ----------
    y : array-like of shape (n_rows,)
        Targets.
    C : float
        Regularization parameter, positive and finite.
    weight : array-like of shape (n_rows,), default=None
        Weight of each row.
    fit_intercept : {True, False, "penalized"}, default=True
        With "penalized" the caller solves with the kernel k + 1.

    Examples
    --------
    >>> from mercer.formulations import absolute
    >>> absolute([0.0, 1.0, 5.0], C=2.0).problem.upper.tolist()
    [2.0, 2.0, 2.0]
    """
    C = check_scalar("C", C)
    targets, w = check_targets(y, weight)
    size, ridge = linear_loss(C, w)
    return one_bias(targets, -size, size, ridge, fit_intercept)


def huber(
    y: ArrayLike,
    C: float,
    delta: float | tuple[float, float],
    weight: ArrayLike | None = None,
    *,
    fit_intercept: Intercept = True,
) -> Formulation:
    """Huber's loss: C/2 r^2 for a residual |r| <= delta, C delta (|r| - delta/2) beyond.

    With two deltas the first is that of targets below the fit, r = y - f < 0, the second that
    of those above. One of them infinite is the one-sided loss: outliers on the other side only.

    Parameters
    ----------
    y : array-like of shape (n_rows,)
        Targets.
    C : float
        Regularization parameter, positive and finite.
    delta : float or tuple of two floats
        Size of the residual at which the loss turns linear, positive, may be infinite.
    weight : array-like of shape (n_rows,), default=None
        Weight of each row.
    fit_intercept : {True, False, "penalized"}, default=True
        With "penalized" the caller solves with the kernel k + 1.

    Examples
    --------
    >>> from mercer.formulations import huber
    >>> problem = huber([0.0, 1.0, 5.0], C=2.0, delta=0.5).problem
    >>> problem.upper.tolist(), problem.ridge.tolist()
    ([1.0, 1.0, 1.0], [0.5, 0.5, 0.5])
    """
    C = check_scalar("C", C)
    pair = delta if isinstance(delta, (tuple, list)) else (delta, delta)
    if len(pair) != 2:
        raise ValueError(f"delta must be a number or a pair of them, got {delta!r}")
    below, above = (check_scalar("delta", value, closed_high=True) for value in pair)
    targets, w = check_targets(y, weight)
    size, ridge = squared_loss(1 / C, w)
    lower = -np.minimum(size, linear_loss(C * below, w)[0])
    upper = np.minimum(size, linear_loss(C * above, w)[0])
    return one_bias(targets, lower, upper, ridge, fit_intercept)


def least_squares(
    y: ArrayLike,
    alpha: float,
    weight: ArrayLike | None = None,
    *,
    fit_intercept: Intercept = True,
) -> Formulation:
    """Least squares: LS-SVR, on labels LS-SVC, without a bias RLSC.

    Lopez Lazaro 2011, section 3.1.5.

    1/2 |w|^2 + 1/(2 alpha) sum_i w_i (y_i - f(x_i))^2.

    Parameters
    ----------
    y : array-like of shape (n_rows,)
        Targets or labels.
    alpha : float
        The number on the diagonal, 1/C, positive and finite.
    weight : array-like of shape (n_rows,), default=None
        Weight of each row.
    fit_intercept : {True, False, "penalized"}, default=True
        With "penalized" the caller solves with the kernel k + 1.

    Examples
    --------
    >>> from mercer import Gram, solve
    >>> from mercer.formulations import least_squares
    >>> from mercer.kernels import Linear
    >>> machine = least_squares([1.0, 2.0], alpha=1.0, fit_intercept=False)
    >>> solution = solve(machine.problem, Gram(Linear(), [[1.0], [2.0]]), "direct")
    >>> solution.coef.round(6).tolist()  # (K + alpha I)^-1 y
    [0.166667, 0.333333]
    """
    alpha = check_scalar("alpha", alpha)
    targets, w = check_squared_targets(y, weight)
    size, ridge = squared_loss(alpha, w)
    return one_bias(targets, -size, size, ridge, fit_intercept)
