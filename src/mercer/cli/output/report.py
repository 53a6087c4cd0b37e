"""The display of a model: sections of short lines in a frame."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from mercer.cli.errors import NARROW, plural
from mercer.cli.models.card import Scores
from mercer.cli.output.bars import Bars

__all__ = [
    "certificate_lines",
    "class_text",
    "framed",
    "kernel_text",
    "machine_line",
    "plural",
    "score_text",
    "size_text",
    "support_line",
]

MOST_SHOWN = 8
_PATH_ENDS = {"callback": "ended by Ctrl-C or a callback", "max-time": "ended by its time limit"}


def framed(title: str, sections: Mapping[str, Sequence[str | Text | Bars]]) -> RenderableType:
    """Return a panel of sections, each with a name and its lines; empty ones are left out.

    On narrow terminals there is no frame, and names stand above their lines.
    """
    # Text, not markup: names of columns and classes may hold brackets.
    shown = {
        name: [Text(line) if isinstance(line, str) else line for line in lines]
        for name, lines in sections.items()
        if lines
    }
    return _Framed(title, shown)


@dataclass(frozen=True)
class _Framed:
    """Sections, laid out for the width that there is."""

    title: str
    sections: dict[str, list[Text | Bars]]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        if options.max_width < NARROW:
            yield Text(self.title, style="bold")
            for name, lines in self.sections.items():
                yield Text(f"\n{name}", style="bold cyan")
                yield Group(*lines)
            return
        table = Table.grid(padding=(0, 2))
        table.add_column(style="bold cyan", no_wrap=True)
        table.add_column(overflow="fold")
        for position, (name, lines) in enumerate(self.sections.items()):
            if position:
                table.add_row()
            table.add_row(name, Group(*lines))
        title = self.title
        yield Panel(table, title=title, title_align="left", border_style="dim", padding=(1, 2))


def size_text(n_bytes: int) -> str:
    """Return a size in bytes, kB or MB."""
    if n_bytes < 1000:
        return plural(n_bytes, "byte")
    return f"{n_bytes / 1e3:,.1f} kB" if n_bytes < 1e6 else f"{n_bytes / 1e6:,.1f} MB"


def score_text(scores: Scores) -> Text:
    """Return a mean score with its standard deviation over the folds."""
    if scores.name == "R2":
        value = f"{scores.mean:.3f} ± {scores.deviation:.3f}"
    else:
        value = f"{100 * scores.mean:.1f} % ± {100 * scores.deviation:.1f} %"
    tail = f"  {len(scores.values)}-fold cross-validation, ± standard deviation"
    return Text.assemble((value, "bold green"), (tail, "dim"))


def machine_line(machine: Any) -> str:
    """Return the machine in words: its class, C and kernel."""
    shown = kernel_text(machine.kernel_)
    if not _is_known(machine):
        # Text of LIBSVM does not tell the parameters.
        return f"{type(machine).__name__} with kernel {shown}"
    names = ("C", "C_", "epsilon", "nu", "alpha_")
    parts = [
        f"{name.rstrip('_')} = {getattr(machine, name):g}"
        for name in names
        if hasattr(machine, name)
    ]
    if getattr(machine, "loss", "hinge") not in ("hinge", "epsilon_insensitive"):
        parts.append(f"loss = {machine.loss}")
    return f"{type(machine).__name__} with {', '.join(parts)}, kernel {shown}"


def kernel_text(kernel: Any) -> str:
    """Return the kernel, the beginning of a long one."""
    text = repr(kernel)
    return text if len(text) <= 200 else text[:197] + "..."


def _is_known(machine: Any) -> bool:
    """Whether the model tells how it was trained."""
    is_solved = hasattr(machine, "alpha_") or hasattr(machine, "path_")
    return is_solved or bool(machine.solutions_)


def certificate_lines(machine: Any) -> list[str | Text]:
    """Return how good the solution is, over all the problems that were solved."""
    if hasattr(machine, "alpha_"):
        return _system_lines(machine)
    if hasattr(machine, "path_"):
        return _path_lines(machine)
    solutions = machine.solutions_
    if not solutions:
        return ["none: the model comes from elsewhere"]
    statuses = sorted({solution.status for solution in solutions})
    style = "bold green" if statuses == ["converged"] else "bold yellow"
    names = "machines" if "code_" in vars(machine) else "pairs of classes"
    several = f" ({len(solutions)} {names})" if len(solutions) > 1 else ""
    gap = machine.dual_gap_
    seconds = sum(solution.seconds for solution in solutions)
    took = "" if math.isnan(seconds) else f", {_duration(seconds)}"
    iterations = plural(sum(solution.n_iter for solution in solutions), "iteration")
    kernel = plural(sum(solution.n_kernel for solution in solutions), "kernel evaluation")
    return [
        Text(", ".join(statuses) + several, style=style),
        f"KKT violation   {machine.violation_:.2e} (tolerance {machine.tol:g})",
        f"dual objective  {machine.objective_:.10g}",
        "relative gap    " + ("none, the kernel is indefinite" if gap is None else f"{gap:.2e}"),
        f"{iterations}, {kernel}{took}",
    ]


def _system_lines(machine: Any) -> list[str | Text]:
    """How the linear system of a least squares machine was solved."""
    lines: list[str | Text] = [f"linear system solved by {machine.solver_}"]
    if machine.condition_ is not None:
        lines.append(f"condition       {machine.condition_:.2e}")
    if machine.loo_error_ is not None:
        lines.append(f"leave-one-out   {machine.loo_error_:.6g}")
    return lines


def _path_lines(machine: Any) -> list[str | Text]:
    """How the paths were followed that C was chosen on."""
    events = plural(sum(len(path.segments.changed) for path in machine.paths_), "event")
    several = f" on {len(machine.paths_)} pairs of classes" if len(machine.paths_) > 1 else ""
    lines: list[str | Text] = [
        f"{events}{several}, up to C = {machine.path_.end:.4g}, "
        + _PATH_ENDS.get(machine.path_.status, machine.path_.status),
        f"KKT violation   {max(path.violation for path in machine.paths_):.2e}",
    ]
    if machine.cv_error_ is not None:
        # Sums of shares leave rounding where they cancel.
        error = round(float(machine.cv_error_(machine.C_)), 12)
        lines.append(f"held-out error  {error:.4g}")
    return lines


def support_line(machine: Any, n_bytes: int) -> str:
    """Return the size of the model."""
    if not hasattr(machine, "dual_coef_"):
        return f"{plural(machine.n_features_in_, 'weight')}, {size_text(n_bytes)}"
    count, rows = machine.dual_coef_.shape[1], machine.shape_fit_[0]
    percent = 100.0 * count / max(rows, 1)
    shown = f"{percent:.0f}" if percent >= 1.0 else f"{percent:.2g}"
    share = f" ({shown} % of the rows)" if _is_known(machine) else ""
    return f"{plural(count, 'support vector')}{share}, {size_text(n_bytes)}"


def class_text(labels: Iterable[Any], counts: Iterable[int] | None = None) -> str:
    """Return the classes, with their counts if given; the first few of many."""
    names = [str(label) for label in labels]
    if counts is not None:
        names = [f"{name} ({count:,})" for name, count in zip(names, counts, strict=True)]
    more = [f"and {len(names) - MOST_SHOWN} more"] if len(names) > MOST_SHOWN else []
    return f"{len(names)} classes: {', '.join(names[:MOST_SHOWN] + more)}"


def _duration(seconds: float) -> str:
    return f"{1000 * seconds:.1f} ms" if seconds < 1 else f"{seconds:.2f} s"
