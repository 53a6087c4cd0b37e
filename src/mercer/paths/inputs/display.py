"""What ``verbose`` shows while a path is followed: a line that moves, or lines."""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Iterator
from contextlib import contextmanager

from mercer.paths.inputs.limits import PathCallback, PathProgress

__all__ = ["shown_callback"]


def describe(progress: PathProgress) -> str:
    """A progress report in words."""
    return (
        f"{progress.parameter} = {progress.value:.4g}, {progress.n_events} events, "
        f"{progress.n_free} free rows"
    )


@contextmanager
def shown_callback(callback: PathCallback | None) -> Iterator[PathCallback]:
    """A callback that displays the progress, and then calls ``callback``."""
    if importlib.util.find_spec("rich") is None:
        yield _with_lines(callback)
        return
    from rich.console import Console

    with Console().status("path") as status:

        def show(progress: PathProgress) -> object:
            status.update(f"path: {describe(progress)}")
            return callback(progress) if callback is not None else None

        yield show


def _with_lines(callback: PathCallback | None) -> PathCallback:
    """One line a second through ``print``, so that notebooks and tests can capture it."""
    last = 0.0

    def show(progress: PathProgress) -> object:
        nonlocal last
        if time.perf_counter() - last > 1.0:
            last = time.perf_counter()
            print(f"[path] {describe(progress)}", flush=True)
        return callback(progress) if callback is not None else None

    return show
