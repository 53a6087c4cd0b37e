"""Certificates of solutions for many C, which share their kernel values."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from mercer.gram import Gram
from mercer.problem import Certificate, Problem
from mercer.problem.certificate import certify_expansion

__all__ = ["certificates"]

FloatArray = NDArray[np.float64]


def certificates(gram: Gram, points: Sequence[tuple[Problem, FloatArray]]) -> list[Certificate]:
    """Those of points of problems that differ in their boxes.

    Every kernel value of a row with a coefficient in any of them is computed once.
    """
    if not points:
        return []
    rows = points[0][0].index
    weights = np.column_stack([problem.row_coef(coef, gram.n_rows) for problem, coef in points])
    used = np.flatnonzero(weights.any(axis=1))
    values = gram.product(used, weights[used], rows=rows, precision="double")
    gram.inspect(np.abs(weights).max(axis=1))
    return [
        certify_expansion(problem, gram, coef, np.ascontiguousarray(column))
        for (problem, coef), column in zip(points, values.T, strict=True)
    ]
