"""The commands and their options."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.text import Text as Line

from mercer.cli.choices import (
    Choice,
    ClassWeight,
    Kernel,
    Missing,
    Precision,
    SearchedKernel,
    Task,
)
from mercer.cli.commands.bench import bench
from mercer.cli.errors import COMMAND, Commands, explained, working
from mercer.cli.model_commands import add_model_commands
from mercer.cli.once import Once
from mercer.cli.options import (
    AsJson,
    Category,
    ChoiceOption,
    ClassWeightOption,
    Coef0,
    ColumnKinds,
    CommandTime,
    Conformal,
    Cost,
    CRange,
    Degree,
    Epsilon,
    ErrorWeight,
    File,
    Folds,
    Force,
    Gamma,
    GammaRange,
    Ignore,
    Impute,
    Keep,
    KernelOption,
    Libsvm,
    MaxTime,
    MissingOption,
    Nu,
    Out,
    PrecisionOption,
    Proba,
    Quiet,
    Relevance,
    Scale,
    Scoring,
    SearchedKernelOption,
    Seed,
    Solver,
    Target,
    TaskOption,
    Test,
    TestSize,
    Text,
    Threads,
    Threshold,
    Tol,
)

if TYPE_CHECKING:
    from mercer.cli.commands.fit import Outcome

__all__ = ["app"]

LOADING = "starting"

app = typer.Typer(
    cls=Commands,
    help="Kernel machines trained exactly and fast, with a certificate on every result.",
    epilog="Exit codes: 0 fine, 1 wrong data or options, 2 trained but not converged within its "
    "limits, 130 interrupted.",
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


@app.command(cls=Once)
def fit(
    context: typer.Context,
    file: File = None,
    target: Target = None,
    out: Out = None,
    task: TaskOption = Task.auto,
    ignore: Ignore = None,
    category: Category = None,
    text: Text = None,
    keep: Keep = None,
    columns: ColumnKinds = None,
    missing: MissingOption = Missing.impute,
    impute: Impute = False,
    scale: Scale = True,
    test: Test = None,
    test_size: TestSize = None,
    kernel: KernelOption = Kernel.rbf,
    C: ErrorWeight = 1.0,
    class_weight: ClassWeightOption = ClassWeight.equal,
    gamma: Gamma = "scale",
    degree: Degree = 3,
    coef0: Coef0 = 0.0,
    epsilon: Epsilon = 0.1,
    nu: Nu = 0.05,
    tol: Tol = 1e-3,
    cv: Folds = 5,
    proba: Proba = False,
    conformal: Conformal = False,
    cost: Cost = None,
    threshold: Threshold = None,
    seed: Seed = 0,
    max_time: MaxTime = None,
    solver: Solver = "auto",
    precision: PrecisionOption = Precision.auto,
    threads: Threads = None,
    libsvm: Libsvm = None,
    force: Force = False,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Train a machine, cross-validate it, and save it as a model file."""
    errors = Console(stderr=True, highlight=False)
    with explained(errors):
        if libsvm is not None:
            from mercer.cli.commands.libsvm import train_like_libsvm

            if as_json:
                raise ValueError("--libsvm says what svm-train says: leave out --json")
            lines = train_like_libsvm(libsvm, file, out, force, threads)
            Console(quiet=quiet, highlight=False).print(Line("\n".join(lines)))
            return
        outcome = _fit(context.params | _command(context), errors)
        _show(outcome, as_json, quiet)
    if outcome.exit_code:
        raise typer.Exit(outcome.exit_code)


def _command(context: typer.Context) -> dict[str, Any]:
    """The command as typed, for the model file."""
    return {"command": context.meta.get(COMMAND)}


def _show(outcome: Outcome, as_json: bool, quiet: bool) -> None:
    if not as_json:
        Console(quiet=quiet, highlight=False).print(outcome.summary)
        return
    from mercer.cli.output.record import as_json as written

    typer.echo(written(outcome.record | {"exit_code": outcome.exit_code}))


def _fit(chosen: dict[str, Any], errors: Console) -> Outcome:
    # Imported here: `mercer --help` need not wait for the machines.
    with working(errors, LOADING, chosen["quiet"]):
        from mercer.cli.commands.fit import fit as fit_file
        from mercer.cli.data.training_set import Roles
        from mercer.cli.models.costs import ThresholdRequest
        from mercer.cli.models.estimators import Options
        from mercer.cli.models.test_rows import Tests
        from mercer.cli.output.progress import Display

    return fit_file(
        chosen["file"],
        chosen["out"],
        Roles.of(chosen),
        chosen["task"],
        Options.of(chosen),
        chosen["cv"],
        chosen["seed"],
        chosen["force"],
        Display(errors, chosen["quiet"]),
        Tests(chosen["test"], chosen["test_size"]),
        chosen["proba"],
        chosen["conformal"],
        chosen["command"],
        ThresholdRequest(chosen["cost"], chosen["threshold"]),
    )


