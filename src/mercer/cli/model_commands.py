"""The commands that use a model file: predict, evaluate, report, explain, convert, info."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.text import Text as Line

from mercer.cli.choices import STANDARD, Precision
from mercer.cli.errors import explained, working
from mercer.cli.once import Once
from mercer.cli.options import AsJson, Quiet

if TYPE_CHECKING:
    from mercer.cli.commands.evaluate import Evaluated

__all__ = ["add_model_commands"]


def predict(
    model: Annotated[Path, typer.Argument(help="Model file written by mercer fit, tune or path.")],
    file: Annotated[Path, typer.Argument(help="Table, or - for standard input.")],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="CSV file to write. Default: the screen.")
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace the file if there is one.")
    ] = False,
    proba: Annotated[
        bool, typer.Option("--proba", help="Add the probability of each class, p_CLASS.")
    ] = False,
    coverage: Annotated[
        float | None,
        typer.Option(
            "--set", help="Add sets of labels of this coverage, e.g. 0.9: set_CLASS is 1 or 0."
        ),
    ] = None,
    interval: Annotated[
        float | None,
        typer.Option("--interval", help="Add intervals of this coverage, e.g. 0.9: low, high."),
    ] = None,
    keep: Annotated[
        list[str] | None,
        typer.Option(help="Column of FILE to copy beside the predictions; may be repeated."),
    ] = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Predict for the rows of a file that has the columns the model was trained on.

    Writes CSV: the prediction (for outliers -1, for normal rows 1), decision values, and what
    --proba, --set and --interval ask for, of models that have it.
    """
    errors = Console(stderr=True, highlight=False)
    with explained(errors):
        with working(errors, "starting", quiet):
            from mercer.cli.commands.predict import predict as predict_file
            from mercer.cli.models.extras import RequestedColumns
            from mercer.cli.output.destination import check_table_destination
            from mercer.io.archive import replaced

        out = None if out == STANDARD else out
        if out is not None:
            check_table_destination(out, force, model, file)
        wanted = RequestedColumns(proba, coverage, interval, tuple(keep or ()))
        with working(errors, "predicting", quiet):
            predictions = predict_file(model, file, wanted)
        text = predictions.as_json if as_json else predictions.as_csv
        if out is None:
            sys.stdout.write(text)
            sys.stdout.flush()
        else:
            with replaced(out) as target:
                target.write(text.encode())
        if quiet:
            return
        if out is not None:
            errors.print(Line(f"{len(predictions.table):,} predictions written to {out}"))
        for note in predictions.notes:
            errors.print(Line(f"note: {note}", style="yellow"), soft_wrap=not errors.is_terminal)
        if predictions.score is not None:
            errors.print(Line(f"{predictions.score} on these rows", style="bold green"))


Model = Annotated[Path, typer.Argument(help="Model file: .mercer.")]
Truth = Annotated[
    str | None,
    typer.Option("--target", help="Column of the truth. Default: that of the training."),
]


