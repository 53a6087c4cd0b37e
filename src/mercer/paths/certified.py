"""The certificate of a machine with its own bias."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from mercer.duality import duality_gap
from mercer.gram import Gram
from mercer.problem import Certificate, Problem, certify

__all__ = ["certify_machine"]

FloatArray = NDArray[np.float64]


def certify_machine(problem: Problem, gram: Gram, coef: FloatArray, bias: float) -> Certificate:
    """Certificate of a point whose primal machine has the given bias.

    :func:`certify` takes the mean gradient of the free variables for the bias, which is the
    bias of a solution but not that of a point between two of them.
    """
    found = certify(problem, gram, coef)
    multiplier = np.array([bias])
    if found.gap is None:
        return replace(found, multiplier=multiplier)
    values = problem.linear - found.gradient - problem.ridge * coef
    gap = min(found.gap, duality_gap(problem, coef, values, found.gradient, multiplier))
    return replace(found, multiplier=multiplier, gap=gap, primal=found.objective + gap)