@app.command(cls=Once)
def tune(
    context: typer.Context,
    file: File = None,
    target: Target = None,
    out: Out = None,
    task: TaskOption = Task.auto,
    ignore: Ignore = None,
    category: Category = None,
    text: Text = None,
    keep: Keep = None,
    columns: ColumnKinds = None,
    missing: MissingOption = Missing.impute,
    impute: Impute = False,
    scale: Scale = True,
    test: Test = None,
    test_size: TestSize = None,
    kernel: SearchedKernelOption = SearchedKernel.rbf,
    C_range: CRange = None,
    gamma_range: GammaRange = None,
    relevance: Relevance = False,
    scoring: Scoring = None,
    class_weight: ClassWeightOption = ClassWeight.equal,
    epsilon: Epsilon = 0.1,
    nu: Nu = 0.05,
    tol: Tol = 1e-3,
    cv: Folds = 5,
    proba: Proba = False,
    conformal: Conformal = False,
    cost: Cost = None,
    threshold: Threshold = None,
    seed: Seed = 0,
    max_time: CommandTime = None,
    threads: Threads = None,
    force: Force = False,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Choose C and the kernel's width, train, judge, and save a model file.

    Ctrl-C ends the search: the model with the best parameters so far is trained and saved.
    """
    errors = Console(stderr=True, highlight=False)
    with explained(errors):
        began = context.obj or time.perf_counter()
        outcome = _tune(context.params | _command(context), began, errors)
        _show(outcome, as_json, quiet)
    if outcome.exit_code:
        raise typer.Exit(outcome.exit_code)


def _tune(chosen: dict[str, Any], began: float, errors: Console) -> Outcome:
    with working(errors, LOADING, chosen["quiet"]):
        from mercer.cli.commands.tune import tune as tune_file
        from mercer.cli.data.training_set import Roles
        from mercer.cli.models.costs import ThresholdRequest
        from mercer.cli.models.tuning import Search
        from mercer.cli.output.progress import Display

    request = ThresholdRequest(chosen["cost"], chosen["threshold"])
    is_balanced = chosen["class_weight"] is ClassWeight.balanced
    same = (
        "epsilon",
        "nu",
        "C_range",
        "gamma_range",
        "tol",
        "max_time",
        "threads",
        "scale",
        "seed",
        "proba",
        "conformal",
        "scoring",
        "relevance",
    )
    search = Search(
        kernel=str(chosen["kernel"]),
        class_weight="balanced" if is_balanced else None,
        folds=chosen["cv"],
        began=began,
        has_threshold=request.is_asked,
        **{name: chosen[name] for name in same},
    )
    return tune_file(
        chosen["file"],
        chosen["out"],
        Roles.of(chosen),
        chosen["task"],
        search,
        chosen["test"],
        chosen["test_size"],
        chosen["force"],
        Display(errors, chosen["quiet"]),
        chosen["command"],
        request,
    )


@app.command(cls=Once)
def path(
    context: typer.Context,
    file: File = None,
    target: Target = None,
    out: Out = None,
    ignore: Ignore = None,
    category: Category = None,
    text: Text = None,
    keep: Keep = None,
    columns: ColumnKinds = None,
    missing: MissingOption = Missing.impute,
    impute: Impute = False,
    scale: Scale = True,
    test: Test = None,
    test_size: TestSize = None,
    kernel: KernelOption = Kernel.rbf,
    gamma: Gamma = "scale",
    degree: Degree = 3,
    coef0: Coef0 = 0.0,
    C_range: CRange = None,
    choice: ChoiceOption = Choice.best,
    cv: Folds = 5,
    seed: Seed = 0,
    max_time: MaxTime = None,
    threads: Threads = None,
    force: Force = False,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Follow the classifiers of every C exactly, choose one, and save it as a model file.

    The share of errors on held-out rows (--cv) is known for every C; --choice says which C is
    taken. Ctrl-C ends the paths: C is chosen on what was followed.
    """
    errors = Console(stderr=True, highlight=False)
    with explained(errors):
        with working(errors, LOADING, quiet):
            from mercer.cli.commands.path import follow
            from mercer.cli.output.progress import Display

        outcome = follow(context.params | _command(context), Display(errors, quiet))
        _show(outcome, as_json, quiet)
    if outcome.exit_code:
        raise typer.Exit(outcome.exit_code)


add_model_commands(app)
