"""What there is to solve for each kernel of a grid: every C, on all rows and for each split."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mercer.formulations import svc
from mercer.paths.exact.start import scaled_problem
from mercer.paths.inputs.data import Inputs
from mercer.paths.validation.scoring import Scoring
from mercer.paths.validation.splits import Split
from mercer.problem import Problem, Solution

__all__ = ["Cells", "Column"]

FloatArray = NDArray[np.float64]
Measure = Callable[..., float]


@dataclass(frozen=True, eq=False)
class Column:
    """What was found for one kernel, as far as there was time.

    Attributes
    ----------
    solutions : list of Solution
        Of all rows, for the first values of C.
    scores : ndarray of shape (n_splits, n_C)
        On the held-out rows of each split; NaN where there was no time.
    """

    solutions: list[Solution]
    scores: FloatArray

    @property
    def mean_scores(self) -> FloatArray:
        """The mean over the splits."""
        return np.asarray(self.scores.mean(axis=0))


@dataclass(frozen=True, eq=False)
class Cells:
    """The problems of a grid, whatever the kernel.

    Attributes
    ----------
    inputs : Inputs
        Rows, classes and weights: of a split's scores too.
    costs : ndarray of shape (n_C,)
        The C, ascending.
    splits : list of Split
        Rows to train on, and rows to test with.
    tol : float
        Largest KKT violation.
    scoring : Scoring or None
        Another score than the share of right predictions.
    """

    inputs: Inputs
    costs: FloatArray
    splits: list[Split]
    tol: float
    scoring: Scoring | None = None

    def problem(self, split: Split | None = None) -> Problem:
        """The problem at C = 1, of all rows or of those a split trains on.

        A row that is not trained on is one whose box is collapsed to zero: all splits share the
        kernel values, and the value at such a row is known with the gradient.
        """
        times = None if split is None else split.times
        return svc(self.inputs.sign, 1.0, self.inputs.full_weight(times)).problem

    def sequence(self, split: Split | None = None) -> list[Problem]:
        """The problems for ascending C."""
        unit = self.problem(split)
        return [scaled_problem(unit, float(C)) for C in self.costs]

    @property
    def no_scores(self) -> FloatArray:
        """Scores before any is known."""
        return np.full((len(self.splits), len(self.costs)), np.nan)

    @cached_property
    def measures(self) -> list[Measure]:
        """The score of each split, of classes and decision values at its held-out rows."""
        if self.scoring is None:
            return [_right(self.inputs, split) for split in self.splits]
        return [self.scoring.measure(self.inputs, split) for split in self.splits]

    def score(self, k: int, values: FloatArray) -> float:
        """That of split ``k``, from decision values at all rows."""
        held_out = values[self.splits[k].test]
        return self.measures[k]((held_out > 0).astype(np.intp), held_out)


def _right(inputs: Inputs, split: Split) -> Measure:
    """Weighted share of right predictions at the held-out rows of a split."""
    weight, truth = inputs.weight[split.test], inputs.codes[split.test]
    return lambda codes, _: float(weight @ (codes == truth) / weight.sum())
