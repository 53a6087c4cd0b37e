"""Two-class machines on labels in {-1, +1}."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer._warning import warn
from mercer.formulations.bias_and_rho import Formulation
from mercer.formulations.boxes import (
    Intercept,
    linear_loss,
    one_bias,
    signed_box,
    squared_loss,
)
from mercer.formulations.checks import (
    are_in_range,
    check_choice,
    check_labels,
    check_scalar,
    in_range,
)
from mercer.formulations.joined import JoinedFormulations
from mercer.problem import Problem

FloatArray = NDArray[np.float64]
HINGES = ("hinge", "squared_hinge")


def svc(
    y: ArrayLike,
    C: float,
    weight: ArrayLike | None = None,
    *,
    loss: Literal["hinge", "squared_hinge"] = "hinge",
    fit_intercept: Intercept = True,
) -> Formulation:
    """Support vector classification, 1/2 |w|^2 + C sum_i w_i loss(y_i f(x_i)).

    hinge max(0, 1 - y f); squared hinge max(0, 1 - y f)^2 / 2 (Lopez Lazaro 2011, section 3.1).
    Infinite C is the hard margin.

    Parameters
    ----------
    y : array-like of shape (n_rows,)
        Labels -1 and +1.
    C : float
        Regularization parameter, positive, may be infinite.
    weight : array-like of shape (n_rows,), default=None
        Weight of each row: sample weight times class weight.
    loss : {"hinge", "squared_hinge"}, default="hinge"
        The loss.
    fit_intercept : {True, False, "penalized"}, default=True
        With "penalized" the caller solves with the kernel k + 1.

    Examples
    --------
    >>> from mercer.formulations import svc
    >>> problem = svc([-1, 1], C=1.0).problem
    >>> problem.linear.tolist(), problem.lower.tolist(), problem.upper.tolist()
    ([-1.0, 1.0], [-1.0, 0.0], [0.0, 1.0])
    """
    check_choice("loss", loss, HINGES)
    C = check_scalar("C", C, closed_high=True)
    labels, w = check_labels(y, weight)
    size, ridge = linear_loss(C, w) if loss == "hinge" else squared_loss(1 / C, w)
    return one_bias(labels, *signed_box(labels, size), ridge, fit_intercept)


def nu_svc(
    y: ArrayLike,
    nu: float,
    weight: ArrayLike | None = None,
    *,
    loss: Literal["hinge", "squared_hinge"] = "hinge",
) -> Formulation:
    """Nu support vector classification: each class sums to nu W/2.

    Schoelkopf et al. 2000; Lopez Lazaro 2011, section 3.1.4.

    The fitted parameters are in the scale of :func:`svc`, divided by the learned margin ``rho``.

    Parameters
    ----------
    y : array-like of shape (n_rows,)
        Labels -1 and +1.
    nu : float
        Lower bound of the fraction of support vectors, upper bound of the fraction of margin
        errors; at most twice the share of the lighter class. Without effect on the squared
        hinge: that machine is always :func:`svc` with C = 1/W.
    weight : array-like of shape (n_rows,), default=None
        Weight of each row: sample weight times class weight.
    loss : {"hinge", "squared_hinge"}, default="hinge"
        The loss.

    Examples
    --------
    >>> from mercer.formulations import nu_svc
    >>> problem = nu_svc([-1, -1, 1, 1], nu=0.5).problem
    >>> problem.upper.tolist(), problem.group_sum.tolist()
    ([0.0, 0.0, 1.0, 1.0], [1.0, -1.0])
    """
    check_choice("loss", loss, HINGES)
    labels, w = check_labels(y, weight)
    w, _ = in_range(w)  # the margin takes the scale with it
    total, lightest = float(w.sum()), float(min(w[labels > 0].sum(), w[labels < 0].sum()))
    if loss == "hinge":
        nu = check_scalar("nu", nu, high=min(2 * lightest / total, 1.0), closed_high=True)
        size, ridge = linear_loss(1.0, w)
        share = min(nu * total / 2, lightest)
    else:
        nu = check_scalar("nu", nu, high=1.0, closed_high=True)
        warn("nu has no effect with loss='squared_hinge'")
        size, ridge = squared_loss(total, w)
        share = nu * total / 2
    for label in (-1, 1):
        if not size[labels == label].any():
            raise ValueError(
                f"weight must not be too small for the whole class {label:+d} next to the other, "
                f"got at most {w[labels == label].max() / w.max()!r} of its largest"
            )
    return _nu_svc(labels, size, ridge, share)


def _nu_svc(labels: FloatArray, size: FloatArray, ridge: FloatArray, share: float) -> Formulation:
    """Both classes sum to ``share``."""
    lower, upper = signed_box(labels, size)
    problem = Problem(
        linear=np.zeros_like(labels),
        lower=lower,
        upper=upper,
        ridge=ridge,
        group=(labels < 0).astype(np.int8),
        group_sum=np.array([share, -share]),
    )
    return Formulation(problem, len(labels), "nu")


def joined_nu_svc(
    y: FloatArray,
    nu: float,
    weight: FloatArray,
    offsets: NDArray[np.intp],
    *,
    loss: Literal["hinge", "squared_hinge"] = "hinge",
) -> JoinedFormulations | None:
    """:func:`nu_svc` of several problems; None if one of them asks for a closer look.

    That is so where :func:`nu_svc` refuses it, or scales its weights in another way.

    Parameters
    ----------
    y, weight : ndarray of shape (n_rows,)
        Labels -1 and +1 and weights of the rows of each problem, one problem after the other.
    nu, loss
        As for :func:`nu_svc`.
    offsets : ndarray of shape (n_problems + 1,)
        Ascending; no problem is empty.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.formulations.classification import joined_nu_svc
    >>> y, two_problems = np.array([-1.0, 1.0, -1.0, 1.0]), np.array([0, 2, 4])
    >>> joined_nu_svc(y, 0.5, np.ones(4), two_problems).group_sums.tolist()
    [[0.5, -0.5], [0.5, -0.5]]
    """
    first, last = (np.add.reduceat(weight * (y == side), offsets[:-1]) for side in (1.0, -1.0))
    total, lightest = first + last, np.minimum(first, last)
    if not are_in_range(np.maximum.reduceat(weight, offsets[:-1]), total) or not lightest.all():
        return None
    if loss == "hinge":
        if not (nu <= np.minimum(2 * lightest / total, 1.0)).all():
            return None
        share = np.minimum(nu * total / 2, lightest)
        size, ridge = linear_loss(1.0, weight)
    else:
        share = nu * total / 2
        size, ridge = squared_loss(np.repeat(total, np.diff(offsets)), weight)
        if not np.array_equal(size > 0, weight > 0):
            return None
    sums = np.column_stack([share, -share])
    return JoinedFormulations(_nu_svc(y, size, ridge, float(share.sum())), offsets, sums)


def one_sided_huber(
    y: ArrayLike,
    C: float,
    lower_slope: float,
    weight: ArrayLike | None = None,
    *,
    fit_intercept: Intercept = True,
) -> Formulation:
    """Between squared hinge and least squares: a surplus costs, but linearly.

    The box of Lopez Lazaro 2011, section 5.2.3, with a finite lower bound.

    With surplus h = y f - 1 the loss is C/2 h^2 up to h = lower_slope / C and linear of slope
    ``lower_slope`` beyond. lower_slope = 0 is the squared hinge, infinite least squares.

    Parameters
    ----------
    y : array-like of shape (n_rows,)
        Labels -1 and +1.
    C : float
        Regularization parameter, positive and finite.
    lower_slope : float
        Slope of the loss far on the right side, not negative, may be infinite.
    weight : array-like of shape (n_rows,), default=None
        Weight of each row: sample weight times class weight.
    fit_intercept : {True, False, "penalized"}, default=True
        With "penalized" the caller solves with the kernel k + 1.

    Examples
    --------
    >>> from mercer.formulations import one_sided_huber
    >>> problem = one_sided_huber([-1, 1], C=2.0, lower_slope=0.5).problem
    >>> problem.lower.tolist(), problem.upper.tolist()
    ([-inf, -0.5], [0.5, inf])
    """
    C = check_scalar("C", C)
    slope = check_scalar("lower_slope", lower_slope, closed_low=True, closed_high=True)
    labels, w = check_labels(y, weight)
    size, ridge = squared_loss(1 / C, w)
    surplus = np.minimum(linear_loss(slope, w)[0], size)
    lower = np.where(labels > 0, -surplus, -size)
    upper = np.where(labels > 0, size, surplus)
    return one_bias(labels, lower, upper, ridge, fit_intercept)


def pinball(
    y: ArrayLike,
    C: float,
    tau: float,
    weight: ArrayLike | None = None,
    *,
    fit_intercept: Intercept = True,
) -> Formulation:
    """The pinball loss of margins (Huang et al. 2014).

    C max(1 - y f, tau (y f - 1)): rows beyond the margin cost, too, so that the machine goes by
    all rows of a class and noise of those nearest to the other moves it less. tau = 0 is the
    hinge, tau = 1 the absolute error.

    Parameters
    ----------
    y : array-like of shape (n_rows,)
        Labels -1 and +1.
    C : float
        Regularization parameter, positive and finite.
    tau : float
        Slope of the loss beyond the margin, in [0, 1].
    weight : array-like of shape (n_rows,), default=None
        Weight of each row: sample weight times class weight.
    fit_intercept : {True, False, "penalized"}, default=True
        With "penalized" the caller solves with the kernel k + 1.

    Examples
    --------
    >>> from mercer.formulations import pinball
    >>> problem = pinball([-1, 1], C=1.0, tau=0.25).problem
    >>> problem.lower.tolist(), problem.upper.tolist()
    ([-1.0, -0.25], [0.25, 1.0])
    """
    C = check_scalar("C", C)
    tau = check_scalar("tau", tau, high=1.0, closed_low=True, closed_high=True)
    labels, w = check_labels(y, weight)
    size, ridge = linear_loss(C, w)
    lower = np.where(labels > 0, -tau * size, -size)
    upper = np.where(labels > 0, size, tau * size)
    return one_bias(labels, lower, upper, ridge, fit_intercept)
