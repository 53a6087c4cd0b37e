"""``mercer fit``."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from shlex import quote
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from mercer import ThresholdSVC
from mercer.cli.choices import STANDARD, Task
from mercer.cli.data.training_set import EXAMPLE, Roles, TrainingSet, read_training_set
from mercer.cli.errors import INTERRUPTED, NOT_CONVERGED
from mercer.cli.models.card import Card, Scores
from mercer.cli.models.costs import (
    NO_THRESHOLD,
    ThresholdRequest,
    threshold_machine,
    threshold_record,
)
from mercer.cli.models.estimators import Options, build_estimator, machine_of
from mercer.cli.models.held_out import HeldOut, on_test_set
from mercer.cli.models.row_split import split_record
from mercer.cli.models.targets import scale_of_targets
from mercer.cli.models.test_rows import NO_TEST, Tests
from mercer.cli.models.training import Training, train
from mercer.cli.models.wrapping import (
    check_wrapping,
    with_probabilities,
    with_sets,
    with_threshold,
)
from mercer.cli.output.columns import column_lines
from mercer.cli.output.destination import check_destination, check_model_destination
from mercer.cli.output.progress import Display
from mercer.cli.output.record import training_record
from mercer.cli.output.report import (
    certificate_lines,
    class_text,
    framed,
    machine_line,
    plural,
    score_text,
    support_line,
)
from mercer.cli.output.score_lines import score_lines
from mercer.cli.output.threshold_lines import threshold_lines
from mercer.io import save
from mercer.machines.certified import certificate
from mercer.solvers.runs.deadline import Deadline

__all__ = [
    "AT_ZERO",
    "Outcome",
    "card_of",
    "data_lines",
    "fit",
    "model_path",
    "report_command",
    "scaling_line",
]


AT_ZERO = "that is with a threshold of 0; the one chosen is told below"


@dataclass(frozen=True)
class Outcome:
    """The output, whether training converged, and whether Ctrl-C ended the search."""

    summary: RenderableType
    is_converged: bool = True
    is_interrupted: bool = False
    record: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        summary: RenderableType,
        machine: Any,
        is_interrupted: bool = False,
        record: dict[str, Any] | None = None,
    ) -> Outcome:
        """With what the certificate of the machine says."""
        proof = certificate(machine)
        is_converged = proof is None or bool(proof["is_converged"])
        return cls(summary, is_converged, is_interrupted, record or {})

    @property
    def exit_code(self) -> int:
        """Of the command."""
        if self.is_interrupted:
            return INTERRUPTED
        return 0 if self.is_converged else NOT_CONVERGED


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
    tests: Tests = NO_TEST,
    proba: bool = False,
    conformal: bool = False,
    command: str | None = None,
    request: ThresholdRequest = NO_THRESHOLD,
) -> Outcome:
    """Train, save, and return the summary."""
    path = model_path(file, out)
    given = [own for own in (file, tests.file) if own is not None]
    check_destination(path, *given)
    with display.working("reading"):
        data = read_training_set(file, roles, task)
    # later: whoever has mistyped a column is told that, and not of --force
    check_model_destination(path, force, *given)
    check_wrapping(data.task, proba, conformal)
    request.check(data)
    data, test = tests.split(data, seed)
    training = train(build_estimator(data, options), data, folds, seed, display)
    held_out, kept, is_interrupted = None, training.estimator, training.is_interrupted
    try:
        if not is_interrupted:
            kept = _promised(training, data, proba, conformal, request, seed, display)
        if test is not None:
            judged = kept if request.is_asked else training.estimator
            with display.working("judging"):
                held_out = on_test_set(judged, test, data, Deadline())
    except KeyboardInterrupt:
        display.say("interrupted: keeping the machine without the steps after its training")
        is_interrupted = True
    told = card_of(data, training.scores).as_metadata()
    told |= split_record(file, data, test, tests.share) | {"command": command, "seed": seed}
    save(kept, path, metadata=told)
    machine = machine_of(training.estimator)
    report = report_command(path, file, tests.file, tests.share)
    own = threshold_machine(kept)
    summary = _summary(data, training, options, path, held_out, report, own)
    record = training_record("fit", data, machine, path, training.notes, held_out)
    record["threshold"] = threshold_record(own)
    scores = training.scores
    record["cross_validation"] = scores and {"name": scores.name, "values": scores.values}
    return Outcome.of(summary, machine, is_interrupted, record)


def _promised(
    training: Training,
    data: TrainingSet,
    proba: bool,
    conformal: bool,
    request: ThresholdRequest,
    seed: int,
    display: Display,
) -> Any:
    """The estimator with what predict may be asked for."""
    kept = training.estimator
    with display.working("training on folds"):
        if proba:
            kept = with_probabilities(kept, data, training.notes)
        if request.is_asked:
            plain = training.estimator
            kept = with_threshold(plain, kept, data, request, seed, training.notes)
        if conformal:
            kept = with_sets(training.estimator, kept, data, seed, training.notes)
    return kept


def model_path(file: Path | None, out: Path | None) -> Path:
    """Return where the model goes."""
    # The whole name of the file: a.csv and a.parquet are models of their own.
    if out is not None:
        return out
    name = EXAMPLE if file is None else "stdin" if file == STANDARD else file
    return Path(f"{name}.mercer")


def report_command(path: Path, file: Path | None, test: Path | None, share: float | None) -> str:
    """Return the command that reports on a model, by the rows that took no part if there are."""
    model = quote(str(path))
    if file is None or file == STANDARD or (test is None and share is None):
        return f"mercer report {model} FILE"
    if test is None:
        return f"mercer report {model} {quote(str(file))}"
    return f"mercer report {model} {quote(str(test))} --train {quote(str(file))}"


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
    data: TrainingSet,
    training: Training,
    options: Options,
    path: Path,
    held_out: HeldOut | None,
    report: str,
    own: ThresholdSVC | None = None,
) -> RenderableType:
    machine = machine_of(training.estimator)
    scores = training.scores
    sections: dict[str, list[str | Text]] = {
        "data": data_lines(data),
        "prepared": [] if data.columns is None else column_lines(data.columns),
        "machine": [machine_line(machine), scaling_line(data, training.estimator, options.scale)],
        "certificate": certificate_lines(machine),
    }
    if scores is not None:
        sections[scores.name] = [score_text(scores)]
        if own is not None:
            sections[scores.name].append(AT_ZERO)
    sections["threshold"] = threshold_lines(own, data.y)
    if held_out is not None:
        sections["test"] = next(iter(score_lines(data.task, False, held_out).values()))
    sections["model"] = [support_line(machine, path.stat().st_size), f"saved as {path}"]
    sections["note"] = [Text(note, style="yellow") for note in training.notes]
    model = quote(str(path))
    sections["use it"] = [
        Text(f"mercer predict {model} NEW.csv", style="bold"),
        Text(report, style="bold"),
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
    return [*lines, *data.notes]


def _target_prefix(data: TrainingSet) -> str:
    return "labels, " if data.target is None else f"target {data.target!r}, "


def _features(data: TrainingSet) -> str:
    if data.columns is None:
        share = data.X.nnz / max(data.X.shape[0] * data.X.shape[1], 1)
        return f"{plural(data.X.shape[1], 'sparse feature')} ({100 * share:.3g} % not zero)"
    kinds = [plural(len(names), noun) for noun, names in data.columns.by_kind.items() if names]
    return " and ".join([", ".join(kinds[:-1]), kinds[-1]] if len(kinds) > 1 else kinds)


def scaling_line(data: TrainingSet, estimator: Any, scale: bool) -> str:
    """Return how rows and targets are prepared."""
    if not scale:
        return "numbers used as they are"
    scaled = "numbers scaled to variance 1"
    if data.columns is not None:
        scaled = "numbers scaled to mean 0 and variance 1"
        if data.columns.categories:
            scaled += ", one column for each category"
    divisor = scale_of_targets(estimator)
    if divisor is not None:
        scaled += f"; target divided by {divisor:.4g}, epsilon is a share of that"
    return scaled
