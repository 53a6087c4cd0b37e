"""What held-out values are worth: costs of classes, and scores of scikit-learn.

Scores that ask for probabilities get those of one slope, softmax(slope s) of the decision values s,
which for each split is the one that fits the other splits best: no row judges a slope that it has
helped to find.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import check_scoring

from mercer._sklearn import asks_for_probabilities, with_labels
from mercer.calibration import Calibration
from mercer.machines.least_squares.left_out import LeftOutClassifier, LeftOutRegressor
from mercer.selection.training_task import TrainingTask

__all__ = ["Costs", "Judge", "OfProbabilities", "Scorer", "scorer_of"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]


class Judge(ABC):
    """The worth of values of all parts at held-out rows."""

    needs_all: bool = False  # whether a split cannot be judged without the others

    @abstractmethod
    def __call__(self, values: FloatArray, test: IntArray) -> float:
        """That of one split."""

    def over(self, values: Sequence[FloatArray], tests: Sequence[IntArray]) -> FloatArray:
        """That of each split."""
        return np.array([self(own, test) for own, test in zip(values, tests, strict=True)])


class Costs(Judge):
    """The mean cost, of a matrix with a row for each class and a column for each predicted one."""

    def __init__(self, task: TrainingTask, costs: FloatArray) -> None:
        self.task, self.costs = task, costs

    def __call__(self, values: FloatArray, test: IntArray) -> float:
        cost = self.costs[self.task.class_index[test], self.task.predicted(values)]
        return float(np.average(cost, weights=self.task.weight[test]))


class Scorer(Judge):
    """A score by predictions or decision values; of a mean one that is to be large."""

    def __init__(self, task: TrainingTask, scoring: Any, scorer: Callable[..., float]) -> None:
        self.task, self.scoring, self.scorer = task, scoring, scorer

    def __call__(self, values: FloatArray, test: IntArray) -> float:
        task, given = self.task, values
        machine: Any = LeftOutRegressor()
        if task.classes is not None:
            machine = LeftOutClassifier(task.classes, self._chosen)
        if task.n_classes > 2 and not task.is_least_squares:
            given = task.layout.class_values(values)
            machine.choose = lambda found: task.classes[found.argmax(axis=1)]  # type: ignore[index]
        return self._scored(machine, given, test)

    def _chosen(self, values: FloatArray) -> Any:
        return self.task.classes[self.task.predicted(values)]  # type: ignore[index]

    def _scored(self, machine: Any, given: FloatArray, test: IntArray) -> float:
        weight = self.task.weight[test]
        options = {} if (weight == weight[0]).all() else {"sample_weight": weight}
        try:
            return float(self.scorer(machine, given, self.task.y[test], **options))
        except AttributeError as error:
            raise ValueError(
                f"the score {self.scoring!r} asks for more than predictions, decision values or "
                f"probabilities, which is all that machines of a search have: {error}"
            ) from error


class OfProbabilities(Scorer):
    """A score by probabilities."""

    needs_all = True

    def __call__(self, values: FloatArray, test: IntArray) -> float:
        return float(self.over([values], [test])[0])

    def over(self, values: Sequence[FloatArray], tests: Sequence[IntArray]) -> FloatArray:
        """That of each split, the slope from the others; of a single split its own."""
        flat = [self._flat(own) for own in values]
        found = []
        for k, (own, test) in enumerate(zip(flat, tests, strict=True)):
            others = [j for j in range(len(tests)) if j != k] or [k]
            machine = _Probable(np.asarray(self.task.classes), self._chosen)
            machine.calibration = self._fitted(
                np.concatenate([flat[j] for j in others]),
                np.concatenate([tests[j] for j in others]),
            )
            found.append(self._scored(machine, own, test))
        return np.array(found)

    @staticmethod
    def _flat(values: FloatArray) -> FloatArray:
        return values[:, 0] if values.shape[1] == 1 else values

    def _fitted(self, values: FloatArray, rows: IntArray) -> Calibration:
        layout, labels, weight = (
            self.task.layout,
            self.task.class_index[rows],
            self.task.weight[rows],
        )
        return Calibration.fitted(layout, values, labels, weight, "temperature")


class _Probable(LeftOutClassifier):
    """A left-out classifier with a map to probabilities."""

    calibration: Calibration

    def predict_proba(self, values: FloatArray) -> FloatArray:
        """Probability of each class."""
        return self.calibration.probabilities(values)


def scorer_of(task: TrainingTask, scoring: Any) -> Scorer:
    """The judge of a score of scikit-learn, or of its name."""
    machine: Any = LeftOutRegressor()
    if task.classes is not None:
        machine = _Probable(task.classes, lambda values: values)
    try:
        scorer = check_scoring(machine, scoring=scoring)
    except (TypeError, ValueError) as error:
        raise ValueError(
            "loss (scoring of machines that tune themselves) must be 'zero_one', 'squared', "
            "'logistic' or a scorer (the loss of make_objective also a matrix of costs), got "
            f"{scoring!r}: {error}"
        ) from error
    if task.is_classifier and asks_for_probabilities(scorer):
        return OfProbabilities(task, scoring, with_labels(scorer, task.classes))
    return Scorer(task, scoring, scorer)