def evaluate(
    model: Model,
    file: Annotated[Path, typer.Argument(help="Table with the truth, or - for standard input.")],
    target: Truth = None,
    cost: Annotated[
        str | None,
        typer.Option(
            "--cost",
            metavar="CLASS=COST,...",
            help="Of two classes: tell what the errors cost, e.g. yes=10,no=1. Default: the costs "
            "that the model was trained for.",
        ),
    ] = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Judge a model on rows that it was not trained on: scores with intervals, each class."""
    errors = Console(stderr=True, highlight=False)
    with explained(errors):
        with working(errors, "judging", quiet):
            from mercer.cli.commands.evaluate import evaluate as evaluate_file

            found = evaluate_file(model, file, target, cost)
        _show(found, as_json, quiet, errors)


def report(
    model: Model,
    file: Annotated[
        Path | None,
        typer.Argument(help="Table with the truth, or -. Without it: the model."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="HTML file, - for standard output. Default: MODEL.html."),
    ] = None,
    target: Truth = None,
    train: Annotated[
        Path | None,
        typer.Option(
            "--train",
            help="Table it was trained on: tells what another C would do, and whether more rows "
            "would help. Not needed if FILE is that table and --test-size kept rows apart.",
        ),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace the file if there is one.")
    ] = False,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Write one HTML page to show: verdict, confusions, reasons, doubts, certificate."""
    errors = Console(stderr=True, highlight=False)
    with explained(errors):
        with working(errors, "starting", quiet):
            from mercer.cli.commands.evaluate import command_of
            from mercer.cli.commands.evaluate import report as report_on
            from mercer.cli.output.destination import check_table_destination
            from mercer.report.words import verdict_lines, warnings_of

        path = Path(f"{model}.html") if out is None else out
        given = [own for own in (file, train) if own is not None]
        if path != STANDARD:
            check_table_destination(path, force, model, *given)
        elif as_json:
            raise ValueError("--json and --out - both write to standard output: leave out one")
        options = [] if train is None else ["--train", train]
        command = command_of("report", model, file, *options)
        with working(errors, "judging", quiet):
            found = report_on(model, file, target, train, command)
        if path == STANDARD:
            typer.echo(found.to_html().encode(), nl=False)
            return
        found.save(path)
        if as_json:
            typer.echo(found.to_json())
            return
        judged = found.data["reproduce"]["facts"].get("rows of")
        by = [] if judged is None else [f"judged by {judged}"]
        lines = [*verdict_lines(found.data)[:2], *by, f"report written to {path}"]
        Console(quiet=quiet, highlight=False).print(Line("\n".join(lines)))
        for note in [] if quiet else warnings_of(found.data):
            errors.print(Line(f"note: {note}", style="yellow"), soft_wrap=not errors.is_terminal)


def explain(
    model: Model,
    file: Annotated[Path, typer.Argument(help="Table, or - for standard input.")],
    row: Annotated[int, typer.Option("--row", help="Which row; the first one is 0.")],
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Show how much each feature moved the prediction of a row (exact Shapley values)."""
    errors = Console(stderr=True, highlight=False)
    with explained(errors):
        with working(errors, "explaining", quiet):
            from mercer.cli.commands.evaluate import explain as explain_file

            found = explain_file(model, file, row)
        _show(found, as_json, quiet, errors)


def _show(found: Evaluated, as_json: bool, quiet: bool, errors: Console) -> None:
    if as_json:
        typer.echo(found.as_json)
    else:
        Console(quiet=quiet, highlight=False).print(found.summary)
    for note in [] if quiet else found.notes:
        errors.print(Line(f"note: {note}", style="yellow"), soft_wrap=not errors.is_terminal)


def convert(
    model: Annotated[Path, typer.Argument(help="Model to read: .mercer, or LIBSVM text.")],
    out: Annotated[
        Path,
        typer.Argument(help="File to write: .mercer, .onnx, .c, or LIBSVM text (.libsvm, .model)."),
    ],
    precision: Annotated[
        Precision, typer.Option("--precision", help="double or single, for .onnx and .c.")
    ] = Precision.double,
    force: Annotated[
        bool, typer.Option("--force", help="Replace the file if there is one.")
    ] = False,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Write a model in another format, told by the ending of the file."""
    with explained(Console(stderr=True, highlight=False)):
        from mercer.cli.commands.convert import convert as convert_file

        chosen = "single" if precision is Precision.single else "double"
        line = convert_file(model, out, chosen, force)
        if as_json:
            from mercer.cli.output.record import as_json as written

            found = {"schema": "mercer.converted/1", "model": str(model), "out": str(out)}
            typer.echo(written(found | {"n_bytes": out.stat().st_size}))
        else:
            Console(quiet=quiet, highlight=False).print(Line(line))


def info(
    model: Annotated[Path, typer.Argument(help="Model file: .mercer, LIBSVM text, .onnx, .c.")],
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Show what is inside a model file."""
    with explained(Console(stderr=True, highlight=False)):
        from mercer.cli.commands.info import describe, record_of

        if as_json:
            from mercer.cli.output.record import as_json as written

            typer.echo(written(record_of(model)))
        else:
            Console(quiet=quiet, highlight=False).print(describe(model))


def add_model_commands(app: typer.Typer) -> None:
    """Add them, in the order of the help."""
    for command in (predict, evaluate, report, explain, convert, info):
        app.command(cls=Once)(command)
