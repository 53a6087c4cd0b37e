"""Bookkeeping that Ctrl-C and errors do not cut in two."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["as_it_was", "uninterrupted"]


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Raise ``KeyboardInterrupt`` after the block, if Ctrl-C is pressed inside.

    Only the main thread is interrupted, and only where Python's own handler is at work; elsewhere
    nothing happens here.
    """
    own = signal.default_int_handler
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or signal.getsignal(signal.SIGINT) is not own:
        yield
        return
    pressed: list[Any] = []
    signal.signal(signal.SIGINT, lambda *event: pressed.append(event))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, own)
        if pressed:
            raise KeyboardInterrupt


@contextmanager
def as_it_was(machine: Any) -> Iterator[None]:
    """Leave a machine as it was if the block ends with an error: a chunk is refused."""
    before = dict(vars(machine))
    try:
        yield
    except BaseException:
        machine.__dict__.clear()
        machine.__dict__.update(before)
        raise
