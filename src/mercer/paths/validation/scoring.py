"""Scores of scikit-learn along paths.

A score of labels is a step function of C like the labels themselves, and found exactly. One of
decision values (the area under the ROC curve) changes between, and is evaluated at many C.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import check_scoring, get_scorer

from mercer.gram import Gram
from mercer.gram.native import take_rows
from mercer.paths.curves.step_function import StepFunction
from mercer.paths.curves.votes import LabelChanges
from mercer.paths.results.class_paths import ClassPaths
from mercer.training.numbers import plain
from mercer.training.splits import Split
from mercer.training.training_set import TrainingSet

__all__ = ["HeldOutMachine", "Scoring"]

FloatArray = NDArray[np.float64]


class HeldOutMachine(ClassifierMixin, BaseEstimator):
    """A classifier whose answers at some rows are known: what a scorer is given.

    Parameters
    ----------
    classes : ndarray of shape (n_classes,), default=None
        The labels.
    class_index : ndarray of shape (n_rows,), default=None
        The class of each row.
    values : ndarray, default=None
        Decision values.
    """

    def __init__(self, classes: Any = None, class_index: Any = None, values: Any = None) -> None:
        self.classes, self.class_index, self.values = classes, class_index, values
        self.classes_ = classes

    def fit(self, X: Any, y: Any) -> HeldOutMachine:
        """Nothing is left to do."""
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """The known classes, whatever is asked."""
        return np.asarray(self.classes[self.class_index])

    def decision_function(self, X: Any) -> FloatArray:
        """The known values."""
        if self.values is None:
            raise AttributeError("scoring must not need decision values here")
        return np.asarray(self.values)


@dataclass(frozen=True, eq=False)
class Scoring:
    """A scorer, and how to follow it along C.

    Attributes
    ----------
    scorer : callable
        ``scorer(machine, X, y)``, large is good.
    grid : ndarray of shape (n_C,)
        Where scores of decision values are evaluated, ascending.
    """

    scorer: Any
    grid: FloatArray

    @classmethod
    def read(cls, scoring: Any, grid: ArrayLike = ()) -> Scoring:
        """A name or a function, and where it may be evaluated."""
        try:
            scorer = get_scorer(scoring) if isinstance(scoring, str) else scoring
            scorer = check_scoring(HeldOutMachine(), scoring=scorer)
        except (TypeError, ValueError) as error:
            raise ValueError(f"scoring={scoring!r} cannot be used: {error}") from error
        return cls(scorer, np.asarray(grid, dtype=np.float64))

    @property
    def is_of_labels(self) -> bool:
        """Whether the score looks at predicted classes only, as far as it says."""
        return getattr(self.scorer, "_response_method", None) == "predict"

    def measure(self, inputs: TrainingSet, split: Split) -> Callable[..., float]:
        """The score of classes, and decision values, at the held-out rows of a split."""
        rows, truth = take_rows(inputs.rows, split.test), inputs.labels[split.test]
        weight = inputs.weight[split.test]
        given = {} if (weight == weight[0]).all() else {"sample_weight": weight}

        def score(class_index: Any, values: Any = None) -> float:
            machine = HeldOutMachine(inputs.classes, class_index, values)
            try:
                return _number(self.scorer(machine, rows, truth, **given))
            except AttributeError as error:
                raise ValueError(
                    "scoring asks for more than predictions and decision values, which is what "
                    f"machines of a search have: {error}"
                ) from error

        return score

    def curve(
        self, inputs: TrainingSet, split: Split, labels: LabelChanges, paths: ClassPaths, gram: Gram
    ) -> StepFunction:
        """The score on the held-out rows of a split as a function of C."""
        measure = self.measure(inputs, split)
        if self.is_of_labels:
            return labels.score(measure)
        inside = self.grid[(self.grid >= labels.begin) & (self.grid <= labels.end)]
        decisions = _decisions(paths, gram, split, inside)
        value = []
        for k in range(len(inside)):
            at = decisions[:, k]
            value.append(measure(paths.winners(at), paths.scores(at)))
        return StepFunction(inside, np.array(value), min(labels.end, float(self.grid[-1])))


def _decisions(paths: ClassPaths, gram: Gram, split: Split, Cs: FloatArray) -> FloatArray:
    """Values of all machines at held-out rows for several C: (n_rows, n_C, n_machines)."""
    out = []
    for path in paths.paths:
        coef = np.column_stack(
            [path.problem.row_coef(path.solutions.variables(C), gram.n_rows) for C in Cs]
        )
        used = np.flatnonzero(coef.any(axis=1))
        values = gram.product(used, coef[used], rows=split.test, precision="double")
        out.append(values + [path.solutions.bias(C) for C in Cs])
    return paths.in_place(np.stack(out, axis=-1))


def _number(value: Any) -> float:
    number = float(value) if isinstance(value, Real) else np.nan
    if not np.isfinite(number):
        raise ValueError(f"scoring must give a finite number, got {plain(value)!r}")
    return number
