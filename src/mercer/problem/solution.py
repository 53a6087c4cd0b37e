"""Points of a problem, their certificates and their cost: plain values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from mercer import _core
from mercer._shown import shown
from mercer.kernels.definiteness import Definiteness
from mercer.problem.problem import Problem

__all__ = ["Certificate", "Solution", "Status", "has_large_gap", "likely_rounding", "lowered"]

Status = Literal[
    "converged", "max-iter", "max-time", "callback", "precision-limit", "unbounded", "stuck"
]
FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Certificate:
    """How close a point of a :class:`Problem` is to the optimum, computed in float64.

    Attributes
    ----------
    gradient : ndarray of shape (n_variables,)
        Gradient of the objective, ``linear - (K + ridge) coef``.
    multiplier : ndarray of shape (n_groups,)
        Multiplier of each group: the common gradient of its free variables.
    objective, primal : float
        Dual value of the point and the best primal value found from it: that of its machine,
        of the same w with another bias or scale, or of w with its rounding corrected.
    gap : float or None
        ``primal - objective``, an upper bound of the distance to the optimal value, if the kernel
        is positive semi-definite. If gradients were kept in single precision, it includes their
        likely effect on the objective. None if the kernel is known not to be positive
        semi-definite, infinite if no primal point was found.
    violation : float
        Largest KKT violation: how much a feasible pair (or, without a group, a single variable)
        could still gain per unit step; or a sufficiently small bound on it, if gradients were kept
        in single precision.
    infeasibility : float
        Largest violation of the box, relative to the largest coefficient, or of a group sum,
        relative to the sum of the sizes of its coefficients; at most 1.
    error : float
        Bound on the error of the gradients. It covers those that were not recomputed in double
        precision, on which the violation does not depend, and ``rounding``, which affects all of
        them. The objective is off by at most half of it times the sum of ``|coef|``.
    rounding : float
        Bound on the effect of rounding of distances, inner products and sums in double precision on
        any gradient; the effect on the violation is at most twice that. Infinite if unknown, as for
        products with a Python function.
    corrections : ndarray or None
        The corrections that recomputation has made to the values (K coef) behind the gradients;
        without these they would have the errors of the others. None if all were recomputed.
    definiteness : {"known", "stated", "unknown", "refuted"}
        How it is known that the kernel is positive semi-definite, as the gap requires: "known" by
        construction, "stated" by the caller, or "unknown", that is, not refuted by the kernel
        values of up to 256 rows, those with the largest coefficients first. "refuted" means that it
        is not.

    Examples
    --------
    >>> from mercer import Gram, certify
    >>> from mercer.formulations import svc
    >>> from mercer.kernels import Linear
    >>> problem = svc([-1, -1, 1, 1], C=1.0).problem
    >>> gram = Gram(Linear(), [[0.0], [1.0], [2.0], [3.0]])
    >>> certificate = certify(problem, gram, [0.0, 0.0, 0.0, 0.0])
    >>> certificate.objective, certificate.primal, certificate.gap, certificate.violation
    (0.0, 4.0, 4.0, 2.0)
    """

    gradient: FloatArray
    multiplier: FloatArray
    objective: float
    primal: float | None
    gap: float | None
    violation: float
    infeasibility: float
    error: float = 0.0
    rounding: float = 0.0
    corrections: FloatArray | None = None
    definiteness: Definiteness = "known"

    __repr__ = shown(
        "objective primal gap violation infeasibility multiplier error rounding definiteness"
    )

    @property
    def is_feasible(self) -> bool:
        """Whether the point lies in the box and has its group sums, up to rounding."""
        return self.infeasibility <= _core.FEASIBLE

    def is_within(self, tolerance: float) -> bool:
        """Whether the violation is at most ``tolerance`` with what rounding has likely done to it.

        A rounding error that is unknown (infinite) is not counted.
        """
        if not self.violation <= tolerance:
            return False
        off = 2.0 * likely_rounding(self)
        is_negligible = off <= _core.NEGLIGIBLE * tolerance or off == np.inf
        return is_negligible or self.violation + off <= tolerance

    def is_hidden(self, tolerance: float) -> bool:
        """Whether rounding has likely done more than ``tolerance`` to the violation."""
        return tolerance <= 2.0 * likely_rounding(self) < np.inf

    @property
    def relative_gap(self) -> float | None:
        """The gap relative to the size of the objective.

        Where the optimal value is 0, as for hulls that overlap or targets that are all alike, it
        may stay near 1 or above however small the gap: no digit of the objective is known.
        """
        if self.gap is None or self.primal is None:
            return None
        if self.gap == np.inf:
            return np.inf
        scale = max(abs(self.objective), abs(self.primal))
        return self.gap / scale if scale > 0 else 0.0


@dataclass(frozen=True, eq=False, kw_only=True)
class Solution(Certificate):
    """What a solver returns: a point with its certificate, and what it cost.

    Attributes
    ----------
    coef : ndarray of shape (n_variables,)
        The point.
    n_iter, n_kernel : int
        Iterations, and kernel values computed.
    seconds : float
        Time taken; NaN of a solution from a model file, which does not tell.
    status : str
        How the run ended: "converged", "max-iter", "max-time", "callback", "precision-limit",
        "unbounded" or "stuck".
    solver : str
        Name of the solver.
    trace : mapping
        What the solver counted and recorded.

    Examples
    --------
    >>> from mercer import Gram, solve
    >>> from mercer.formulations import svc
    >>> from mercer.kernels import Linear
    >>> problem = svc([-1, -1, 1, 1], C=1.0).problem
    >>> gram = Gram(Linear(), [[0.0], [1.0], [2.0], [3.0]])
    >>> solution = solve(problem, gram, tol=1e-6)
    >>> solution.status, solution.gap < 1e-6, solution.coef.round(3).tolist()
    ('converged', True, [0.0, -1.0, 1.0, 0.0])
    """

    coef: FloatArray
    n_iter: int
    n_kernel: int
    seconds: float
    status: Status
    solver: str = ""
    trace: Mapping[str, Any] = field(default_factory=dict)

    __repr__ = shown(
        "status solver objective gap violation multiplier coef n_iter n_kernel seconds"
    )

    @property
    def has_digits(self) -> bool:
        """Whether rounding has likely left the objective the digits that the gap speaks of."""
        size = max(abs(self.objective), abs(self.primal or 0.0))
        off = 0.5 * likely_rounding(self) * float(np.abs(self.coef).sum())
        return off == np.inf or off <= max(self.gap or 0.0, _core.SMALL_GAP * size)

    @property
    def converged(self) -> bool:
        """Whether the requested tolerance was reached."""
        return self.status == "converged"


def likely_rounding(found: Certificate) -> float:
    """What rounding does to gradients unless all errors of kernel values have the same sign.

    A bound adds the sizes of n errors, which grow with the root of n; of ten rows an eighth of
    the bound is reached (docs/theory/rounding.md#what-is-likely).
    """
    return _core.likely(found.rounding, len(found.gradient))


def lowered(solution: Solution, offset: float) -> Solution:
    """The solution with values ``K coef`` that are larger by ``offset`` everywhere.

    Coefficients that add up to zero do not see it; gradients and multipliers do.
    """
    return replace(
        solution, gradient=solution.gradient - offset, multiplier=solution.multiplier - offset
    )


def has_large_gap(problem: Problem, certificate: Certificate) -> bool:
    """Whether there is a gap to explain, and all bounds are finite."""
    relative = certificate.relative_gap
    return (
        relative is not None
        and _core.SMALL_GAP < relative < np.inf
        and bool(np.isfinite(problem.lower).all() and np.isfinite(problem.upper).all())
    )
