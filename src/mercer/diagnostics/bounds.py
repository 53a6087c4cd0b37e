"""Bounds on leave-one-out errors from one trained machine.

Each function marks the rows that may be leave-one-out errors; their number bounds the number of
errors. They work along the last axis, so that many problems may be checked at once. The span
bound, which needs the KKT system of the machine, is a criterion of model selection:
:mod:`mercer.selection.objectives.leave_one_out`.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "jaakkola_haussler",
    "loo_interval",
    "rlsc_bound",
    "rlsc_multiclass_bound",
    "xi_alpha",
]

FloatArray = NDArray[np.float64]
Mask = NDArray[np.bool_]


def _arrays(*values: ArrayLike) -> list[FloatArray]:
    return [np.asarray(value, dtype=np.float64) for value in values]


def jaakkola_haussler(
    y: ArrayLike, decision: ArrayLike, coef: ArrayLike, diagonal: ArrayLike
) -> Mask:
    """Rows with y_i f_i - alpha_i K_ii <= 0 (Jaakkola & Haussler 1999).

    Holds for machines without a bias (or with a penalized one, K then being K + 1) whose dual is
    -1/2 a'YKYa + sum_i F(a_i) on a box from 0: hinge and squared hinge, any C and weights, all
    fixed while a row is left out.

    Parameters
    ----------
    y : array-like of shape (..., n)
        Labels -1 and +1.
    decision : array-like of shape (..., n)
        f(x_i) of the machine trained on all rows.
    coef : array-like of shape (..., n)
        Signed coefficients y_i alpha_i; 0 for rows that are no support vectors.
    diagonal : array-like of shape (..., n)
        k(x_i, x_i).

    Examples
    --------
    >>> from mercer.diagnostics import jaakkola_haussler
    >>> jaakkola_haussler([-1, 1], [-1.5, 0.2], [0.0, 1.0], [1.0, 1.0]).tolist()
    [False, True]
    """
    labels, f, c, k = _arrays(y, decision, coef, diagonal)
    return labels * (f - c * k) <= 0


def rlsc_bound(
    y: ArrayLike,
    decision: ArrayLike,
    alpha: ArrayLike,
    diagonal: ArrayLike,
    form: Literal["a", "b", "c"] = "c",
) -> Mask:
    """Rows that may be errors of :class:`~mercer.RLSC` when left out (Rifkin 2002, section 3.3).

    Three forms of one bound, c_i = (y_i - f_i) / alpha being the coefficients:

        a   y_i (f_i - c_i K_ii) <= 0
        b   y_i ((1 + K_ii/alpha) f_i - y_i K_ii/alpha) <= 0
        c   y_i f_i <= K_ii / (K_ii + alpha)

    alpha is fixed while a row is left out; rows with y_i f_i > 1 are never errors. For machines
    without a bias, or with a penalized one, K then being K + 1.

    Parameters
    ----------
    y : array-like of shape (..., n)
        Labels -1 and +1.
    decision : array-like of shape (..., n)
        f(x_i) of the machine trained on all rows.
    alpha : float or array-like of shape (..., n)
        The number on the diagonal: alpha, divided by the weight of the row if it has one.
    diagonal : array-like of shape (..., n)
        k(x_i, x_i).
    form : {"a", "b", "c"}, default="c"
        Which one to compute.

    Examples
    --------
    >>> from mercer.diagnostics import rlsc_bound
    >>> rlsc_bound([-1, 1], [-0.9, 0.2], 1.0, [1.0, 1.0]).tolist()
    [False, True]
    """
    labels, f, ridge, k = _arrays(y, decision, alpha, diagonal)
    if form == "a":
        return labels * (f - (labels - f) / ridge * k) <= 0
    if form == "b":
        return labels * ((1.0 + k / ridge) * f - labels * k / ridge) <= 0
    if form == "c":
        return labels * f <= k / (k + ridge)
    raise ValueError(f"form must be 'a', 'b' or 'c', got {form!r}")


def loo_interval(
    y: ArrayLike, decision: ArrayLike, alpha: ArrayLike, diagonal: ArrayLike
) -> tuple[FloatArray, FloatArray]:
    """Ends of the interval f_-i(x_i) lies in, between f_i and f_i - c_i K_ii.

    Rifkin 2002, section 3.3.

    Because f_-i(x_i) = y_i - c_i/G_ii and 1/(K_ii + alpha) <= G_ii <= 1/alpha. Any real targets;
    no bias.

    Examples
    --------
    >>> from mercer.diagnostics import loo_interval
    >>> [end.round(6).tolist() for end in loo_interval([-1, 1], [-0.5, 0.2], 0.5, [1.0, 1.0])]
    [[-0.5, -1.4], [0.5, 0.2]]
    """
    targets, f, ridge, k = _arrays(y, decision, alpha, diagonal)
    other = f - (targets - f) / ridge * k
    return np.minimum(f, other), np.maximum(f, other)


def rlsc_multiclass_bound(
    labels: ArrayLike, decision: ArrayLike, alpha: ArrayLike, diagonal: ArrayLike
) -> Mask:
    """Rows that may be errors of one-against-all RLSC (Rifkin 2002, section 4.4.1).

    Possible error: the largest upper end of another class reaches the lower end of the own.

    Parameters
    ----------
    labels : array-like of shape (n,)
        Number of the class of each row: its column in ``decision``.
    decision : array-like of shape (n, n_classes)
        Values of each class against all others.
    alpha : float or array-like of shape (n,)
        The number on the diagonal.
    diagonal : array-like of shape (n,)
        k(x_i, x_i).

    Examples
    --------
    >>> from mercer.diagnostics import rlsc_multiclass_bound
    >>> decision = [[0.9, -0.9, -0.9], [0.1, 0.2, -0.9]]
    >>> rlsc_multiclass_bound([0, 1], decision, 1.0, [1.0, 1.0]).tolist()
    [False, True]
    """
    own, f = np.asarray(labels), np.asarray(decision, dtype=np.float64)
    ridge, k = (np.broadcast_to(v, len(own))[:, None] for v in _arrays(alpha, diagonal))
    is_own = np.arange(f.shape[1]) == own[:, None]
    low, high = loo_interval(np.where(is_own, 1.0, -1.0), f, ridge, k)
    worst = np.where(is_own, -np.inf, high).max(axis=1)
    return worst >= np.where(is_own, low, np.inf).min(axis=1)


def xi_alpha(y: ArrayLike, decision: ArrayLike, coef: ArrayLike, spread: ArrayLike) -> Mask:
    """Rows with 2 alpha_i R^2 + xi_i >= 1: Joachims' bound for the hinge loss with a free bias.

    Joachims 2000. It holds for *stable* machines: both the machine trained on all
    rows and the one trained without row i must have a coefficient strictly inside its box,
    0 < alpha_j < C w_j. That coefficient fixes the bias. Without one, any bias of an interval is
    optimal, the value at the row left out is not determined, and the row may be an error without
    being marked. Of the machine at hand this can be checked; of the others it follows
    only where row i is no support vector, because they are then the same machine. Small C, few
    rows and classes of equal size make it fail (:attr:`LooBound.holds`).

    Parameters
    ----------
    y : array-like of shape (..., n)
        Labels -1 and +1.
    decision : array-like of shape (..., n)
        f(x_i) of the machine trained on all rows.
    coef : array-like of shape (..., n)
        Signed coefficients y_i alpha_i.
    spread : float or array-like of shape (..., 1)
        R^2: the largest kernel value minus the smallest.

    Examples
    --------
    >>> from mercer.diagnostics import xi_alpha
    >>> xi_alpha([-1, 1], [-1.5, 0.2], [0.0, 1.0], [1.0, 1.0]).tolist()
    [False, True]
    """
    labels, f, c, width = _arrays(y, decision, coef, spread)
    slack = np.maximum(1.0 - labels * f, 0.0)
    return 2.0 * np.abs(c) * width + slack >= 1.0
