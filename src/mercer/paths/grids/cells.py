"""The problems of each kernel of a grid: every C, on all rows and for each split."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mercer.codes.matrices import one_vs_one
from mercer.formulations import Formulation, svc
from mercer.machines.svm.schemes import CodeScheme, PairScheme
from mercer.machines.svm.subproblems import Subproblems
from mercer.paths.validation.scoring import Scoring
from mercer.problem import Problem, Solution
from mercer.problem.family import Family
from mercer.training.splits import Split
from mercer.training.training_set import TrainingSet

__all__ = ["Cells", "Column"]

FloatArray = NDArray[np.float64]
Measure = Callable[..., float]


@dataclass(frozen=True, eq=False)
class Column:
    """The results for one kernel, as far as the time allowed.

    Attributes
    ----------
    solutions : list of lists of Solution
        Of all rows, one list for each part of the scheme, for the first values of C.
    scores : ndarray of shape (n_splits, n_C)
        On the held-out rows of each split; NaN where there was no time.
    """

    solutions: list[list[Solution]]
    scores: FloatArray

    @property
    def mean_scores(self) -> FloatArray:
        """The mean over the splits."""
        return np.asarray(self.scores.mean(axis=0))


@dataclass(frozen=True, eq=False)
class Cells:
    """The problems of a grid, for any kernel.

    Attributes
    ----------
    inputs : TrainingSet
        Rows, classes and weights: of a split's scores too.
    costs : ndarray of shape (n_C,)
        The C, ascending.
    splits : list of Split
        Rows to train on, and rows to test with.
    tol : float
        Largest KKT violation.
    scheme : PairScheme or CodeScheme
        How classes become two-class problems.
    scoring : Scoring or None
        Another score than the share of right predictions.
    """

    inputs: TrainingSet
    costs: FloatArray
    splits: list[Split]
    tol: float
    scheme: PairScheme | CodeScheme
    scoring: Scoring | None = None

    @cached_property
    def parts(self) -> Subproblems:
        """The two-class problems, each a machine: of two classes the one that there is."""
        return self.scheme.subproblems(self.inputs.class_index)

    @cached_property
    def n_variables(self) -> int:
        """Of the problems of all parts."""
        return sum(len(self.parts[k].rows) for k in range(len(self.parts)))

    def trained(self, split: Split) -> tuple[NDArray[np.intp], FloatArray]:
        """The parts that a split has rows of both signs for, and of each which sign has any.

        The second is 0 where both or none has, 1 where positive rows are alone, else -1.
        """
        weight = self.inputs.weight * split.times
        present = np.bincount(self.inputs.class_index, weight, len(self.inputs.classes)) > 0
        signs = self._class_signs[present]
        positive, negative = (signs > 0).any(axis=0), (signs < 0).any(axis=0)
        return np.flatnonzero(positive & negative), positive.astype(float) - negative

    @cached_property
    def _class_signs(self) -> NDArray[np.int8]:
        """The sign of each class in each part, (n_classes, n_parts); 0 where it is left out."""
        if isinstance(self.scheme, CodeScheme):
            return self.scheme.code.matrix
        n_classes = len(self.inputs.classes)
        return np.array([[-1], [1]]) if n_classes == 2 else one_vs_one(n_classes)

    def problem(self, part: int = 0, split: Split | None = None) -> Problem:
        """The problem of a part at C = 1, of all rows or of those a split trains on.

        A row that is not trained on, or of another class, is one whose box is collapsed to zero:
        all splits and parts share the kernel values, and the value at such a row is known with the
        gradient. Of several classes a split needs the rows of the part and those held out only.
        """
        weight = self._weight(split)
        own, n = self.parts[part], len(weight)
        sign, trained = np.ones(n), np.zeros(n)
        sign[own.rows], trained[own.rows] = own.sign, weight[own.rows]
        rows = np.arange(n) if split is None else np.union1d(own.rows, split.test)
        return svc(sign[rows], 1.0, trained[rows]).on_rows(rows, n).problem

    def formulation(self, part: int = 0, split: Split | None = None) -> Formulation:
        """The same on no other rows than those that are trained on."""
        weight, own = self._weight(split), self.parts[part]
        used = weight[own.rows] > 0
        rows = own.rows[used]
        return svc(own.sign[used], 1.0, weight[rows]).on_rows(rows, len(weight))

    def _weight(self, split: Split | None) -> FloatArray:
        """Of each row, 0 for those a split does not train on."""
        return self.inputs.full_weight(None if split is None else split.times)

    def sequence(self, part: int, split: Split | None = None) -> list[Problem]:
        """The problems for ascending C."""
        family = Family(self.problem(part, split))
        return [family.at(float(C)) for C in self.costs]

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

    def no_values(self, split: Split) -> FloatArray:
        """Values at the held-out rows of a split before any is known: (n_C, n_test, n_parts).

        Where one sign of a part is not trained on the other one wins.
        """
        parts, winner = self.trained(split)
        values = np.tile(winner, (len(self.costs), len(split.test), 1))
        values[:, :, parts] = np.nan
        return values

    def write_scores(self, k: int, values: FloatArray, out: FloatArray) -> None:
        """Scores of split ``k`` for each C whose values are known, shape as :meth:`no_values`."""
        for j, own in enumerate(values):
            if not np.isnan(own).any():
                out[k, j] = self._score(k, own)

    def _score(self, k: int, values: FloatArray) -> float:
        has_two = len(self.inputs.classes) == 2
        decisions = values[:, 0] if has_two else self.scheme.scores(values)
        return self.measures[k](self.scheme.choose(values, break_ties=False), decisions)


def _right(inputs: TrainingSet, split: Split) -> Measure:
    """Weighted share of right predictions at the held-out rows of a split."""
    weight, truth = inputs.weight[split.test], inputs.class_index[split.test]
    return lambda class_index, _: float(weight @ (class_index == truth) / weight.sum())
