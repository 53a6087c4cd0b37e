"""The certificate of a machine with its own bias."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from mercer.gram import Gram
from mercer.problem import Certificate, Problem, certify
from mercer.problem.duality import duality_gap

__all__ = ["bias_interval", "certify_machine"]

FloatArray = NDArray[np.float64]


def certify_machine(
    problem: Problem, gram: Gram, coef: FloatArray, bias: float | FloatArray
) -> Certificate:
    """Certificate of a point whose primal machine has the given bias, one for each group.

    :func:`certify` takes the mean gradient of the free variables for the bias, which is the
    bias of a solution but not that of a point between two of them.
    """
    found = certify(problem, gram, coef)
    multiplier = np.atleast_1d(bias)
    if found.gap is None:
        return replace(found, multiplier=multiplier)
    values = problem.linear - found.gradient - problem.ridge * coef
    gap = min(found.gap, duality_gap(problem, coef, values, found.gradient, multiplier))
    return replace(found, multiplier=multiplier, gap=gap, primal=found.objective + gap)


def bias_interval(
    problem: Problem, gram: Gram, coef: FloatArray, bias: float
) -> tuple[float, float]:
    """Every bias that is optimal with given coefficients, ``bias`` being one of them."""
    rows = problem.row_coef(coef, gram.n_rows)
    used = np.flatnonzero(rows)
    values = np.zeros(gram.n_rows)
    if len(used):
        values = gram.product(used, rows[used], precision="double")
    gradient = problem.linear - values[problem.index] - problem.ridge * coef
    slack = 1e-9 * (problem.upper - problem.lower)
    rise, fall = coef < problem.upper - slack, coef > problem.lower + slack
    lowest = float(gradient[rise].max(initial=-np.inf))
    highest = float(gradient[fall].min(initial=np.inf))
    rounding = 1e-8 * (1.0 + abs(bias))
    if lowest - rounding <= bias <= highest + rounding:
        # rounding must not put the bias next to the interval, or leave that empty
        return min(lowest, bias), max(highest, bias)
    return lowest, highest
