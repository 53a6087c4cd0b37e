"""Where two classes are threshold_machine: by what errors cost, or by a score of the labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from mercer import ThresholdSVC
from mercer.cli.choices import Task
from mercer.cli.data.training_set import TrainingSet
from mercer.cli.errors import InputError, meant, quoted
from mercer.cli.models.inputs import inside
from mercer.predictions.gains import check_cost, gain_of

__all__ = [
    "NO_THRESHOLD",
    "ThresholdRequest",
    "costs_of",
    "mean_cost",
    "threshold_machine",
    "threshold_record",
]

_SEVERAL = (
    "--class-weight balanced lets rare classes count, and predict --proba gives what a decision by "
    "costs needs"
)


@dataclass(frozen=True)
class ThresholdRequest:
    """The request of ``--cost`` or ``--threshold``.

    Attributes
    ----------
    costs : str or None
        What an error on a row of each class costs, "yes=10,no=1".
    score : str or None
        A score of predicted labels, by scikit-learn's name.
    """

    costs: str | None = None
    score: str | None = None

    @property
    def is_asked(self) -> bool:
        """Whether a threshold is to be chosen."""
        return self.costs is not None or self.score is not None

    def check(self, data: TrainingSet) -> None:
        """InputError unless the rows have a threshold, and it can be chosen so."""
        if not self.is_asked:
            return
        option = "--cost" if self.costs is not None else "--threshold"
        if self.costs is not None and self.score is not None:
            raise InputError("--cost and --threshold exclude each other: give one of them")
        if data.task is not Task.classification:
            raise InputError(f"{option} is for two classes, the task is {data.task}")
        labels = np.unique(data.y).tolist()  # type: ignore[arg-type]
        if len(labels) != 2:
            names = quoted([str(own) for own in labels])
            raise InputError(
                f"{option} is for two classes, there are {len(labels)}: {names}; {_SEVERAL}"
            )
        self.cost(labels)

    def cost(self, labels: Sequence[Any]) -> Any:
        """The argument of :class:`ThresholdSVC`: a matrix of costs, or the name of a score."""
        if self.costs is not None:
            return costs_of(self.costs, labels)
        try:
            check_cost(self.score)
            # some scores want labels of their own, 0 and 1
            gain = gain_of(self.score, np.array(labels))
            gain(np.zeros(1), np.array([-1.0, 1.0]), np.arange(2), np.ones(2))
        except ValueError as error:
            words = str(error).removeprefix("cost must be ")
            raise InputError(
                f"--threshold must be {words}; balanced_accuracy and f1_macro can"
            ) from None
        return self.score


NO_THRESHOLD = ThresholdRequest()


def costs_of(text: str, labels: Sequence[Any]) -> list[list[float]]:
    """A row for each class, a column for each predicted one: "yes=10,no=1" as a matrix."""
    names = [str(label) for label in labels]
    if len(names) != 2:
        raise InputError(
            f"--cost is for two classes, there are {len(names)}: {quoted(names)}; {_SEVERAL}"
        )
    found: dict[str, float] = {}
    for part in text.split(","):
        name, has_value, value = part.rpartition("=")
        name = name.strip()
        if not has_value:
            raise InputError(f"--cost must be CLASS=COST,CLASS=COST, got {text!r}")
        if name not in names:
            raise InputError(
                f"--cost: there is no class {name!r}{meant(name, names)}; the classes are "
                f"{quoted(names)}"
            )
        if name in found:
            raise InputError(f"--cost names the class {name!r} twice: {text!r}")
        found[name] = _cost(name, value)
    missing = [name for name in names if name not in found]
    if missing:
        raise InputError(
            f"--cost must name both classes, it lacks {quoted(missing)}: give "
            f"{missing[0]}=1 for what an error on a row of it costs"
        )
    return [[0.0, found[names[0]]], [found[names[1]], 0.0]]


def _cost(name: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = np.nan
    if not 0.0 < value < np.inf:
        raise InputError(f"--cost of the class {name!r} must be a positive number, got {text!r}")
    return value


def threshold_machine(estimator: Any) -> ThresholdSVC | None:
    """The machine with a threshold of its own inside an estimator."""
    while estimator is not None and not isinstance(estimator, ThresholdSVC):
        is_pipeline = isinstance(estimator, Pipeline)
        estimator = estimator[-1] if is_pipeline else inside(estimator)
    return estimator


def mean_cost(costs: Any, counts: NDArray[Any] | Sequence[Sequence[int]]) -> float:
    """Of a row, by how many rows of each class were taken for which."""
    table = np.asarray(counts, dtype=np.float64)
    return float((np.asarray(costs) * table).sum() / table.sum())


def threshold_record(machine: ThresholdSVC | None) -> dict[str, Any] | None:
    """The threshold for JSON; None if the machine has none."""
    if machine is None:
        return None
    is_score = isinstance(machine.cost, str)
    names = [str(label) for label in machine.classes_]
    costs = None if is_score else dict(zip(names, np.sum(machine.cost, axis=1), strict=True))
    return {
        "value": machine.threshold_,
        "above": names[1],
        "cost": costs,
        "score": machine.cost if is_score else None,
        "left_out": machine.best_score_ if is_score else -machine.best_score_,
        "spread": machine.spread_,
    }
