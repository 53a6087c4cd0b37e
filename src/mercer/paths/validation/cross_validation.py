"""Errors and scores on held-out rows along paths: cross-validation for every C.

A row that is not trained on is one whose box is collapsed to zero: all splits share one Gram.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from mercer._warning import warn
from mercer.gram import Gram
from mercer.machines.svm.schemes import SubproblemScheme
from mercer.paths.curves.crossings import Block
from mercer.paths.curves.step_function import StepFunction
from mercer.paths.curves.votes import LabelChanges
from mercer.paths.inputs.limits import Limits
from mercer.paths.results.class_paths import ClassPaths
from mercer.paths.results.statuses import ENDED
from mercer.paths.results.trace_classes import trace_classes
from mercer.paths.validation.scoring import Scoring
from mercer.training.splits import Split
from mercer.training.training_set import TrainingSet

__all__ = ["HeldOut", "cross_validate", "gram_block"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]
# Of a split: how much it counts, its error and, if one was asked for, its score.
_Curves = tuple[float, StepFunction, StepFunction | None]


@dataclass(frozen=True, eq=False)
class HeldOut:
    """An error on held-out rows, and its basis.

    Attributes
    ----------
    error : StepFunction or None
        As a function of C; None if there was no time for any.
    n_done, n_asked : int
        Splits or rows that were followed to the end, and all of them.
    unit : str
        "splits" or "rows".
    status : str
        Why some are missing; empty if none is.
    errors, scores : list of StepFunction
        The error and, if one was asked for, the score of each split that was followed; empty
        for leave-one-out.
    known_at : ndarray or None
        The C that scores were evaluated at; None if they are known for every C.
    """

    error: StepFunction | None
    n_done: int
    n_asked: int
    unit: str
    status: str
    errors: list[StepFunction] = field(default_factory=list)
    scores: list[StepFunction] = field(default_factory=list)
    known_at: FloatArray | None = None

    @property
    def score(self) -> StepFunction | None:
        """The score to maximize: the mean score, or one minus the error."""
        if self.scores:
            return StepFunction.mean(self.scores)
        if self.error is None:
            return None
        return StepFunction(self.error.x, 1.0 - self.error.value, self.error.end)

    def standard_error(self, C: float, n_rows: int) -> float:
        """Of the score at ``C``: from its spread over the splits, or over rows left out."""
        values = [float(part(C)) for part in self.scores or self.errors]
        if len(values) > 1 and self.unit == "splits":
            return float(np.std(values, ddof=1) / np.sqrt(len(values)))
        share = 0.0 if self.error is None else float(self.error(C))
        return float(np.sqrt(share * (1.0 - share) / n_rows))

    def warn_if_incomplete(self, consequence: str) -> bool:
        """Say on how little the error is based; whether there was anything to say."""
        if self.status:
            warn(
                f"validation ended early ({self.status}) with {self.n_done} of {self.n_asked} "
                f"{self.unit}: {consequence}",
                ConvergenceWarning,
            )
        return bool(self.status)


def cross_validate(
    inputs: TrainingSet,
    splits: list[Split],
    gram: Gram,
    limits: Limits,
    full: ClassPaths,
    accuracy: float = 0.0,
    scoring: Scoring | None = None,
    unit: str = "splits",
    scheme: SubproblemScheme | None = None,
) -> HeldOut:
    """Error on held-out rows, the mean over the splits, as a function of C.

    Parameters
    ----------
    inputs : TrainingSet
        Rows, classes and weights: of a split's errors too.
    splits : list of Split
        Rows to train on, and rows to test with.
    gram : Gram
        Kernel values of all rows.
    limits : Limits
        Where the paths of the splits stop.
    full : ClassPaths
        The paths of all rows, which those of the splits begin like.
    accuracy : float, default=0.0
        That of the paths, as in :func:`svc_path`.
    scoring : Scoring, default=None
        Any other measure that is wanted.
    unit : {"splits", "rows"}, default="splits"
        What the splits hold out: "rows" if each is a single one.
    scheme : PairScheme or CodeScheme, default=None
        The machines; None means the pairs of classes.
    """
    Cs = None if full.is_followed else full.sampled
    done: list[_Curves] = []
    partial: list[_Curves] = []
    status = ""
    for split in splits:
        if status == "max-time":
            break
        paths = trace_classes(
            inputs, inputs.full_weight(split.times), gram, limits, scheme=scheme,
            C_min=full.begin or None, accuracy=accuracy, known=full,
        )  # fmt: skip
        status = paths.status if paths.status in ENDED else status
        if paths.end > paths.begin:
            found = (split.share, *_split_curves(inputs, split, gram, paths, scoring, Cs))
            (partial if paths.status in ENDED else done).append(found)
    parts = done or partial
    errors = [error for _, error, _ in parts]
    scores = [score for _, _, score in parts if score is not None]
    mean = StepFunction.mean(errors, [share for share, _, _ in parts]) if errors else None
    known_at = Cs if scoring is None or scoring.is_of_labels else scoring.grid
    return HeldOut(mean, len(done), len(splits), unit, status, errors, scores, known_at)


def _split_curves(
    inputs: TrainingSet,
    split: Split,
    gram: Gram,
    paths: ClassPaths,
    scoring: Scoring | None,
    Cs: FloatArray | None,
) -> tuple[StepFunction, StepFunction | None]:
    """Error and score on the held-out rows of one split; labels maybe at some C only."""
    rows, class_index, weight = (
        split.test,
        inputs.class_index[split.test],
        inputs.weight[split.test],
    )
    if paths.paths:
        labels = paths.labels(lambda part: gram_block(gram, rows[part]), len(rows), Cs)
    else:
        # one class is all there is
        labels = LabelChanges.constant(int(inputs.class_index[split.times > 0][0]), len(rows))
    error = labels.error(class_index, weight)
    if scoring is None:
        return error, None
    return error, scoring.curve(inputs, split, labels, paths, gram)


def gram_block(gram: Gram, rows: IntArray) -> Block:
    """Kernel values of some rows with others."""
    native = gram.native("double")
    return lambda others: native.block(rows, np.ascontiguousarray(others, dtype=np.int64))
