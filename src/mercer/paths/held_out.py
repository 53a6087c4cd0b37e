"""Scores on held-out rows of machines that move from C to C.

A held-out row is one whose box is collapsed to zero: all folds share the kernel values, and the
value at such a row is known with the gradient.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import check_cv

from mercer.gram import Gram
from mercer.paths.inputs import Inputs
from mercer.paths.moving import MovingSolution
from mercer.paths.validation import without
from mercer.problem import Problem

__all__ = ["held_out_rows", "held_out_scores"]

FloatArray = NDArray[np.float64]
Folds = list[NDArray[np.intp]]


def held_out_rows(cv: Any, inputs: Inputs) -> Folds:
    """The rows held out together; none if ``cv`` is None."""
    if cv is None:
        return []
    splitter = check_cv(cv, inputs.codes, classifier=True)
    rows = np.zeros(len(inputs.codes))
    return [np.asarray(test) for _, test in splitter.split(rows, inputs.codes)]


def held_out_scores(
    problem: Problem,
    gram: Gram,
    costs: FloatArray,
    folds: Folds,
    inputs: Inputs,
    tol: float,
    deadline: float,
) -> FloatArray:
    """Weighted share of held-out rows that are predicted right, for each of ascending C.

    NaN where there was no time.
    """
    right = np.zeros(len(costs))
    for fold in folds:
        moving = MovingSolution(without(problem, fold), gram, float(costs[0]), None, tol)
        for j, C in enumerate(costs):
            if moving.to(C, max_time=deadline - time.perf_counter()) == "max-time":
                right[j:] = np.nan
                break
            positive = moving.basis.values[fold] > 0
            right[j] += inputs.weight[fold] @ (positive == (inputs.codes[fold] == 1))
    return np.asarray(right / sum(inputs.weight[fold].sum() for fold in folds))
