"""All optimal biases, margins and widths of a solution, where there is more than one.

The multiplier of a group is the common gradient of its free variables. Without a free variable
any number is one between the gradients of those that may rise and of those that may fall:

    max gradient_i over beta_i < upper_i  <=  multiplier  <=  min gradient_i over beta_i > lower_i

The coefficients are the same for all of them; the bias, the margin rho and the half-width
epsilon, which are means and differences of multipliers, are not.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer._shown import shown
from mercer.formulations.bias_and_rho import Formulation
from mercer.problem import Certificate, Solution

__all__ = ["C_range", "ParameterRange", "parameter_range"]

FloatArray = NDArray[np.float64]
Range = tuple[float, float]
_ROUNDING = 1e-11  # share of its box within which a coefficient is on its bound


@dataclass(frozen=True)
class ParameterRange:
    """Smallest and largest optimal value of what :class:`FittedParameters` has one of.

    Attributes
    ----------
    intercept : tuple of two floats
        The bias; for nu-SVC and nearest points in the problem's own scale, before it is
        divided by rho.
    rho : tuple of two floats or None
        The functional margin of the problem's own scale, or the threshold of the one-class family.
    epsilon : tuple of two floats or None
        The learned half-width of the tube.

    Examples
    --------
    >>> from mercer import Gram, solve
    >>> from mercer.formulations import parameter_range, svc
    >>> from mercer.kernels import Linear
    >>> machine = svc([-1, 1], C=0.1)
    >>> solution = solve(machine.problem, Gram(Linear(), [[0.0], [1.0]]), tol=1e-9)
    >>> [round(end, 6) for end in parameter_range(machine, solution).intercept]
    [-1.0, 0.9]
    """

    intercept: Range
    rho: Range | None = None
    epsilon: Range | None = None

    __repr__ = shown()


def parameter_range(
    formulation: Formulation, solution: Certificate, coef: ArrayLike | None = None
) -> ParameterRange:
    """The optimal biases, margins and widths of a solution; both ends equal if there is one.

    Parameters
    ----------
    formulation : Formulation
        With a free bias: one multiplier for each group.
    solution : Solution or Certificate
        An approximate solution gives approximate ends.
    coef : array-like of shape (n_variables,), default=None
        The point, for a certificate (a solution has its own).

    Examples
    --------
    >>> from mercer import Gram, solve
    >>> from mercer.formulations import parameter_range, svc
    >>> from mercer.kernels import Linear
    >>> machine = svc([-1, 1], C=0.1)
    >>> solution = solve(machine.problem, Gram(Linear(), [[0.0], [1.0]]), tol=1e-9)
    >>> [round(end, 6) for end in parameter_range(machine, solution).intercept]
    [-1.0, 0.9]
    """
    if formulation.kind in ("no_bias", "penalized", "ball"):
        raise ValueError(f"a formulation of kind {formulation.kind!r} has no free bias")
    beta = np.asarray(solution.coef if isinstance(solution, Solution) else coef, dtype=np.float64)
    if beta.shape != formulation.problem.linear.shape:
        raise ValueError(
            f"coef must have shape {formulation.problem.linear.shape}, got {beta.shape}"
        )
    groups = range(formulation.problem.n_groups)
    found = [_multiplier_range(formulation, solution, beta, g) for g in groups]
    (low, high), (last_low, last_high) = found[0], found[-1]
    if formulation.kind == "intercept":
        return ParameterRange((low, high))
    if formulation.kind == "rho":
        return ParameterRange((low, high), rho=(-high, -low))
    centre = (low + last_low) / 2, (high + last_high) / 2
    half = (last_low - high) / 2, (last_high - low) / 2
    if formulation.kind == "tube":
        return ParameterRange(centre, epsilon=(max(-half[1], 0.0), max(-half[0], 0.0)))
    return ParameterRange(centre, rho=half)


def C_range(
    formulation: Formulation, solution: Certificate, coef: ArrayLike | None = None
) -> Range:
    """Every C whose SVC equals a solved nu-SVC, or solved nearest points of reduced hulls.

    These are mu / rho for every optimal rho (mu is 1 for nu-SVC): with f = w'x + b of the
    problem's own scale, the SVC at C has C/mu f for one of the optimal biases. A single C if
    both classes have a free coefficient. The end is infinite if no margin is optimal, too.

    Examples
    --------
    >>> from mercer import Gram, solve
    >>> from mercer.formulations import C_range, nu_svc
    >>> from mercer.kernels import Linear
    >>> machine = nu_svc([-1, -1, 1, 1], nu=0.5)
    >>> solution = solve(machine.problem, Gram(Linear(), [[0.0], [1.0], [3.0], [4.0]]), tol=1e-9)
    >>> [round(end, 6) for end in C_range(machine, solution)]
    [0.25, 0.5]
    """
    low, high = parameter_range(formulation, solution, coef).rho or (0.0, 0.0)
    if formulation.kind not in ("nu", "hulls") or not high > 0:
        raise ValueError(
            "formulation must be a nu-SVC or nearest points with a positive margin rho, got "
            f"kind {formulation.kind!r} and a largest rho of {high!r}"
        )
    bound = float(np.abs(formulation.problem.upper - formulation.problem.lower).max())
    mu = bound if formulation.kind == "hulls" else 1.0
    return mu / high, mu / low if low > 0 else np.inf


def _multiplier_range(
    formulation: Formulation, solution: Certificate, beta: FloatArray, g: int
) -> Range:
    problem = formulation.problem
    members = problem.group == g
    gradient = solution.gradient
    # a sum such as nu W/2 is rounded: a coefficient may miss its bound by that, and is not free
    width = np.minimum(problem.upper - problem.lower, np.abs(beta[members]).max(initial=0.0))
    may_rise = members & (beta < problem.upper - _ROUNDING * width)
    may_fall = members & (beta > problem.lower + _ROUNDING * width)
    low = float(gradient[may_rise].max(initial=-np.inf))
    high = float(gradient[may_fall].min(initial=np.inf))
    if low < high:
        return low, high
    # what is left of the violation of a free variable
    multiplier = float(solution.multiplier[g])
    return multiplier, multiplier
