"""The progress bar of a training run."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from mercer.cli.errors import working
from mercer.cli.output.remaining import Pace, duration
from mercer.selection import History
from mercer.solvers import Progress as SolverProgress

__all__ = ["Display", "Distance"]


class Distance:
    """How much of the way several solver runs have gone, between 0 and 1.

    A run's way is counted in powers of its KKT violation, from the first one seen down to the
    tolerance; violations go up and down, so the best so far counts. A run may start counting
    its iterations again close to the end, in double precision; the next problem starts far
    from it. Problems that are solved together tell no violation but the rows that are left.
    """

    def __init__(self, n_problems: int, tolerance: float) -> None:
        self.n_problems = n_problems
        self.tolerance = max(tolerance, 1e-12)
        self.done = 0
        self.fraction = 0.0
        self.iteration = -1
        self.first = self.best = math.inf
        self.rows = 0

    def update(self, progress: SolverProgress) -> float:
        """Return the fraction after one more report."""
        if self.n_problems > 1 and math.isinf(progress.violation):
            self.rows = max(self.rows, progress.n_active)
            self.fraction = max(self.fraction, 1.0 - progress.n_active / max(self.rows, 1))
            return self.fraction
        if progress.iteration < self.iteration and progress.violation > 0.1 * self.first:
            self.done = min(self.done + 1, self.n_problems - 1)
            self.first = self.best = math.inf
        self.iteration = progress.iteration
        if progress.violation > 0 and math.isfinite(progress.violation):
            if math.isinf(self.first):
                self.first = max(progress.violation, 2.0 * self.tolerance)
            self.best = min(self.best, max(progress.violation, self.tolerance))
        self.fraction = max(self.fraction, (self.done + self._run_fraction()) / self.n_problems)
        return self.fraction

    def _run_fraction(self) -> float:
        if math.isinf(self.first):
            return 0.0
        way = math.log(self.first / self.tolerance)
        return min(max(math.log(self.first / self.best) / way, 0.0), 1.0)


def _training_state(progress: SolverProgress) -> str:
    if math.isinf(progress.violation):
        return f"{progress.iteration:,} steps"
    return f"violation {progress.violation:.1e}, {progress.n_active:,} rows active"


class Display:
    """Bars on a terminal; nothing elsewhere or when quiet."""

    def __init__(self, console: Console, quiet: bool) -> None:
        self.console = console
        self.is_quiet = quiet
        self.is_shown = console.is_terminal and not quiet

    @contextmanager
    def fitting(
        self, n_problems: int, tolerance: float, stop: Callable[[], bool]
    ) -> Iterator[Callable[[SolverProgress], bool] | None]:
        """Give a callback for the estimator, which ends it when `stop` says so."""
        if not self.is_shown:
            yield lambda _: stop()
            return
        distance = Distance(n_problems, tolerance)
        with self._bars() as bars:
            task = bars.add_task("training", total=1.0, state="")

            # A plain function: estimators are cloned, and bars cannot be copied.
            def show(progress: SolverProgress) -> bool:
                state = _training_state(progress)
                bars.update(task, completed=distance.update(progress), state=state)
                return stop()

            yield show
            bars.update(task, completed=1.0, state="")

    @contextmanager
    def following(self, stop: Callable[[], bool]) -> Iterator[Callable[[SolverProgress], bool]]:
        """Give a callback for paths, which ends them when `stop` says so."""
        if not self.is_shown:
            yield lambda _: stop()
            return
        with self._bars(has_share=False) as bars:
            task = bars.add_task("following the path", total=None, state="")

            def show(progress: SolverProgress) -> bool:
                state = f"C = {progress.value:.3g}, {progress.iteration:,} events"
                bars.update(task, state=state)
                return stop()

            yield show

    @contextmanager
    def validating(self, folds: int) -> Iterator[Callable[[], Any]]:
        """Give a function to call after each fold."""
        if not self.is_shown:
            yield lambda: None
            return
        with self._bars() as bars:
            task = bars.add_task("cross-validation", total=folds, state=f"fold 1 of {folds}")

            def advance() -> None:
                bars.advance(task)
                fold = min(int(bars.tasks[0].completed) + 1, folds)
                bars.update(task, state=f"fold {fold} of {folds}")

            yield advance

    @contextmanager
    def searching(
        self, max_time: float | None = None, pace: Pace | None = None
    ) -> Iterator[Callable[[History], None] | None]:
        """Give a callback for a machine that tunes itself; None if nothing is shown.

        A search without a limit ends about when its `pace` says; without one its length is not
        known, and its bar shows no share.
        """
        if not self.is_shown:
            yield None
            return
        pace = pace if max_time is None else None
        total = max_time if pace is None else 1.0
        with self._bars(has_share=total is not None, has_end=pace is None) as bars:
            task = bars.add_task("searching", total=total, state="")
            earlier: list[int] = [0]
            last: list[History] = []

            def show(history: History) -> None:
                if not last or last[-1] is not history:
                    earlier[0] += len(last[-1]) if last else 0
                    last[:] = [history]
                best = history.values[history.best]
                state = (
                    f"{earlier[0] + len(history)} evaluated, now on {history.n_rows:,} rows, "
                    f"best criterion {best:.4g}"
                )
                done = elapsed = bars.tasks[0].elapsed or 0.0
                if pace is not None:
                    left = pace.seconds_left(history)
                    state = f"about {duration(left)} left, {state}"
                    # estimates go up and down, bars do not
                    done = max(bars.tasks[0].completed, elapsed / max(elapsed + left, 1e-9))
                bars.update(task, completed=done, state=state)

            yield show

    @contextmanager
    def working(self, words: str) -> Iterator[None]:
        """Show that something is going on which tells no share."""
        with working(self.console, words, self.is_quiet):
            yield

    def say(self, message: str) -> None:
        """Show a line, unless quiet."""
        if not self.is_quiet:
            self.console.print(message, style="yellow", soft_wrap=not self.console.is_terminal)

    def _bars(self, has_share: bool = True, has_end: bool = True) -> Progress:
        share = [TextColumn("{task.percentage:>3.0f} %")] if has_share else []
        return Progress(
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(),
            *share,
            TimeElapsedColumn(),
            *([TimeRemainingColumn()] if has_share and has_end else []),
            TextColumn("{task.fields[state]}", style="dim"),
            console=self.console,
            transient=True,
        )
