"""Points of convex hulls: one-class machines, nearest points, minimum norm, smallest ball.

The reduced hull of rows x_i is { sum_i a_i x_i : sum_i a_i = 1, 0 <= a_i <= mu }; mu = 1 is
the convex hull (Lopez Lazaro 2011, section 2.3).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from mercer.formulations.bias_and_rho import Formulation
from mercer.formulations.boxes import linear_loss, signed_box, squared_loss
from mercer.formulations.checks import (
    check_count,
    check_labels,
    check_scalar,
    check_vector,
    check_weight,
)
from mercer.problem import Problem


def one_class(
    n: int, nu: float, weight: ArrayLike | None = None, *, squared: bool = False
) -> Formulation:
    """One-class machine, f(x) >= rho on most rows: coefficients sum to nu W.

    Schoelkopf et al. 2001; Lopez Lazaro 2011, section 3.3.

    Parameters
    ----------
    n : int
        Number of rows.
    nu : float
        Bound of the fraction of outliers, in (0, 1]. With ``squared`` any positive number.
    weight : array-like of shape (n,), default=None
        Weight of each row.
    squared : bool, default=False
        Whether slack is squared.
    """
    w = check_weight(weight, check_count("n", n))
    nu = check_scalar("nu", nu, high=np.inf if squared else 1.0, closed_high=not squared)
    total = nu * float(w.sum())
    size, ridge = squared_loss(total, w) if squared else linear_loss(1.0, w)
    problem = Problem(np.zeros(n), np.zeros(n), size, ridge=ridge, group_sum=np.array([total]))
    return Formulation(problem, n, "level")


def nearest_points(y: ArrayLike, mu: float = 1.0, *, soft: bool = False) -> Formulation:
    """Nearest points of the (reduced) hulls of two classes (Lopez Lazaro 2011, section 3.4).

    w is their difference, |w| their distance; ``rho`` of the read-out is half the width of
    the slab between them along w, the intercept that of the KKT conditions.

    Parameters
    ----------
    y : array-like of shape (n_rows,)
        Labels -1 and +1.
    mu : float, default=1.0
        Largest coefficient, at least 1 / (rows of the smaller class); above 1 as 1. With
        ``soft`` the price of squared slack, any positive number.
    soft : bool, default=False
        Whether the hulls are whole and slack is squared (CH-Margin).
    """
    labels, w = check_labels(y)
    if soft:
        size, ridge = squared_loss(1 / check_scalar("mu", mu), w)
    else:
        smaller = int(min((labels > 0).sum(), (labels < 0).sum()))
        mu = check_scalar("mu", mu, low=1 / smaller, closed_low=True, closed_high=True)
        size, ridge = linear_loss(min(mu, 1.0), w)
    lower, upper = signed_box(labels, size)
    problem = Problem(
        linear=np.zeros_like(labels),
        lower=lower,
        upper=upper,
        ridge=ridge,
        group=(labels < 0).astype(np.int8),
        group_sum=np.array([1.0, -1.0]),
    )
    return Formulation(problem, len(labels), "hulls")


def minimum_norm(n: int, mu: float = 1.0) -> Formulation:
    """Point of the (reduced) hull nearest to the origin (Lopez Lazaro 2011, section 3.4).

    Parameters
    ----------
    n : int
        Number of rows.
    mu : float, default=1.0
        Largest coefficient, at least 1/n; above 1 as 1.
    """
    n = check_count("n", n)
    mu = check_scalar("mu", mu, low=1 / n, closed_low=True, closed_high=True)
    problem = Problem(np.zeros(n), 0.0, min(mu, 1.0), group_sum=1.0)  # type: ignore[arg-type]
    return Formulation(problem, n, "level")


def enclosing_ball(diagonal: ArrayLike) -> Formulation:
    """Smallest ball around all rows (Tax & Duin 2004): the centre is sum_i coef_i x_i.

    Half the squared radius is the optimal value of the problem.

    Parameters
    ----------
    diagonal : array-like of shape (n_rows,)
        k(x_i, x_i), not negative.
    """
    diagonal = check_vector("diagonal", diagonal)
    if (diagonal < 0).any():
        i = int(np.flatnonzero(diagonal < 0)[0])
        raise ValueError(f"diagonal must not be negative, got diagonal[{i}]={diagonal[i]}")
    n = len(diagonal)
    problem = Problem(diagonal / 2, np.zeros(n), np.full(n, np.inf), group_sum=np.ones(1))
    return Formulation(problem, n, "ball")
