"""How well a machine does on held-out rows, in lines next to a simple guess."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.text import Text

from mercer.cli.choices import Task
from mercer.cli.errors import quoted
from mercer.cli.models.held_out import BALANCED, HeldOut, balanced_accuracy
from mercer.cli.output.report import MOST_SHOWN

__all__ = ["never_said", "score_lines"]

_UNKNOWN = "not known: the search ended before it had predicted rows held out"


def score_lines(
    task: Task, is_balanced: bool, held_out: HeldOut | None
) -> dict[str, list[str | Text]]:
    """Return a section: the name of the score, and its lines."""
    name, lines = _SCORES[BALANCED if is_balanced else task]
    return {name: [_UNKNOWN] if held_out is None else list(lines(held_out))}


def _class_lines(held_out: HeldOut) -> Iterator[str | Text]:
    """Accuracy, that of the majority, and how each class fares."""
    truth, predicted = held_out.truth, held_out.predicted
    accuracy, majority = (np.mean(guess == truth) for guess in (predicted, held_out.baseline))
    yield Text.assemble((f"{100 * accuracy:.1f} %", "bold green"), (f"  {held_out.where}", "dim"))
    yield f"{100 * majority:.1f} %  by always saying {held_out.baseline[0]}, the majority"
    yield from _lines_of_classes(truth, predicted)


def _balanced_lines(held_out: HeldOut) -> Iterator[str | Text]:
    """Balanced accuracy beside that of one class, the share of rows, and how each class fares."""
    truth, predicted = held_out.truth, held_out.predicted
    found, by_one = (balanced_accuracy(truth, own) for own in (predicted, held_out.baseline))
    right, majority = (np.mean(guess == truth) for guess in (predicted, held_out.baseline))
    yield Text.assemble((f"{100 * found:.1f} %", "bold green"), (f"  {held_out.where}", "dim"))
    yield f"{100 * by_one:.1f} %  by always saying {held_out.baseline[0]}: classes count alike"
    yield (
        f"of all rows {100 * right:.1f} % are right, {100 * majority:.1f} % by always saying "
        f"{held_out.baseline[0]}: balanced weights pay for rare classes with common ones"
    )
    yield from _lines_of_classes(truth, predicted)


def _lines_of_classes(truth: NDArray[Any], predicted: NDArray[Any]) -> Iterator[str]:
    labels = np.unique(truth)
    for label in labels[:MOST_SHOWN]:
        own, said = truth == label, predicted == label
        right = int((own & said).sum())
        precision = f"{100 * right / said.sum():.1f} %" if said.any() else "none said"
        yield (
            f"class {label}: {right:,} of {own.sum():,} found ({100 * right / own.sum():.1f} %), "
            f"precision {precision}"
        )
    if len(labels) > MOST_SHOWN:
        yield f"and {len(labels) - MOST_SHOWN} more classes"


def never_said(task: Task, held_out: HeldOut | None) -> list[str]:
    """Advice on some of several classes that no row held out is taken for."""
    if task is not Task.classification or held_out is None:
        return []
    labels = np.unique(held_out.truth)
    missed = [str(own) for own in labels if not (held_out.predicted == own).any()]
    if len(labels) < 3 or not missed:  # of two classes the search tells
        return []
    return [
        f"no row held out is taken for {quoted(missed)}: --class-weight balanced or --scoring "
        "balanced_accuracy lets rare classes count"
    ]


def _number_lines(held_out: HeldOut) -> Iterator[str | Text]:
    """R2 and errors, next to those of the mean."""
    squares, by_mean = (
        np.square(held_out.truth - guess) for guess in (held_out.predicted, held_out.baseline)
    )
    spread = float(np.square(held_out.truth - held_out.truth.mean()).sum())
    score = f"{1.0 - squares.sum() / spread:.3f}" if spread > 0 else "none, targets are all alike"
    yield Text.assemble((score, "bold green"), (f"  {held_out.where}", "dim"))
    yield (
        f"typical error {np.sqrt(squares.mean()):.4g}; {np.sqrt(by_mean.mean()):.4g} by always "
        "saying the mean"
    )


def _outlier_lines(held_out: HeldOut) -> Iterator[str | Text]:
    """The share of rows that were held out and called outliers."""
    share = float(np.mean(held_out.predicted == -1))
    yield Text.assemble((f"{100 * share:.1f} %", "bold green"), (f"  {held_out.where}", "dim"))
    yield "of rows held out are called outliers; --nu is the share that may be"


_SCORES: dict[str, tuple[str, Callable[[HeldOut], Iterator[str | Text]]]] = {
    Task.classification: ("accuracy", _class_lines),
    BALANCED: ("balanced accuracy", _balanced_lines),
    Task.regression: ("R2", _number_lines),
    Task.outliers: ("rejected", _outlier_lines),
}
