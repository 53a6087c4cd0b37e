"""The commands and their options."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console, RenderableType
from rich.text import Text

from mercer.cli.choices import ClassWeight, Kernel, Precision, Task
from mercer.cli.commands.bench import bench
from mercer.cli.errors import explained
from mercer.cli.options import (
    Category,
    ClassWeightOption,
    Coef0,
    Degree,
    Epsilon,
    File,
    Folds,
    Force,
    Gamma,
    Ignore,
    KernelOption,
    MaxTime,
    Nu,
    Out,
    PrecisionOption,
    Price,
    Quiet,
    Scale,
    Seed,
    Solver,
    Target,
    TaskOption,
    Test,
    TestSize,
    Threads,
    Tol,
)

__all__ = ["app"]

app = typer.Typer(
    help="Kernel machines trained exactly and fast, with a certificate on every result.",
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)
app.add_typer(bench, name="bench")


def _show_version(wanted: bool) -> None:
    if wanted:
        from mercer import __version__

        typer.echo(f"mercer {__version__}")
        raise typer.Exit


@app.callback()
def common(
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Show the version and exit.", callback=_show_version, is_eager=True
        ),
    ] = False,
) -> None:
    """Kernel machines trained exactly and fast, with a certificate on every result."""


@app.command()
def fit(
    context: typer.Context,
    file: File = None,
    target: Target = None,
    out: Out = None,
    task: TaskOption = Task.auto,
    ignore: Ignore = None,
    category: Category = None,
    scale: Scale = True,
    kernel: KernelOption = Kernel.rbf,
    C: Price = 1.0,
    gamma: Gamma = "scale",
    degree: Degree = 3,
    coef0: Coef0 = 0.0,
    epsilon: Epsilon = 0.1,
    nu: Nu = 0.05,
    tol: Tol = 1e-3,
    cv: Folds = 5,
    seed: Seed = 0,
    max_time: MaxTime = None,
    solver: Solver = "auto",
    precision: PrecisionOption = Precision.auto,
    threads: Threads = None,
    force: Force = False,
    quiet: Quiet = False,
) -> None:
    """Train a machine, cross-validate it, and save it as a model file."""
    errors = Console(stderr=True, highlight=False)
    with explained(errors):
        summary = _fit(context.params, errors)
        Console(quiet=quiet, highlight=False).print(summary)


def _fit(chosen: dict[str, Any], errors: Console) -> RenderableType:
    # Imported here: `mercer --help` need not wait for the machines.
    from mercer.cli.commands.fit import fit as fit_file
    from mercer.cli.data.training_set import Roles
    from mercer.cli.models.estimators import Options
    from mercer.cli.output.progress import Display

    return fit_file(
        chosen["file"],
        chosen["out"],
        Roles(chosen["target"], tuple(chosen["ignore"] or ()), tuple(chosen["category"] or ())),
        chosen["task"],
        Options.of(chosen),
        chosen["cv"],
        chosen["seed"],
        chosen["force"],
        Display(errors, chosen["quiet"]),
    )


@app.command()
def tune(
    context: typer.Context,
    file: File = None,
    target: Target = None,
    out: Out = None,
    task: TaskOption = Task.auto,
    ignore: Ignore = None,
    category: Category = None,
    scale: Scale = True,
    test: Test = None,
    test_size: TestSize = None,
    kernel: KernelOption = Kernel.rbf,
    class_weight: ClassWeightOption = ClassWeight.equal,
    epsilon: Epsilon = 0.1,
    nu: Nu = 0.05,
    tol: Tol = 1e-3,
    cv: Folds = 5,
    seed: Seed = 0,
    max_time: MaxTime = None,
    threads: Threads = None,
    force: Force = False,
    quiet: Quiet = False,
) -> None:
    """Choose C and the kernel's width, train, judge, and save a model file."""
    errors = Console(stderr=True, highlight=False)
    with explained(errors):
        summary = _tune(context.params, errors)
        Console(quiet=quiet, highlight=False).print(summary)


def _tune(chosen: dict[str, Any], errors: Console) -> RenderableType:
    from mercer.cli.commands.tune import tune as tune_file
    from mercer.cli.data.training_set import Roles
    from mercer.cli.models.tuning import Search
    from mercer.cli.output.progress import Display

    is_balanced = chosen["class_weight"] is ClassWeight.balanced
    same = ("epsilon", "nu", "tol", "max_time", "threads", "scale", "seed")
    search = Search(
        kernel=str(chosen["kernel"]),
        class_weight="balanced" if is_balanced else None,
        folds=chosen["cv"],
        **{name: chosen[name] for name in same},
    )
    return tune_file(
        chosen["file"],
        chosen["out"],
        Roles(chosen["target"], tuple(chosen["ignore"] or ()), tuple(chosen["category"] or ())),
        chosen["task"],
        search,
        chosen["test"],
        chosen["test_size"],
        chosen["force"],
        Display(errors, chosen["quiet"]),
    )


@app.command()
def predict(
    model: Annotated[Path, typer.Argument(help="Model file written by mercer fit.")],
    file: Annotated[Path, typer.Argument(help="CSV, Parquet or LIBSVM file.")],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="CSV file to write. Default: the screen.")
    ] = None,
) -> None:
    """Predict for the rows of a file that has the columns the model was trained on.

    Writes CSV: the prediction (for outliers -1, for normal rows 1) and decision values.
    """
    errors = Console(stderr=True, highlight=False)
    with explained(errors):
        from mercer.cli.commands.predict import predict as predict_file
        from mercer.cli.output.destination import check_table_destination
        from mercer.io.archive import replaced

        if out is not None:
            check_table_destination(out, model, file)
        predictions = predict_file(model, file)
        text = predictions.table.to_csv(index=False, lineterminator="\n")
        if out is None:
            sys.stdout.write(text)
            sys.stdout.flush()
        else:
            with replaced(out) as target:
                target.write(text.encode())
            errors.print(Text(f"{len(predictions.table):,} predictions written to {out}"))
        for note in predictions.notes:
            errors.print(Text(f"note: {note}", style="yellow"), soft_wrap=not errors.is_terminal)
        if predictions.score is not None:
            errors.print(Text(f"{predictions.score} on these rows", style="bold green"))


@app.command()
def info(
    model: Annotated[Path, typer.Argument(help="Model file written by mercer fit.")],
) -> None:
    """Show what is inside a model file."""
    with explained(Console(stderr=True, highlight=False)):
        from mercer.cli.commands.info import describe

        Console(highlight=False).print(describe(model))
