"""Scores on held-out rows of machines that move from C to C.

A row that is not trained on is one whose box is collapsed to zero: all splits share the kernel
values, and the value at such a row is known with the gradient.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from mercer.formulations import svc
from mercer.gram import Gram
from mercer.paths.approximate.moving import MovingSolution
from mercer.paths.inputs.data import Inputs
from mercer.paths.validation.scoring import Scoring
from mercer.paths.validation.splits import Split
from mercer.solvers.runs.deadline import Deadline

__all__ = ["held_out_scores"]

FloatArray = NDArray[np.float64]


def held_out_scores(
    inputs: Inputs,
    gram: Gram,
    costs: FloatArray,
    splits: list[Split],
    tol: float,
    deadline: Deadline,
    scoring: Scoring | None = None,
) -> FloatArray:
    """Share of held-out rows that are predicted right, the mean over the splits, for each C.

    NaN where there was no time.

    Parameters
    ----------
    inputs : Inputs
        Rows, classes and weights: of a split's scores too.
    gram : Gram
        Kernel values of all rows.
    costs : ndarray of shape (n_C,)
        The C, ascending.
    splits : list of Split
        Rows to train on, and rows to test with.
    tol : float
        Largest KKT violation.
    deadline : Deadline
        When to stop.
    scoring : Scoring, default=None
        Another score.
    """
    scores = np.full((len(splits), len(costs)), np.nan)
    for k, split in enumerate(splits):
        problem = svc(inputs.sign, 1.0, inputs.full_weight(split.times)).problem
        moving = MovingSolution(problem, gram, float(costs[0]), None, tol)
        measure = _right(inputs, split) if scoring is None else scoring.measure(inputs, split)
        for j, C in enumerate(costs):
            if moving.to(C, max_time=deadline.seconds_left) == "max-time":
                return np.asarray(scores.mean(axis=0))
            values = moving.basis.values[split.test]
            scores[k, j] = measure((values > 0).astype(np.intp), values)
    return np.asarray(scores.mean(axis=0))


def _right(inputs: Inputs, split: Split) -> Callable[..., float]:
    """Weighted share of right predictions at the held-out rows of a split."""
    weight, truth = inputs.weight[split.test], inputs.codes[split.test]
    return lambda codes, _: float(weight @ (codes == truth) / weight.sum())
