"""``mercer path``: the classifiers of every C."""

from __future__ import annotations

from pathlib import Path
from shlex import quote
from typing import Any

import numpy as np
from rich.console import RenderableType
from rich.text import Text

from mercer import PathSVC
from mercer.cli.choices import Choice, Task
from mercer.cli.commands.fit import (
    Outcome,
    card_of,
    data_lines,
    model_path,
    report_command,
    scaling_line,
)
from mercer.cli.data.training_set import Roles, TrainingSet, read_training_set
from mercer.cli.errors import InputError
from mercer.cli.models.estimators import Options, checked, machine_of, prepared
from mercer.cli.models.held_out import HeldOut, on_test_set
from mercer.cli.models.row_split import split_record
from mercer.cli.models.test_rows import Tests
from mercer.cli.models.training import noted, of_ctrl_c, possible_folds, splitter_of
from mercer.cli.output.columns import column_lines
from mercer.cli.output.destination import check_destination, check_model_destination
from mercer.cli.output.interrupts import asked_to_stop
from mercer.cli.output.progress import Display
from mercer.cli.output.record import training_record
from mercer.cli.output.report import certificate_lines, framed, machine_line, support_line
from mercer.cli.output.score_lines import score_lines
from mercer.io import save
from mercer.solvers.runs.deadline import Deadline

__all__ = ["follow"]

N_LINES = 9
_RULES = {
    Choice.best: "the middle of the widest range with the fewest errors on held-out rows",
    Choice.one_se: "the middle of the first range within one standard error of the fewest errors",
}


def follow(chosen: dict[str, Any], display: Display) -> Outcome:
    """Follow the path of a table, choose C by cross-validation, save, and return the summary."""
    file: Path | None = chosen["file"]
    path = model_path(file, chosen["out"])
    given = [own for own in (file, chosen["test"]) if own is not None]
    check_destination(path, *given)
    with display.working("reading"):
        data = read_training_set(file, Roles.of(chosen), Task.auto)
    check_model_destination(path, chosen["force"], *given)
    if data.task is not Task.classification:
        raise InputError(
            f"mercer path follows classes, the task is {data.task}; in Python svr_path and "
            "one_class_path follow the other ones"
        )
    share = chosen["test_size"]
    data, test = Tests(chosen["test"], share).split(data, chosen["seed"])
    notes: list[str] = []
    estimator = prepared(_machine(data, chosen, notes), data, chosen["scale"])
    with noted(notes):
        is_interrupted = _followed(estimator, data, display)
    notes = of_ctrl_c(notes)
    fitted = machine_of(estimator)
    with display.working("judging"):
        held_out = None if test is None else on_test_set(estimator, test, data, Deadline())
    told = card_of(data, None).as_metadata() | split_record(file, data, test, share)
    told |= {"command": chosen["command"], "seed": chosen["seed"]}
    save(estimator, path, metadata=told)
    record = training_record("path", data, fitted, path, notes, held_out)
    record["path"] = _points(fitted)
    summary = _summary(data, estimator, chosen, path, notes, held_out)
    return Outcome.of(summary, fitted, is_interrupted, record)


def _followed(estimator: Any, data: TrainingSet, display: Display) -> bool:
    """Fit the estimator; whether Ctrl-C has ended its paths, which then are as far as they came."""
    with asked_to_stop() as stop, display.following(stop) as callback:
        try:
            estimator.set_params(machine__callback=callback).fit(data.X, data.y)
        except ValueError:
            if stop():  # before there was a first solution
                raise KeyboardInterrupt from None
            raise
        is_interrupted = stop()
    estimator.set_params(machine__callback=None)
    if is_interrupted:
        display.say("interrupted: keeping the path as far as it was followed")
    return is_interrupted


def _machine(data: TrainingSet, chosen: dict[str, Any], notes: list[str]) -> Any:
    options = Options.of(chosen)
    folds = possible_folds(data, chosen["cv"], notes)
    ends = chosen["C_range"]
    limits = {} if ends is None else {"C_min": ends[0], "C_max": ends[1]}
    common = {
        name: getattr(options, name) for name in ("kernel", "gamma", "degree", "coef0", "max_time")
    }
    cv = splitter_of(data, folds, chosen["seed"]) if folds > 1 else "loo"
    choice = str(chosen["choice"])
    machine = PathSVC(cv=cv, choice=choice, n_threads=options.threads, **common, **limits)  # type: ignore[arg-type]
    return checked(machine)


def _points(machine: Any) -> list[dict[str, Any]]:
    """Some C of the path, each with the support vectors and the error of held-out rows.

    The error is None where it is not known: Ctrl-C and time limits end paths.
    """
    curve = machine.cv_error_
    ends = np.asarray(machine.path_.breakpoints, dtype=np.float64)
    ends = np.minimum(ends[np.isfinite(ends) & (ends > 0.0)], machine.path_.end)
    grid = np.geomspace(ends.min(), ends.max(), N_LINES) if len(ends) else np.empty(0)
    found = []
    for C in sorted({*grid.tolist(), float(machine.C_)}):
        support = [np.flatnonzero(own.coef(min(C, own.end))) for own in machine.paths_]
        is_known = curve is not None and curve.end * (1.0 + 1e-9) >= C
        error = round(float(curve(min(C, curve.end))), 12) if is_known else None
        n_support = len(np.unique(np.concatenate(support))) if len(support) == 1 else None
        found.append({"C": C, "error": error, "n_support": n_support})
    return found


def _summary(
    data: TrainingSet,
    estimator: Any,
    chosen: dict[str, Any],
    path: Path,
    notes: list[str],
    held_out: HeldOut | None,
) -> RenderableType:
    machine = machine_of(estimator)
    head = f"{'C':>10}  {'error':>9}  {'vectors':>7}"
    lines: list[str | Text] = [
        "error of held-out rows and number of support vectors",
        Text(head, style="dim"),
    ]
    for point in _points(machine):
        is_chosen = point["C"] == float(machine.C_)
        count = "" if point["n_support"] is None else f"{point['n_support']:,}"
        error = "not known" if point["error"] is None else f"{100 * point['error']:.2f} %"
        line = f"{point['C']:>10.4g}  {error:>9}  {count:>7}"
        lines.append(Text(line + ("  chosen" if is_chosen else ""), "bold" if is_chosen else ""))
    rows: list[str | Text] = []
    if held_out is not None:
        rows = next(iter(score_lines(data.task, False, held_out).values()))
    report = report_command(path, chosen["file"], chosen["test"], chosen["test_size"])
    commands = (f"mercer predict {quote(str(path))} NEW.csv", report)
    sections: dict[str, list[str | Text]] = {
        "data": data_lines(data),
        "prepared": [] if data.columns is None else column_lines(data.columns),
        "chosen": [
            machine_line(machine),
            f"C: {_RULES[chosen['choice']]}",
            scaling_line(data, estimator, chosen["scale"]),
        ],
        "path": lines,
        "test": rows,
        "certificate": certificate_lines(machine),
        "model": [support_line(machine, path.stat().st_size), f"saved as {path}"],
        "note": [Text(note, style="yellow") for note in notes],
        "use it": [Text(own, style="bold") for own in commands],
    }
    return framed("mercer path: classification", sections)
