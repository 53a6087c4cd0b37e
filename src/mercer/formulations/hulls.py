"""Points of convex hulls: one-class machines, nearest points, minimum norm, smallest ball.

The reduced hull of rows x_i is { sum_i a_i x_i : sum_i a_i = 1, 0 <= a_i <= mu }; mu = 1 is
the convex hull (Lopez Lazaro 2011, section 2.3).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer.formulations.bias_and_rho import Formulation
from mercer.formulations.boxes import linear_loss, signed_box, squared_loss
from mercer.formulations.checks import (
    check_count,
    check_labels,
    check_scalar,
    check_vector,
    check_weight,
    in_range,
)
from mercer.problem import Problem

_NEGLIGIBLE = 2.0**-100  # share of the largest weight

FloatArray = NDArray[np.float64]


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

    Examples
    --------
    >>> from mercer.formulations import one_class
    >>> problem = one_class(4, nu=0.5).problem
    >>> problem.upper.tolist(), problem.group_sum.tolist()
    ([1.0, 1.0, 1.0, 1.0], [2.0])
    """
    w, weight_scale = in_range(check_weight(weight, check_count("n", n)))
    # no digit of a solution tells such a row from none, and ridges of it would drown all others
    w = np.where(w < _NEGLIGIBLE * w.max(), 0.0, w)
    nu = check_scalar("nu", nu, high=np.inf if squared else 1.0, closed_high=not squared)
    total = nu * float(w.sum())
    size, ridge = squared_loss(total, w) if squared else linear_loss(1.0, w)
    problem = Problem(np.zeros(n), np.zeros(n), size, ridge=ridge, group_sum=np.array([total]))
    return Formulation(problem, n, "rho", weight_scale=weight_scale)


def nearest_points(
    y: ArrayLike, mu: float = 1.0, weight: ArrayLike | None = None, *, soft: bool = False
) -> Formulation:
    """Nearest points of the (reduced) hulls of two classes (Lopez Lazaro 2011, section 3.4).

    w is their difference, |w| their distance; the fitted ``rho`` is half the width of
    the slab between them along w, the intercept that of the KKT conditions.

    Parameters
    ----------
    y : array-like of shape (n_rows,)
        Labels -1 and +1.
    mu : float, default=1.0
        Largest coefficient of a row of weight 1, at least 1 / (weight of the lighter class). 1
        and more is the convex hull; with weights below 1, ``inf`` is. With ``soft`` the weight of
        squared slack, any positive number.
    weight : array-like of shape (n_rows,), default=None
        Weight of each row.
    soft : bool, default=False
        Whether the hulls are whole and slack is squared (CH-Margin).

    Examples
    --------
    >>> from mercer import Gram, solve
    >>> from mercer.formulations import nearest_points
    >>> from mercer.kernels import Linear
    >>> hulls = nearest_points([-1, -1, 1, 1])
    >>> solution = solve(hulls.problem, Gram(Linear(), [[0.0], [1.0], [3.0], [4.0]]), tol=1e-9)
    >>> solution.coef.round(6).tolist()  # 1 and 3 are the nearest points
    [0.0, -1.0, 1.0, 0.0]
    """
    labels, w = check_labels(y, weight)
    if soft:
        size, ridge = squared_loss(1 / check_scalar("mu", mu), w)
    else:
        lighter = min(float(w[labels > 0].sum()), float(w[labels < 0].sum()))
        size, ridge = _hull_box(mu, w, lighter), np.zeros(len(w))
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


def minimum_norm(n: int, mu: float = 1.0, weight: ArrayLike | None = None) -> Formulation:
    """Point of the (reduced) hull nearest to the origin (Lopez Lazaro 2011, section 3.4).

    Parameters
    ----------
    n : int
        Number of rows.
    mu : float, default=1.0
        Largest coefficient of a row of weight 1, at least 1 / (sum of the weights); 1 and more is
        the convex hull; with weights below 1, ``inf`` is.
    weight : array-like of shape (n,), default=None
        Weight of each row.

    Examples
    --------
    >>> from mercer import Gram, solve
    >>> from mercer.formulations import minimum_norm
    >>> from mercer.kernels import Linear
    >>> hull = minimum_norm(2)
    >>> solution = solve(hull.problem, Gram(Linear(), [[0.0, 2.0], [2.0, 0.0]]), tol=1e-9)
    >>> solution.coef.round(6).tolist()  # of the point (1, 1)
    [0.5, 0.5]
    """
    w = check_weight(weight, check_count("n", n))
    size = _hull_box(mu, w, float(w.sum()))
    problem = Problem(np.zeros(n), np.zeros(n), size, group_sum=np.ones(1))
    return Formulation(problem, n, "rho")


def _hull_box(mu: float, weight: FloatArray, total: float) -> FloatArray:
    """The largest coefficient of each row: mu times its weight, and at most the sum of all, 1.

    A row of weight 2 is the row given twice, so its coefficient may be twice as large.
    """
    mu = check_scalar("mu", mu, low=1 / total, closed_low=True, closed_high=True)
    with np.errstate(invalid="ignore"):  # infinitely much of nothing
        return np.where(weight > 0.0, np.minimum(mu * weight, 1.0), 0.0)


def enclosing_ball(
    diagonal: ArrayLike, mu: float = np.inf, weight: ArrayLike | None = None
) -> Formulation:
    """Smallest ball around rows (Tax & Duin 2004): the centre is sum_i coef_i x_i.

    Half the squared radius is the optimal value of the problem. With a finite ``mu`` rows may lie
    outside, and the value is half of R^2 + mu sum_i weight_i max(|x_i - c|^2 - R^2, 0).

    Parameters
    ----------
    diagonal : array-like of shape (n_rows,)
        k(x_i, x_i), not negative.
    mu : float, default=inf
        Largest coefficient of a row of weight 1, at least 1 / (sum of the weights).
    weight : array-like of shape (n_rows,), default=None
        Weight of each row.

    Examples
    --------
    >>> from mercer import Gram, solve
    >>> from mercer.formulations import enclosing_ball
    >>> from mercer.kernels import Linear
    >>> ball = enclosing_ball([0.0, 1.0, 16.0])
    >>> solution = solve(ball.problem, Gram(Linear(), [[0.0], [1.0], [4.0]]), tol=1e-9)
    >>> solution.coef.round(6).tolist(), round((2 * solution.objective) ** 0.5, 6)
    ([0.5, 0.0, 0.5], 2.0)
    """
    diagonal = check_vector("diagonal", diagonal)
    if (diagonal < 0).any():
        i = int(np.flatnonzero(diagonal < 0)[0])
        raise ValueError(f"diagonal must not be negative, got diagonal[{i}]={diagonal[i]}")
    n = len(diagonal)
    w = check_weight(weight, n)
    size = np.full(n, np.inf) if mu == np.inf else _hull_box(mu, w, float(w.sum()))
    size[w == 0.0] = 0.0
    problem = Problem(diagonal / 2, np.zeros(n), size, group_sum=np.ones(1))
    return Formulation(problem, n, "ball")
