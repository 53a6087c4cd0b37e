"""``mercer bench``: measurements on one's own data."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from mercer.cli.choices import Kernel, Precision, Task
from mercer.cli.errors import CommandGroup, explained, working
from mercer.cli.options import (
    RUN,
    AsJson,
    Category,
    Coef0,
    Degree,
    Epsilon,
    ErrorWeight,
    File,
    Gamma,
    Ignore,
    KernelOption,
    MaxTime,
    Nu,
    PrecisionOption,
    Quiet,
    Scale,
    Seed,
    Target,
    TaskOption,
    Threads,
    Tol,
)

__all__ = ["bench"]

bench = typer.Typer(cls=CommandGroup, help="Measure on your own data.", no_args_is_help=True)

Solvers = Annotated[
    list[str] | None,
    typer.Option(
        "--solver",
        help="Solver, or a policy of SMO: a selection, a step, or SELECTION/STEP; repeat it to "
        "compare. Policies run as in the literature, without Newton refinement. "
        "Default: smo and chunked.",
        rich_help_panel=RUN,
    ),
]
Permutations = Annotated[
    int,
    typer.Option(min=1, help="Orders of the rows to take medians over.", rich_help_panel=RUN),
]
CacheSize = Annotated[
    float | None,
    typer.Option(help="MB for kernel rows. Default: chosen automatically.", rich_help_panel=RUN),
]
Plot = Annotated[
    Path | None,
    typer.Option(
        help="Picture of the convergence to write: .png, .svg or .pdf, or .html with the table."
    ),
]


@bench.callback()
def measure() -> None:
    """Measure on your own data."""


@bench.command()
def solvers(
    context: typer.Context,
    file: File = None,
    target: Target = None,
    solver: Solvers = None,
    permutations: Permutations = 3,
    cache_size: CacheSize = None,
    plot: Plot = None,
    task: TaskOption = Task.auto,
    ignore: Ignore = None,
    category: Category = None,
    scale: Scale = True,
    kernel: KernelOption = Kernel.rbf,
    C: ErrorWeight = 1.0,
    gamma: Gamma = "scale",
    degree: Degree = 3,
    coef0: Coef0 = 0.0,
    epsilon: Epsilon = 0.1,
    nu: Nu = 0.05,
    tol: Tol = 1e-3,
    seed: Seed = 0,
    max_time: MaxTime = None,
    precision: PrecisionOption = Precision.auto,
    threads: Threads = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Solve one problem with several solvers: iterations, kernel rows, seconds, objective.

    Medians over random orders of the rows; p-values (Wilcoxon) against the first solver. With more
    than two classes, the most frequent is compared with the rest.
    """
    errors = Console(stderr=True, highlight=False)
    with explained(errors):
        with working(errors, "comparing", quiet):
            shown, record = _solvers(context.params)
        if as_json:
            from mercer.cli.output.record import as_json as written

            typer.echo(written(record))
            return
        for own in shown:
            Console(quiet=quiet, highlight=False).print(own)


def _solvers(chosen: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
    # Imported here: `mercer --help` need not wait for the machines.
    from mercer.cli.commands.bench_solvers import Plan, compare_solvers
    from mercer.cli.data.training_set import Roles
    from mercer.cli.models.estimators import Options

    return compare_solvers(
        chosen["file"],
        Roles.of(chosen),
        chosen["task"],
        Options.of(chosen | {"solver": "auto"}),
        Plan(
            tuple(chosen["solver"] or ("smo", "chunked")),
            chosen["permutations"],
            chosen["cache_size"],
            chosen["seed"],
            chosen["plot"],
        ),
    )
