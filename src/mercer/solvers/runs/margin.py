"""The scale on which a violation of the nu family means something."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mercer import _core
from mercer.gram import Gram
from mercer.problem import Certificate, Problem

__all__ = ["largest_diagonal", "violation_scale"]


def violation_scale(
    problem: Problem, gram: Gram, coef: NDArray[np.float64], certificate: Certificate
) -> float:
    """The scale of a violation, at most 1.

    Without a linear term the gradient scales with the coefficients, and a violation means something
    only next to the margin they make (docs/theory/problem.md#the-scale-of-a-violation): half the
    difference of the two groups' multipliers, or the one group's own. Where the margin vanishes
    (docs/theory/problem.md#hulls-that-overlap) a millionth of the largest gradient such
    coefficients can have takes its place.
    """
    linear = problem.linear
    if (len(linear) and linear[0] != 0.0) or linear.any() or problem.n_groups == 0:
        return 1.0
    with np.errstate(over="ignore"):  # at most 1 all the same
        largest = np.abs(coef).sum() * largest_diagonal(problem, gram)
    return _core.violation_scale(certificate.multiplier, largest)


def largest_diagonal(problem: Problem, gram: Gram) -> float:
    """The largest |k(x, x)| of the rows of variables that are present."""
    rows = problem.index[problem.present]
    return float(np.abs(gram.diagonal()[rows]).max(initial=0.0))
