"""``mercer tune``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from shlex import quote
from typing import Any

import numpy as np
from rich.console import RenderableType
from rich.text import Text

from mercer import ThresholdSVC
from mercer.cli.choices import Task
from mercer.cli.commands.fit import (
    AT_ZERO,
    Outcome,
    card_of,
    data_lines,
    model_path,
    report_command,
    scaling_line,
)
from mercer.cli.data.training_set import Roles, TrainingSet, read_training_set
from mercer.cli.models.costs import (
    NO_THRESHOLD,
    ThresholdRequest,
    threshold_machine,
    threshold_record,
)
from mercer.cli.models.estimators import machine_of
from mercer.cli.models.held_out import on_test_set
from mercer.cli.models.row_split import split_record
from mercer.cli.models.test_rows import Tests
from mercer.cli.models.tuning import Search, Tuning, tune_machine
from mercer.cli.models.wrapping import check_wrapping, with_sets, with_threshold
from mercer.cli.output.bars import Bars
from mercer.cli.output.columns import bar_lines, column_lines
from mercer.cli.output.destination import check_destination, check_model_destination
from mercer.cli.output.expected import expected_lines
from mercer.cli.output.progress import Display
from mercer.cli.output.record import training_record
from mercer.cli.output.report import (
    certificate_lines,
    framed,
    machine_line,
    plural,
    support_line,
)
from mercer.cli.output.score_lines import never_said, score_lines
from mercer.cli.output.threshold_lines import threshold_lines
from mercer.diagnostics import diagnose
from mercer.io import save
from mercer.report import trials
from mercer.report.inside import readable

__all__ = ["tune"]

_ENDS = {
    "converged": "the best lies inside the range that was searched",
    "boundary": "the best lies at the edge of the range that was searched; {} moves it",
    "flat": "all of them were equally good: the choice does not matter here",
    "no-value": "no score was a number: these are the parameters the search begins with",
    "max-time": "ended to keep within --max-time: this is the best so far",
    "interrupted": "interrupted: this is the best so far",
}
# of parameters: those were chosen by what rows held out say
_OF_PARAMETERS = (
    "nearly-all-support",
    "nearly-all-bounded",
    "nearest-neighbour",
    "no-free-vectors",
)


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
    command: str | None = None,
    request: ThresholdRequest = NO_THRESHOLD,
) -> Outcome:
    """Choose parameters, train, save, and return the summary."""
    path = model_path(file, out)
    given = [own for own in (file, test) if own is not None]
    check_destination(path, *given)
    with display.working("reading"):
        data = read_training_set(file, roles, task)
    check_model_destination(path, force, *given)
    check_wrapping(data.task, search.proba, search.conformal)
    request.check(data)
    data, held_out = Tests(test, test_size).split(data, search.seed)
    tuning = tune_machine(data, held_out, search, display)
    kept, is_interrupted = _kept(tuning, data, search, request, display)
    with display.working("saving"):
        own = threshold_machine(kept)
        if own is not None and held_out is not None:
            judged = on_test_set(kept, held_out, data, search.deadline)
            tuning = replace(tuning, held_out=judged)
        scores = None if tuning.held_out is None else tuning.held_out.scores
        told = card_of(data, scores).as_metadata() | {"search": _tried(tuning.tuned)}
        told |= split_record(file, data, held_out, test_size)
        told |= {"command": command, "seed": search.seed}
        save(kept, path, metadata=told)
        follow = report_command(path, file, test, test_size)
        summary = _summary(data, tuning, search, path, follow, held_out is not None, own)
        machine = machine_of(tuning.estimator)
        record = training_record("tune", data, machine, path, tuning.notes, tuning.held_out)
        record["threshold"] = threshold_record(own)
        record["search"] = _searched(tuning)
        return Outcome.of(summary, machine, is_interrupted, record)


def _kept(
    tuning: Tuning, data: TrainingSet, search: Search, request: ThresholdRequest, display: Display
) -> tuple[Any, bool]:
    """What the model file holds, with what predict may be asked for, and whether it is short."""
    kept = tuning.to_save(search.proba)
    if tuning.is_interrupted:
        return kept, True
    given = search.seed, tuning.notes
    try:
        with display.working("training on folds"):
            if request.is_asked:
                left = search.seconds_left
                kept = with_threshold(tuning.estimator, kept, data, request, *given, left)
            if search.conformal:
                kept = with_sets(tuning.estimator, kept, data, *given, search.seconds_left)
    except KeyboardInterrupt:
        display.say("interrupted: keeping the machine without the steps after its training")
        return kept, True
    return kept, False


def _searched(tuning: Tuning) -> dict[str, Any]:
    """The search as JSON has it."""
    tuned = tuning.tuned
    best = getattr(tuned, "best_score_", None)
    return {
        "n_candidates": sum(len(history) for history in tuned.history_),
        "status": str(tuned.search_status_),
        "scoring": getattr(tuned, "scoring", None),
        "best_score": None if best is None else float(best),
    }


def _tried(tuned: Any) -> dict[str, Any] | None:
    """The trials, for the report; an interrupted search has no table of them."""
    return trials(tuned) if hasattr(tuned, "cv_results_") else None


def _summary(
    data: TrainingSet,
    tuning: Tuning,
    search: Search,
    path: Path,
    report: str,
    has_test: bool,
    own: ThresholdSVC | None = None,
) -> RenderableType:
    machine = machine_of(tuning.estimator)
    findings = diagnose(machine).findings
    told = {"not-converged", *_OF_PARAMETERS}  # the first one by the certificate
    advice = [f"{own.observed}. {own.advice}" for own in findings if own.name not in told]
    reasons = [*_reason(tuning), *expected_lines(tuning, data, has_test)]
    judged = score_lines(data.task, search.class_weight is not None, tuning.held_out)
    if own is not None and not has_test:
        next(iter(judged.values())).append(AT_ZERO)
    notes = [*tuning.notes, *advice, *never_said(data.task, tuning.held_out)]
    scaled = scaling_line(data, tuning.estimator, search.scale)
    sections: dict[str, Sequence[str | Text | Bars]] = {
        "data": data_lines(data),
        "prepared": [] if data.columns is None else column_lines(data.columns),
        "chosen": [machine_line(machine), scaled, *reasons],
        **_tuned_score(tuning, search),
        **judged,
        "threshold": threshold_lines(own, data.y),
        "relevance": relevance_lines(tuning) if search.relevance else [],
        "certificate": certificate_lines(machine),
        "model": [support_line(machine, path.stat().st_size), f"saved as {path}"],
        "note": [Text(note, style="yellow") for note in dict.fromkeys(notes)],
    }
    model = quote(str(path))
    sections["use it"] = [
        Text(f"mercer predict {model} NEW.csv", style="bold"),
        Text(report, style="bold"),
        Text(f"mercer info {model}", style="bold"),
    ]
    return framed(f"mercer tune: {data.task}", sections)


def _tuned_score(tuning: Tuning, search: Search) -> dict[str, list[str | Text]]:
    """The score that was asked for and tuned, on top."""
    if search.scoring is None:
        return {}
    best = getattr(tuning.tuned, "best_score_", None)
    lines: list[str | Text] = []
    if tuning.test_score is not None:
        value = _score_text(tuning.test_score)
        lines.append(Text.assemble((value, "bold green"), "  on test rows"))
    if best is not None:
        folds = tuning.tuned.cv.get_n_splits()
        style = "" if lines else "bold green"
        tail = f"  {folds}-fold cross-validation, tuned for"
        lines.append(Text.assemble((_score_text(best), style), (tail, "dim")))
    return {search.scoring.replace("_", " "): lines}


def _score_text(value: float) -> str:
    """A share with four digits; errors may be of any size."""
    return f"{value:.4f}" if abs(value) < 100.0 else f"{value:.6g}"


def relevance_lines(tuning: Tuning) -> list[str | Bars]:
    """A bar for each column: how much the chosen widths let it matter."""
    found = getattr(tuning.tuned, "relevance_", None)
    if found is None:
        return ["none: the kernel has one width for all columns"]
    estimator = tuning.estimator
    pipeline = getattr(estimator, "regressor_", estimator)
    names = [readable(str(name)) for name in pipeline[:-1].get_feature_names_out()]
    return bar_lines(dict(zip(names, np.ravel(found).tolist(), strict=True)))


def _reason(tuning: Tuning) -> Iterator[str]:
    """Why these parameters were chosen, in words."""
    histories = tuning.tuned.history_
    own = [history for history in histories if history.is_of_machine(histories[-1])]
    points = np.concatenate([history.points[:, :2] for history in own])
    names = [name.removeprefix("log ") for name in own[0].names[:2]]
    ranges = ", ".join(
        f"{name} from {low:.3g} to {high:.3g}"
        for name, low, high in zip(names, points.min(axis=0), points.max(axis=0), strict=True)
        if low < high * (1.0 - 1e-9)
    )
    most = max(history.n_rows for history in histories)
    few = sum(len(history) for history in histories if history.n_rows < most)
    on_sample = f" ({few:,} of them on a sample)" if few else ""
    scoring = getattr(tuning.tuned, "scoring", None)
    score = f" of {str(scoring).replace('_', ' ')}" if scoring else ""
    kept = tuning.tuned.held_out_
    folds = tuning.tuned.cv.get_n_splits() if kept is None else len(kept.rows)
    others = " of several kernels" if len(own) < len(histories) else ""
    yield (
        f"the best of {plural(sum(map(len, histories)), 'candidate')}{others}{on_sample} by "
        f"{folds}-fold cross-validation{score}, {ranges}"
    )
    options = "--gamma-range" if "nu" in tuning.tuned.best_params_ else "--C-range or --gamma-range"
    end = _ENDS.get(tuning.tuned.search_status_, f"the search ended: {tuning.tuned.search_status_}")
    yield end.format(options)
