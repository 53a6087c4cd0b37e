"""KKT conditions in long double, from rows and coefficients alone: nobody's claim is used.

A long double of x86 has 64 bits of mantissa and an exponent of 15 bits: nothing that doubles
hold overflows, and sums keep three digits more.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer import Problem
from mercer.kernels import Gaussian, Laplacian, Linear, Polynomial, Sigmoid

__all__ = ["kernel_matrix", "refutation"]

LongArray = NDArray[np.longdouble]


def kernel_matrix(kernel: Any, X: NDArray[np.float64]) -> LongArray | None:
    """Kernel values of all pairs of rows; None for a kernel that is not known here."""
    rows = X.astype(np.longdouble)
    if isinstance(kernel, Gaussian) and np.ndim(kernel.gamma) == 0:
        differences = rows[:, None] - rows[None]
        return np.exp(-np.longdouble(kernel.gamma) * (differences**2).sum(axis=2))
    if isinstance(kernel, Laplacian):
        differences = rows[:, None] - rows[None]
        return np.exp(-np.longdouble(kernel.gamma) * np.abs(differences).sum(axis=2))
    inner = (rows[:, None] * rows[None]).sum(axis=2)
    if isinstance(kernel, Linear):
        return inner
    if isinstance(kernel, (Polynomial, Sigmoid)):
        argument = np.longdouble(kernel.gamma) * inner + np.longdouble(kernel.coef0)
        return np.tanh(argument) if isinstance(kernel, Sigmoid) else argument**kernel.degree
    return None


def refutation(problem: Problem, K: LongArray, coef: NDArray[np.float64], tol: float) -> str:
    """Why a point is not optimal to ``tol``; "" if it is, as far as doubles can tell.

    What rounding the coefficients to doubles alone does to a gradient is nobody's fault.
    """
    if not np.isfinite(coef).all():
        return "coefficients are not finite"
    epsilon = np.longdouble(2.0**-52)
    beta = coef.astype(np.longdouble)
    low, high = problem.lower.astype(np.longdouble), problem.upper.astype(np.longdouble)
    if (beta < low).any() or (beta > high).any():
        return "a coefficient is outside its box"
    for g, total in enumerate(problem.group_sum):
        members = problem.group == g
        size = np.abs(beta[members]).sum() + abs(total)
        if abs(beta[members].sum() - total) > 1e-9 * size:
            return f"group {g} sums to {float(beta[members].sum())!r}, not {float(total)!r}"
    terms = K[np.ix_(problem.index, problem.index)] * beta
    gradient = problem.linear - terms.sum(axis=1) - problem.ridge * beta
    size = np.abs(terms).sum(axis=1) + np.abs(problem.linear) + np.abs(problem.ridge * beta)
    rounding = 64 * epsilon * size.max(initial=0)
    violation = _violation(problem, gradient, beta, low, high)
    if violation > 2 * tol + rounding:
        bound = f"tol {tol:g} and rounding {float(rounding):.2g}"
        return f"violation {float(violation):.3g} beyond {bound}"
    return ""


def _violation(
    problem: Problem, gradient: LongArray, beta: LongArray, low: LongArray, high: LongArray
) -> np.longdouble:
    """The most that a pair of a group, or a variable without one, gains per unit step."""
    can_grow, can_fall = beta < high, beta > low
    alone = problem.group < 0
    worst = np.longdouble(0)
    for sign, may in ((1, can_grow & alone), (-1, can_fall & alone)):
        worst = max(worst, (sign * gradient[may]).max(initial=0))
    for g in range(problem.n_groups):
        grow, fall = can_grow & (problem.group == g), can_fall & (problem.group == g)
        if grow.any() and fall.any():
            worst = max(worst, gradient[grow].max() - gradient[fall].min())
    return worst
