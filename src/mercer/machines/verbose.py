"""The display of ``verbose``: a progress bar if ``rich`` is installed, else lines."""

from __future__ import annotations

import importlib.util
import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from mercer.solvers.runs.progress import Callback, Progress

__all__ = ["progress_display"]


class _Lines:
    """One line a second through ``print``, so that notebooks and tests can capture it."""

    def __init__(self, total: int, name: str) -> None:
        self.total, self.name, self.shown = total, name, 0.0

    def watch(self, k: int, callback: Callback | None) -> Callback:
        def show(progress: Progress) -> object:
            if time.perf_counter() - self.shown > 1.0:
                self.shown = time.perf_counter()
                print(f"[{self.name}] {describe(k, self.total, progress)}", flush=True)
            return callback(progress) if callback is not None else None

        return show


class _Bar:
    def __init__(self, bar: Any, total: int, name: str) -> None:
        self.bar, self.total = bar, total
        self.task = bar.add_task(name, total=None, state="")

    def watch(self, k: int, callback: Callback | None) -> Callback:
        def show(progress: Progress) -> object:
            self.bar.update(self.task, state=describe(k, self.total, progress))
            return callback(progress) if callback is not None else None

        return show


def describe(k: int, total: int, progress: Progress) -> str:
    """A progress report in words."""
    which = f"problem {k + 1} of {total}, " if total > 1 else ""
    if progress.parameter:
        which += f"{progress.parameter} = {progress.value:.4g}, "
    if math.isnan(progress.objective):  # of an exact path
        return f"{which}step {progress.iteration}, free {progress.n_active}"
    return (
        f"{which}iteration {progress.iteration}, violation {progress.violation:.2e}, "
        f"objective {progress.objective:.6g}, active {progress.n_active}"
    )


@contextmanager
def progress_display(total: int, name: str) -> Iterator[Any]:
    """Something with ``watch(k, callback)`` that shows the progress of problem ``k``."""
    if importlib.util.find_spec("rich") is None:
        yield _Lines(total, name)
    else:
        from rich.progress import Progress as Bar
        from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn

        columns = (
            SpinnerColumn(),
            TextColumn("{task.description}"),
            TextColumn("{task.fields[state]}"),
            TimeElapsedColumn(),
        )
        with Bar(*columns) as bar:
            yield _Bar(bar, total, name)
