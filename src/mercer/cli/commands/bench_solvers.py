"""``mercer bench solvers``."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from html import escape
from io import BytesIO
from pathlib import Path
from typing import Any, Literal

import numpy as np
from rich.table import Table
from rich.text import Text

from mercer.cli.choices import Task
from mercer.cli.data.training_set import Roles, TrainingSet, read_training_set
from mercer.cli.errors import InputError
from mercer.cli.models.estimators import Options, build_estimator
from mercer.cli.output.destination import check_destination
from mercer.cli.output.report import plural
from mercer.formulations import one_class, svc, svr
from mercer.gram import Gram
from mercer.io.archive import replaced
from mercer.kernels import as_kernel
from mercer.lab import Comparison, compare, resolve_solver
from mercer.problem import Problem
from mercer.solvers import Smo, Solver
from mercer.solvers.smo.selection import SELECTIONS
from mercer.solvers.smo.step import STEPS

__all__ = ["Plan", "compare_solvers", "parse_solver"]

COMPARISON = "mercer.comparison/1"
PICTURES = (".png", ".svg", ".pdf")
COLUMNS = {
    "solver": "solver",
    "iterations": "iterations",
    "rows_computed": "rows",
    "rows_hit": "hits",
    "seconds": "seconds",
    "p_seconds": "p",
    "objective": "objective",
    "violation": "violation",
    "converged": "done",
}


@dataclass(frozen=True)
class Plan:
    """What to compare, how often, with how much memory, and where to draw it."""

    solvers: tuple[str, ...]
    permutations: int
    cache_size: float | None
    seed: int
    plot: Path | None


def compare_solvers(
    file: Path | None, roles: Roles, task: Task, options: Options, plan: Plan
) -> tuple[list[Any], dict[str, Any]]:
    """Compare, draw, and return what to show and what ``--json`` writes."""
    solvers = {name: parse_solver(name) for name in plan.solvers}
    if plan.plot is not None:
        _check_plot(plan.plot, file)
    data = read_training_set(file, roles, task)
    problem, gram, words = _formulated(data, options)
    result = compare(
        problem,
        gram,
        solvers,
        permutations=plan.permutations,
        cache_size=plan.cache_size,
        tol=options.tol,
        max_time=options.max_time,
        random_state=plan.seed,
    )
    title = f"{data.source}: {words}; {plural(plan.permutations, 'order')} of the rows"
    shown: list[Any] = [_table(result, title)]
    if plan.plot is not None:
        _write_plot(result, title, plan.plot)
        shown.append(Text(f"drawn to {plan.plot}"))
    return shown, _record(result, data, words, plan)


def _record(result: Comparison, data: TrainingSet, words: str, plan: Plan) -> dict[str, Any]:
    """Medians of each solver; p-values are against the first one."""
    return {
        "schema": COMPARISON,
        "source": data.source,
        "problem": words,
        "n_orders": plan.permutations,
        "solvers": [asdict(own) for own in result.table],
        "picture": None if plan.plot is None else str(plan.plot),
    }


def parse_solver(text: str) -> Solver:
    """The solver of that name, or SMO with a selection, a step, or both."""
    first, slash, second = text.partition("/")
    if not slash and (text not in SELECTIONS or text == "auto"):
        if text in STEPS:
            return Smo(selection="second-order", step=text, refine=False)
        try:
            return resolve_solver(text)
        except ValueError as error:
            policies = ", ".join([*(name for name in SELECTIONS if name != "auto"), *STEPS])
            solvers = str(error).replace(" or a solver object", "")
            raise InputError(f"--{solvers}; or a policy of SMO: {policies}") from None
    return Smo(selection=first, step=second or "newton", refine=False)


def _formulated(data: TrainingSet, options: Options) -> tuple[Problem, Gram, str]:
    """The problem that ``mercer fit`` would solve, its kernel values, and both in words."""
    estimator: Any = build_estimator(data, options)
    pipeline = getattr(estimator, "regressor", estimator)
    X = pipeline[:-1].fit_transform(data.X)
    kernel = as_kernel(
        options.kernel, gamma=options.gamma, degree=options.degree, coef0=options.coef0
    ).resolve(X)
    gram = Gram(kernel, X, precision=options.precision, n_threads=options.threads)  # type: ignore[arg-type]
    n = X.shape[0]
    if data.y is None:
        return one_class(n, options.nu).problem, gram, f"{n:,} rows, nu = {options.nu:g}"
    if data.task is Task.regression:
        y = data.y.astype(np.float64)
        if options.scale:
            y = (y - y.mean()) / (y.std() or 1.0)
        words = f"{n:,} rows, C = {options.C:g}, epsilon = {options.epsilon:g}"
        return svr(y, options.C, options.epsilon).problem, gram, words
    counts = data.class_counts
    if len(counts) < 2:
        raise InputError("the target has one class only: there is nothing to solve")
    positive = max(counts, key=lambda label: counts[label])
    others = next(label for label in counts if label != positive) if len(counts) == 2 else "others"
    words = f"{n:,} rows, {positive} against {others}, C = {options.C:g}"
    return svc(np.where(data.y == positive, 1.0, -1.0), options.C).problem, gram, words


def _table(result: Comparison, title: str) -> Table:
    table = Table(title=Text(title), title_justify="left", box=None, header_style="bold cyan")
    for position, name in enumerate(COLUMNS.values()):
        justify: Literal["left", "right"] = "right" if position else "left"
        table.add_column(name, justify=justify, overflow="fold", no_wrap=position > 0)
    for cells in result.cells(COLUMNS)[1:]:
        table.add_row(*map(Text, cells))
    return table


def _check_plot(path: Path, file: Path | None) -> None:
    if path.suffix not in (*PICTURES, ".html"):
        raise InputError(
            f"--plot must end in one of {', '.join(PICTURES)}, .html; got {path.name!r}"
        )
    check_destination(path, *([] if file is None else [file]), option="--plot")
    try:
        import matplotlib  # noqa: F401
    except ModuleNotFoundError:
        raise InputError("--plot needs matplotlib: pip install 'mercer[plot]'") from None


def _write_plot(result: Comparison, title: str, path: Path) -> None:
    kind = "svg" if path.suffix == ".html" else path.suffix[1:]
    picture = BytesIO()
    result.plot().savefig(picture, format=kind, dpi=150)
    with replaced(path) as target:
        if path.suffix != ".html":
            target.write(picture.getvalue())
        else:
            for part in _page(result, title, picture.getvalue()):
                target.write(part.encode())


def _page(result: Comparison, title: str, svg: bytes) -> Iterator[str]:
    """A page without external files."""
    yield "<!doctype html><html lang='en'><meta charset='utf-8'>"
    yield f"<title>{escape(title)}</title><style>body{{font:15px sans-serif;margin:2em;"
    yield "max-width:75em}td,th{padding:.2em .7em;text-align:right}td:first-child,"
    yield "th:first-child{text-align:left}tr:nth-child(even){background:#f3f3f3}"
    yield f"img{{width:100%}}</style><h1>{escape(title)}</h1>{result._repr_html_()}"
    yield f"<img alt='convergence' src='data:image/svg+xml;base64,{b64encode(svg).decode()}'>"
    yield "</html>\n"
