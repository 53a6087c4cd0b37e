"""Boxes and ridges of weighted losses, and the problems with at most one bias.

A row of weight 2 must equal two copies of it, and a row of weight 0 its absence: its box is
collapsed to [0, 0] for every loss.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from mercer import _core
from mercer.formulations.bias_and_rho import Formulation, Kind
from mercer.formulations.checks import check_choice
from mercer.problem import Problem

FloatArray = NDArray[np.float64]
Intercept = Literal[True, False, "penalized"]


def linear_loss(C: float, weight: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Size of the box and ridge of a loss of slope ``C`` per unit of weight: C w and 0."""
    # a box beyond doubles is that of the hard margin
    return _core.box_sizes(weight, C), np.zeros(len(weight))


def squared_loss(alpha: float | FloatArray, weight: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Size of the box and ridge of the loss of curvature 1/alpha: infinite and alpha/w.

    A weight so small that alpha/w overflows leaves the coefficient at 0, as weight 0 does.
    """
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        ridge = alpha / weight
    absent = (weight == 0) | ~np.isfinite(ridge)
    return np.where(absent, 0.0, np.inf), np.where(absent, 1.0, ridge)


def signed_box(sign: FloatArray, size: FloatArray) -> tuple[FloatArray, FloatArray]:
    """[0, size] where ``sign`` is +1, [-size, 0] where it is -1."""
    reach = sign * size
    return np.minimum(reach, 0.0), np.maximum(reach, 0.0)


def one_bias(
    linear: FloatArray,
    lower: FloatArray,
    upper: FloatArray,
    ridge: FloatArray,
    fit_intercept: Intercept,
    *,
    n_rows: int | None = None,
    epsilon: float | None = None,
) -> Formulation:
    """The formulation with one bias: its coefficients sum to 0. Without a bias: no group.

    The variables run through the rows, as often as they are more than ``n_rows``.
    """
    check_choice("fit_intercept", fit_intercept, (True, False, "penalized"))
    kind: Kind = "intercept" if fit_intercept else "no_bias"
    if fit_intercept == "penalized":
        kind = "penalized"
    n = len(linear)
    n_rows = n if n_rows is None else n_rows
    has_group = kind == "intercept"
    problem = Problem.of_arrays(
        linear=np.ascontiguousarray(linear),
        lower=lower,
        upper=upper,
        index=np.arange(n) if n == n_rows else np.arange(n) % n_rows,
        ridge=ridge,
        group=np.zeros(n, np.int8) if has_group else np.full(n, -1, np.int8),
        group_sum=np.zeros(int(has_group)),
    )
    return Formulation(problem, n_rows, kind, epsilon=epsilon)
