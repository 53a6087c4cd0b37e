"""``mercer fit``."""

from __future__ import annotations

from pathlib import Path
from shlex import quote

from rich.console import RenderableType
from rich.text import Text

from mercer.cli.choices import Task
from mercer.cli.data.training_set import EXAMPLE, Roles, TrainingSet, read_training_set
from mercer.cli.models.card import Card, Scores
from mercer.cli.models.estimators import Options, build_estimator, machine_of
from mercer.cli.models.training import Training, train
from mercer.cli.output.destination import check_model_destination
from mercer.cli.output.progress import Display
from mercer.cli.output.report import (
    certificate_lines,
    class_text,
    framed,
    machine_line,
    plural,
    score_text,
    support_line,
)
from mercer.io import save

__all__ = ["card_of", "data_lines", "fit", "model_path", "scaling_line"]


def fit(
    file: Path | None,
    out: Path | None,
    roles: Roles,
    task: Task,
    options: Options,
    folds: int,
    seed: int,
    force: bool,
    display: Display,
) -> RenderableType:
    """Train, save, and return the summary."""
    path = model_path(file, out)
    check_model_destination(path, force, *([] if file is None else [file]))
    data = read_training_set(file, roles, task)
    training = train(build_estimator(data, options), data, folds, seed, display)
    save(training.estimator, path, metadata=card_of(data, training.scores).as_metadata())
    return _summary(data, training, options, path, file)


def model_path(file: Path | None, out: Path | None) -> Path:
    """Return where the model goes."""
    # The whole name of the file: a.csv and a.parquet are models of their own.
    return Path(f"{EXAMPLE if file is None else file}.mercer") if out is None else out


def card_of(data: TrainingSet, scores: Scores | None) -> Card:
    """Return what the model file is to tell of the training."""
    return Card(
        task=data.task,
        source=data.source,
        n_rows=int(data.X.shape[0]),
        target=data.target,
        columns=data.columns,
        first_index=data.first_index,
        scores=scores,
    )


def _summary(
    data: TrainingSet, training: Training, options: Options, path: Path, file: Path | None
) -> RenderableType:
    machine = machine_of(training.estimator)
    scores = training.scores
    sections: dict[str, list[str | Text]] = {
        "data": data_lines(data),
        "machine": [machine_line(machine), scaling_line(data, options.scale)],
        "certificate": certificate_lines(machine),
    }
    if scores is not None:
        sections[scores.name] = [score_text(scores)]
    sections["model"] = [support_line(machine, path.stat().st_size), f"saved as {path}"]
    sections["note"] = [Text(note, style="yellow") for note in training.notes]
    model, rows = quote(str(path)), "FILE" if file is None else quote(str(file))
    sections["use it"] = [
        Text(f"mercer predict {model} {rows}", style="bold"),
        Text(f"mercer info {model}", style="bold"),
    ]
    return framed(f"mercer fit: {data.task}", sections)


def data_lines(data: TrainingSet) -> list[str | Text]:
    """Return the rows, features and targets in words."""
    source = "breast cancer, the example" if data.source == EXAMPLE else data.source
    lines: list[str | Text] = [f"{source}: {plural(data.X.shape[0], 'row')}, {_features(data)}"]
    if data.task is Task.classification:
        lines.append(
            _target_prefix(data) + class_text(data.class_counts, data.class_counts.values())
        )
    elif data.y is not None:
        low, high = data.y.min(), data.y.max()
        lines.append(_target_prefix(data) + f"numbers from {low:.6g} to {high:.6g}")
    return lines


def _target_prefix(data: TrainingSet) -> str:
    return "labels, " if data.target is None else f"target {data.target!r}, "


def _features(data: TrainingSet) -> str:
    if data.columns is None:
        share = data.X.nnz / max(data.X.shape[0] * data.X.shape[1], 1)
        return f"{plural(data.X.shape[1], 'sparse feature')} ({100 * share:.3g} % not zero)"
    kinds = [
        plural(len(names), noun)
        for names, noun in (
            (data.columns.numbers, "numeric feature"),
            (data.columns.categories, "categorical feature"),
        )
        if names
    ]
    return " and ".join(kinds)


def scaling_line(data: TrainingSet, scale: bool) -> str:
    """Return how rows are prepared."""
    if not scale:
        return "numbers used as they are"
    scaled = "numbers scaled to variance 1"
    if data.columns is not None:
        scaled = "numbers scaled to mean 0 and variance 1"
        if data.columns.categories:
            scaled += ", one column for each category"
    return scaled + (", target scaled too" if data.task is Task.regression else "")
