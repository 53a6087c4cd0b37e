"""Exact relations between parameters: C, lambda, alpha, nu and mu.

Lopez Lazaro 2011, section 5.1.2.

LIBSVM's scale throughout; W is the sum of the weights, the number of rows without them.
Where a relation needs the solution, an approximate solution gives an approximate answer.
Beyond a separating margin they end: mu > 1 means the convex hull itself.

The direction w is the same on both sides of each relation. From C and epsilon to nu and mu they
are functions; back they are not: nu(C) and nu(epsilon) are constant where a class (a side of the
tube) has no free coefficient, and every C (epsilon) of an interval has the same nu. The machines
of the interval are multiples of each other (of different width), with biases from intervals of
their own. What is returned here is one of them, the one that the fitted parameters describe;
:func:`C_range` and :func:`parameter_range` return the ends.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from mercer.formulations.bias_and_rho import FittedParameters
from mercer.formulations.checks import check_scalar


def C_from_lambda(regularization: float, n: int) -> float:
    """C of 1/2 |w|^2 + C sum loss from lambda of (1/n) sum loss + lambda |w|^2.

    The loss is the same on both sides; our squared losses carry their factor 1/2.

    Examples
    --------
    >>> from mercer.formulations import C_from_lambda
    >>> C_from_lambda(0.01, n=100)
    0.5
    """
    return 1 / (2 * check_scalar("regularization", regularization) * n)


def lambda_from_C(C: float, n: int) -> float:
    """Lambda of (1/n) sum loss + lambda |w|^2 from C; the inverse of C_from_lambda.

    Examples
    --------
    >>> from mercer.formulations import lambda_from_C
    >>> lambda_from_C(0.5, n=100)
    0.01
    """
    return 1 / (2 * check_scalar("C", C) * n)


def alpha_from_lambda(regularization: float, n: int) -> float:
    """The number on the diagonal from lambda of (1/n) sum (y - f)^2 + lambda |w|^2.

    Examples
    --------
    >>> from mercer.formulations import alpha_from_lambda
    >>> alpha_from_lambda(0.01, n=200)
    2.0
    """
    return check_scalar("regularization", regularization) * n


def lambda_from_alpha(alpha: float, n: int) -> float:
    """Lambda of (1/n) sum (y - f)^2 + lambda |w|^2 from the number on the diagonal.

    Examples
    --------
    >>> from mercer.formulations import lambda_from_alpha
    >>> lambda_from_alpha(2.0, n=200)
    0.01
    """
    return check_scalar("alpha", alpha) / n


def alpha_from_C(C: float) -> float:
    """The number on the diagonal from C of 1/2 |w|^2 + C/2 sum (y - f)^2.

    Examples
    --------
    >>> from mercer.formulations import alpha_from_C
    >>> alpha_from_C(4.0)
    0.25
    """
    return 1 / check_scalar("C", C)


def C_from_alpha(alpha: float) -> float:
    """C of 1/2 |w|^2 + C/2 sum (y - f)^2 from the number on the diagonal.

    Examples
    --------
    >>> from mercer.formulations import C_from_alpha
    >>> C_from_alpha(0.25)
    4.0
    """
    return 1 / check_scalar("alpha", alpha)


def C_from_nu_svc(fitted: FittedParameters) -> float:
    """C of the SVC that equals a solved nu-SVC: 1/rho, with the rho of the fitted parameters.

    Examples
    --------
    >>> from mercer import Gram, solve
    >>> from mercer.formulations import C_from_nu_svc, nu_svc
    >>> from mercer.kernels import Linear
    >>> machine = nu_svc([-1, -1, 1, 1], nu=0.75)
    >>> solution = solve(machine.problem, Gram(Linear(), [[0.0], [1.0], [3.0], [4.0]]), tol=1e-9)
    >>> round(C_from_nu_svc(machine.fitted_parameters(solution)), 6)
    0.125
    """
    return 1 / _margin(fitted)


def nu_from_C(coef: ArrayLike, C: float, weight_sum: float) -> float:
    """Nu of the nu machine that equals a solved SVC or SVR: sum |coef| / (C W).

    The machine of its solution is the same if it has a free coefficient in each class
    (on each side of the tube); else that of another C (epsilon) of the same nu.

    Examples
    --------
    >>> from mercer.formulations import nu_from_C
    >>> nu_from_C([-1.0, -0.5, 1.0, 0.5], C=1.0, weight_sum=10.0)
    0.3
    """
    total = float(np.abs(np.asarray(coef)).sum())
    return total / (check_scalar("C", C) * check_scalar("weight_sum", weight_sum))


def mu_from_svc(coef: ArrayLike, C: float) -> float:
    """Mu of the reduced hulls of a solved SVC: 2 C / sum |coef|.

    Examples
    --------
    >>> from mercer.formulations import mu_from_svc
    >>> mu_from_svc([-1.0, -1.0, 1.0, 1.0], C=1.0)
    0.5
    """
    total = float(np.abs(np.asarray(coef)).sum())
    return 2 * check_scalar("C", C) / check_scalar("sum of |coef|", total)


def C_from_hulls(fitted: FittedParameters, mu: float) -> float:
    """C of the SVC that equals solved nearest points of reduced hulls: mu/rho.

    If several C do, that of the fitted rho (:func:`C_range` has all).

    Examples
    --------
    >>> from mercer import Gram, solve
    >>> from mercer.formulations import C_from_hulls, nearest_points
    >>> from mercer.kernels import Linear
    >>> hulls = nearest_points([-1, -1, 1, 1], mu=0.75)
    >>> solution = solve(hulls.problem, Gram(Linear(), [[0.0], [1.0], [3.0], [4.0]]), tol=1e-9)
    >>> round(C_from_hulls(hulls.fitted_parameters(solution), mu=0.75), 6)
    0.15
    """
    return check_scalar("mu", mu) / _margin(fitted)


def mu_from_nu(nu: float, n: int) -> float:
    """Mu of the reduced hulls that nu-SVC separates: 2 / (nu n).

    Examples
    --------
    >>> from mercer.formulations import mu_from_nu
    >>> mu_from_nu(0.5, n=100)
    0.04
    """
    return 2 / (check_scalar("nu", nu) * n)


def nu_from_mu(mu: float, n: int) -> float:
    """Nu of the nu-SVC that separates reduced hulls: 2 / (mu n).

    Examples
    --------
    >>> from mercer.formulations import nu_from_mu
    >>> nu_from_mu(0.04, n=100)
    0.5
    """
    return 2 / (check_scalar("mu", mu) * n)


def mu_from_one_class(nu: float, n: int) -> float:
    """Mu of the minimum norm problem that equals the one-class machine: 1 / (nu n).

    Examples
    --------
    >>> from mercer.formulations import mu_from_one_class
    >>> mu_from_one_class(0.1, n=100)
    0.1
    """
    return 1 / (check_scalar("nu", nu) * n)


def one_class_from_mu(mu: float, n: int) -> float:
    """Nu of the one-class machine that equals the minimum norm problem: 1 / (mu n).

    Examples
    --------
    >>> from mercer.formulations import one_class_from_mu
    >>> one_class_from_mu(0.1, n=100)
    0.1
    """
    return 1 / (check_scalar("mu", mu) * n)


def _margin(fitted: FittedParameters) -> float:
    if fitted.rho is None or not fitted.rho > 0:
        raise ValueError(f"fitted must have a positive margin rho, got {fitted.rho!r}")
    return fitted.rho
