"""``mercer tune``."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from shlex import quote

import numpy as np
from rich.console import RenderableType
from rich.text import Text

from mercer.cli.choices import Task
from mercer.cli.commands.fit import card_of, data_lines, model_path, scaling_line
from mercer.cli.data.training_set import Roles, TrainingSet, read_training_set
from mercer.cli.errors import InputError
from mercer.cli.models.estimators import machine_of
from mercer.cli.models.tuning import (
    HeldOut,
    Search,
    Tuning,
    read_test_set,
    split_test_set,
    tune_machine,
)
from mercer.cli.output.destination import check_model_destination
from mercer.cli.output.progress import Display
from mercer.cli.output.report import (
    MOST_SHOWN,
    certificate_lines,
    framed,
    machine_line,
    plural,
    support_line,
)
from mercer.diagnostics import diagnose
from mercer.io import save

__all__ = ["tune"]

_ENDS = {
    "converged": "the best lies inside the range that was searched",
    "boundary": "the best lies at the edge of the range that was searched",
    "flat": "all of them were equally good: the choice does not matter here",
    "no-value": "no score was a number: these are the parameters the search begins with",
    "max-time": "the time was up: this is the best so far",
}


def tune(
    file: Path | None,
    out: Path | None,
    roles: Roles,
    task: Task,
    search: Search,
    test: Path | None,
    test_size: float | None,
    force: bool,
    display: Display,
) -> RenderableType:
    """Choose parameters, train, save, and return the summary."""
    if test is not None and test_size is not None:
        raise InputError("--test and --test-size exclude each other: give one of them")
    path = model_path(file, out)
    check_model_destination(path, force, *(given for given in (file, test) if given is not None))
    data = read_training_set(file, roles, task)
    if data.task is Task.outliers and (test is not None or test_size is not None):
        raise InputError("--test and --test-size compare with a target, outliers have none")
    held_out: TrainingSet | None = None
    if test is not None:
        held_out = read_test_set(test, data)
    elif test_size is not None:
        data, held_out = split_test_set(data, test_size, search.seed)
    tuning = tune_machine(data, held_out, search, display)
    save(tuning.estimator, path, metadata=card_of(data, tuning.held_out.scores).as_metadata())
    return _summary(data, tuning, search, path, file)


def _summary(
    data: TrainingSet, tuning: Tuning, search: Search, path: Path, file: Path | None
) -> RenderableType:
    machine = machine_of(tuning.estimator)
    findings = diagnose(machine).findings
    advice = [f"{finding.observed}. {finding.advice}" for finding in findings]
    score_name, score_lines = _SCORES[data.task]
    sections: dict[str, list[str | Text]] = {
        "data": data_lines(data),
        "chosen": [machine_line(machine), scaling_line(data, search.scale), *_reason(tuning)],
        score_name: list(score_lines(tuning.held_out)),
        "certificate": certificate_lines(machine),
        "model": [support_line(machine, path.stat().st_size), f"saved as {path}"],
        "note": [Text(note, style="yellow") for note in dict.fromkeys([*tuning.notes, *advice])],
    }
    model, rows = quote(str(path)), "FILE" if file is None else quote(str(file))
    sections["use it"] = [
        Text(f"mercer predict {model} {rows}", style="bold"),
        Text(f"mercer info {model}", style="bold"),
    ]
    return framed(f"mercer tune: {data.task}", sections)


def _reason(tuning: Tuning) -> Iterator[str]:
    """Why these parameters were chosen, in words."""
    histories = tuning.tuned.history_
    points = np.concatenate([history.points[:, :2] for history in histories])
    names = [name.removeprefix("log ") for name in histories[0].names[:2]]
    ranges = ", ".join(
        f"{name} from {low:.3g} to {high:.3g}"
        for name, low, high in zip(names, points.min(axis=0), points.max(axis=0), strict=True)
        if low < high * (1.0 - 1e-9)
    )
    most = max(history.n_rows for history in histories)
    few = sum(len(history) for history in histories if history.n_rows < most)
    on_sample = f" ({few:,} of them on a sample)" if few else ""
    score = f" of {tuning.tuned.scoring.replace('_', ' ')}" if tuning.tuned.scoring else ""
    yield (
        f"the best of {plural(len(points), 'candidate')}{on_sample} by "
        f"{tuning.tuned.cv.get_n_splits()}-fold cross-validation{score}, {ranges}"
    )
    yield _ENDS.get(tuning.tuned.search_status_, f"the search ended: {tuning.tuned.search_status_}")


def _class_lines(held_out: HeldOut) -> Iterator[str | Text]:
    """Accuracy, that of the majority, and how each class fares."""
    truth, predicted = held_out.truth, held_out.predicted
    accuracy, majority = (np.mean(guess == truth) for guess in (predicted, held_out.baseline))
    yield Text.assemble((f"{100 * accuracy:.1f} %", "bold green"), (f"  {held_out.where}", "dim"))
    yield f"{100 * majority:.1f} %  by always saying {held_out.baseline[0]}, the majority"
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


def _number_lines(held_out: HeldOut) -> Iterator[str | Text]:
    """R2 and errors, beside those of the mean."""
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


_SCORES: dict[Task, tuple[str, Callable[[HeldOut], Iterator[str | Text]]]] = {
    Task.classification: ("accuracy", _class_lines),
    Task.regression: ("R2", _number_lines),
    Task.outliers: ("rejected", _outlier_lines),
}
