"""Warnings of nu machines that converged to nothing: the optimum is 0 up to rounding."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from mercer._warning import warn
from mercer.formulations.joined import JoinedParameters
from mercer.gram import Gram
from mercer.problem import Solution
from mercer.problem.solutions import column, relative_gaps

__all__ = ["has_no_margin", "warn_of_no_margin", "warn_of_overlap", "warn_of_small_targets"]

IntArray = NDArray[np.intp]
_NO_DIGIT = 0.5  # relative gap


def is_vague(solution: Solution) -> bool:
    """Whether it converged although its gap leaves no digit of the objective.

    Where a margin vanishes the optimum is 0, and a violation within rounding of what the
    coefficients could make of the kernel is all there is to reach.
    """
    return bool(are_vague([solution])[0])


def are_vague(solutions: Sequence[Solution]) -> NDArray[np.bool_]:
    """The same of several solutions."""
    gaps = np.array(relative_gaps(solutions), dtype=np.float64)  # of None NaN
    return (column(solutions, "status") == "converged") & (gaps >= _NO_DIGIT)


def warn_of_no_margin(nu: float, solution: Solution) -> None:
    """Warn of a one-class machine whose hull holds the origin of the feature space."""
    if is_vague(solution) or (solution.converged and solution.objective == 0.0):
        warn(
            f"nu={nu} is too small: the reduced convex hull of the rows holds the origin of the "
            "feature space, there is no margin, and the decision function is noise. Choose a "
            "larger nu or another kernel.",
            ConvergenceWarning,
        )


def warn_of_small_targets(tol: float, solution: Solution) -> None:
    """Warn of a regression of targets that the tolerance takes for zero."""
    if is_vague(solution):
        warn(
            f"tol={tol:g} is not small next to the differences of the targets: no digit of the "
            f"objective is known (relative duality gap {solution.relative_gap:.3g}). Choose a "
            "smaller tol or scale y.",
            ConvergenceWarning,
        )


def warn_of_overlap(
    nu: float,
    solutions: Sequence[Solution],
    parameters: JoinedParameters,
    rows: IntArray,
    gram: Gram,
) -> None:
    """Warn of two-class problems without a margin."""
    if has_no_margin(solutions, parameters, rows, gram):
        warn(
            f"nu={nu} is too small: the reduced convex hulls of two classes overlap, there is "
            "no margin, and the decision function is noise. Choose a larger nu or another "
            "kernel.",
            ConvergenceWarning,
        )


def has_no_margin(
    solutions: Sequence[Solution], parameters: JoinedParameters, rows: IntArray, gram: Gram
) -> bool:
    """Whether a two-class problem has no margin (docs/theory/problem.md#hulls-that-overlap).

    ``rows`` are those that the coefficients of the problems belong to.

    With coefficients beta before they are scaled to margin 1, rho is half a difference of
    gradients of support vectors, none of which exceeds |beta|_1 max k(x, x).
    """
    begin, size = parameters.offsets[:-1], np.abs(parameters.coef)
    diagonal = np.where(size > 0.0, np.abs(gram.diagonal())[rows], 0.0)
    reach = np.add.reduceat(size, begin) * np.maximum.reduceat(diagonal, begin) / parameters.scale
    return bool((parameters.rho <= 1e-9 * reach).any() or are_vague(solutions).any())
