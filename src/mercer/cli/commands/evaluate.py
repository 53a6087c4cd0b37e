"""``mercer evaluate``, ``mercer report`` and ``mercer explain``: a model on the rows of a file."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
from numpy.typing import NDArray
from rich.console import RenderableType
from rich.text import Text

from mercer.cli.choices import STANDARD, Task
from mercer.cli.commands.predict import model_rows, open_model
from mercer.cli.data.opened import source_name
from mercer.cli.data.tables import SparseData, read_file
from mercer.cli.data.tasks import known_targets
from mercer.cli.data.values import marked_missing
from mercer.cli.errors import InputError, absent
from mercer.cli.models.card import Card
from mercer.cli.models.costs import costs_of, threshold_machine
from mercer.cli.models.row_split import recorded_split, taken
from mercer.cli.output.bars import Bars
from mercer.cli.output.report import MOST_SHOWN, framed, score_text
from mercer.cli.output.threshold_lines import cost_line, rule_text
from mercer.io import read_metadata
from mercer.report import Report, write_report
from mercer.report.reasons import explain_row
from mercer.report.words import count, number, percent, spread, verdict_lines, warnings_of

__all__ = ["Evaluated", "command_of", "evaluate", "explain", "report"]

EXPLANATION = "mercer.explanation/1"
RULE, COST = "threshold", "cost of these rows"  # facts of a report


@dataclass(frozen=True)
class Evaluated:
    """The output, the same as JSON, and notes on the rows."""

    summary: RenderableType
    as_json: str
    notes: list[str]


def evaluate(model: Path, file: Path, target: str | None, costs: str | None = None) -> Evaluated:
    """Judge a model on the rows of a file, also by what its errors cost."""
    estimator, card = open_model(model)
    given = _given(model, file, None)
    rows, known, notes = _judged_rows(estimator, card, given.judged, file, target)
    facts = _facts(card, model, given.which) | _rule(estimator)
    found = write_report(estimator, rows, known, explained=False, facts=facts)
    _tell_costs(found, estimator, costs)
    notes = [f"judged by {given.which}", *notes] if given.is_part else notes
    summary = framed(f"{model} on {_name(file)}", _sections(found.data))
    return Evaluated(summary, found.to_json(), notes)


def report(
    model: Path, file: Path | None, target: str | None, train: Path | None, command: str
) -> Report:
    """Return the report on a model; without rows it tells what the model file does."""
    estimator, card = open_model(model)
    search = read_metadata(model).get("search")
    title = f"Report on {model.name}"
    ran = {"command": command}  # of the report; "trained by" has that of the model
    if file is None:
        if train is not None:
            raise InputError("--train needs a FILE to judge by beside it")
        facts = _facts(card, model, None) | _rule(estimator) | ran
        return write_report(estimator, title=title, facts=facts, search=search)
    given = _given(model, file, train)
    rows, known, _ = _judged_rows(estimator, card, given.judged, file, target)
    training = None
    if given.training is not None and known is not None:
        where = file if train is None else train
        training = _judged_rows(estimator, card, given.training, where, target)[:2]
    facts = _facts(card, model, given.which) | _rule(estimator) | ran
    title = f"{title}: {_name(file, short=True)}"
    found = write_report(
        estimator, rows, known, title=title, facts=facts, search=search,
        training=training,  # type: ignore[arg-type]
    )  # fmt: skip
    _tell_costs(found, estimator, None)
    return found


@dataclass(frozen=True)
class _Given:
    """The contents of files: rows to evaluate on, training rows, and a description of them."""

    judged: pd.DataFrame | SparseData
    training: pd.DataFrame | SparseData | None
    which: str
    is_part: bool


def _given(model: Path, file: Path, train: Path | None) -> _Given:
    """Rows of the training file that took no part, where it tells; else all rows of the file."""
    content = read_file(file)
    training = None if train is None else read_file(train)
    apart = recorded_split(read_metadata(model), file)
    if apart is None:
        return _Given(content, training, _name(file), False)
    which = f"{file}: the {count(len(apart.test), 'row')} that --test-size kept apart"
    training = taken(content, apart.training) if training is None else training
    return _Given(taken(content, apart.test), training, which, True)


def _name(file: Path, short: bool = False) -> str:
    """The name shown for a file: "standard input", its path, or only its name."""
    return source_name(file) if short or file == STANDARD else str(file)


def explain(model: Path, file: Path, row: int) -> Evaluated:
    """Tell how the prediction of one row comes about."""
    estimator, card = open_model(model)
    rows, _, notes = model_rows(estimator, card, read_file(file))
    n_rows = int(rows.shape[0])
    if not 0 <= row < n_rows:
        raise InputError(f"--row must lie in 0..{n_rows - 1}, the rows of {_name(file)}, got {row}")
    found = explain_row(estimator, rows, row)
    shown = json.dumps({"schema": EXPLANATION, "model": str(model), "file": str(file)} | found)
    name = _name(file)
    return Evaluated(framed(f"{model}: row {row} of {name}", _reasons(found, name)), shown, notes)


def _judged_rows(
    estimator: Any,
    card: Card | None,
    content: pd.DataFrame | SparseData,
    file: Path,
    target: str | None,
) -> tuple[Any, NDArray[Any] | None, list[str]]:
    """Rows as the estimator takes them, their true values, and notes."""
    task = _task(estimator, card)
    if isinstance(content, SparseData):
        rows, known, notes = model_rows(estimator, card, content)
        if task is Task.outliers:
            return rows, None, notes
        return rows, known_targets(pd.Series(known, name="label"), task), notes
    name = target or (None if card is None else card.target)
    if name is None and task is not Task.outliers:
        raise InputError("say which column holds the truth with --target: the model does not tell")
    if name is not None and name not in content.columns:
        names = [str(column) for column in content.columns]
        raise InputError(f"{_name(file)}: {absent(name, names)}; --target names another one")
    left_out: list[str] = []
    if name is not None:
        content = _with_truth(content, name, left_out)
    features = content if name is None else content.drop(columns=[name])
    rows, _, notes = model_rows(estimator, card, features)
    known = None if name is None else known_targets(content[name], _read_as(task))
    return rows, known, [*left_out, *notes]


def _with_truth(content: pd.DataFrame, name: str, notes: list[str]) -> pd.DataFrame:
    """The rows whose truth is known."""
    is_gap = marked_missing(content[name]).isna()
    if is_gap.all():
        raise InputError(f"column {name!r} is empty: there is no truth to compare with")
    if not is_gap.any():
        return content
    notes.append(f"{count(int(is_gap.sum()), 'row')} without a value of {name!r} left out")
    return content[~is_gap].infer_objects()


def _task(estimator: Any, card: Card | None) -> Task:
    if card is not None:
        return card.task
    kinds = {"regressor": Task.regression, "outlier_detector": Task.outliers}
    return kinds.get(estimator.__sklearn_tags__().estimator_type, Task.classification)


def _read_as(task: Task) -> Task:
    """Labels of outliers, -1 and 1, are read as classes are."""
    return Task.classification if task is Task.outliers else task


def _facts(card: Card | None, model: Path, rows: str | None) -> dict[str, str]:
    metadata = read_metadata(model)
    told = {"trained by": metadata.get("command"), "seed": metadata.get("seed")}
    facts = {"model": str(model)}
    facts |= {name: str(value) for name, value in told.items() if value is not None}
    if rows is not None:
        facts["rows of"] = rows
    if card is None:
        return facts
    facts["trained on"] = f"{card.source}: {count(card.n_rows, 'row')}"
    if card.target is not None:
        facts["target"] = card.target
    if card.scores is not None:
        facts[f"{card.scores.name} in training"] = str(score_text(card.scores))
    return facts


def _rule(estimator: Any) -> dict[str, str]:
    """Where two classes are threshold_machine, if the machine has a threshold of its own."""
    own = threshold_machine(estimator)
    return {} if own is None else {RULE: rule_text(own)}


def _tell_costs(found: Report, estimator: Any, costs: str | None) -> None:
    """What the errors on the judged rows cost, by ``--cost`` or by what the machine was made for.

    Without either nothing is told.
    """
    confusion, own = found.data["confusion"], threshold_machine(estimator)
    if confusion is None or confusion["counts"] is None:
        if costs is not None:
            raise InputError("--cost is for two classes, and rows with labels")
        return
    matrix: Any = None if own is None or isinstance(own.cost, str) else own.cost
    if costs is not None:
        matrix = costs_of(costs, confusion["classes"])
    if matrix is not None:
        found.data["reproduce"]["facts"][COST] = cost_line(matrix, confusion)


def command_of(name: str, *arguments: Any) -> str:
    """The command as a shell takes it."""
    return shlex.join(["mercer", name, *(str(one) for one in arguments if one is not None)])


def _sections(data: dict[str, Any]) -> dict[str, list[str | Text]]:
    first, *rest = verdict_lines(data)
    told = data["reproduce"]["facts"]
    return {
        "verdict": [Text(first, style="bold green"), *rest],
        "cost": [told[COST]] if COST in told else [],
        "threshold": [told[RULE]] if RULE in told else [],
        "classes": _class_lines(data["classes"] or []),
        "confusion": _confusion_lines(data["confusion"]),
        "note": [Text(note, style="yellow") for note in warnings_of(data)],
    }


def _class_lines(classes: list[dict[str, Any]]) -> list[str | Text]:
    lines: list[str | Text] = [
        f"{own['class']}: {own['n_right']:,} of {own['n_rows']:,} found, {percent(own['recall'])} "
        f"({spread(own['recall_interval'])}); right when said {percent(own['precision'])} "
        f"({spread(own['precision_interval'])})"
        for own in classes[:MOST_SHOWN]
    ]
    if len(classes) > MOST_SHOWN:
        lines.append(f"and {len(classes) - MOST_SHOWN} more classes: --json has them")
    return lines


def _confusion_lines(found: dict[str, Any] | None) -> list[str | Text]:
    """A small matrix, or else the most frequent confusions."""
    if found is None:
        return []
    if found["counts"] is None or len(found["classes"]) > MOST_SHOWN:
        return [
            f"{own['true']} taken for {own['said']}: {count(own['count'], 'row')}"
            for own in found["most_confused"][:MOST_SHOWN]
        ]
    names = [str(label)[:12] for label in found["classes"]]
    width = max(len(name) for name in [*names, "true"])
    cells = [f"{name:>{max(len(name), 7)}}" for name in names]
    lines: list[str | Text] = [Text(f"{'true':{width}}  said {'  '.join(cells)}", style="dim")]
    for name, counts in zip(names, found["counts"], strict=True):
        own = [f"{n:>{len(cell)},}" for n, cell in zip(counts, cells, strict=True)]
        lines.append(f"{name:{width}}       {'  '.join(own)}")
    return lines


def _reasons(found: dict[str, Any], file: str) -> dict[str, Sequence[str | Text | Bars]]:
    parts = [(f"{own['name']} = {_shown(own['data'])}", own["value"]) for own in found["parts"]]
    if found["n_rest"]:
        parts.append((f"{found['n_rest']:,} more", found["rest"]))
    names, values = [name for name, _ in parts], [value for _, value in parts]
    told = [f"{value:+.4g}" for value in values]
    styles = ["cyan" if value >= 0.0 else "red" for value in values]
    of = "" if found["output"] is None else f" of {found['output']}"
    return {
        "prediction": [Text(_shown(found["said"]), style="bold green")],
        f"value{of}": [
            f"{number(found['base'])} on average, {number(found['value'])} for this row",
            _average(found["background"], file),
            *([] if found["positive"] is None else [f"positive: for {found['positive']}"]),
        ],
        "moved by": [Bars(names, told, values, styles)],
    }


def _average(background: dict[str, Any], file: str) -> str:
    """The rows that a row is compared with."""
    if background["of"] == "rows":
        return f"on average: over {count(background['n_rows'], 'row')} of {file}"
    of = count(background["n_rows"], "support vector")
    return f"on average: over {of} of the model, as {file} has few rows"


def _shown(value: Any) -> str:
    return number(value) if isinstance(value, float) else str(value)
