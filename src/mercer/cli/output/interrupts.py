"""Ctrl-C as a request to end with the result so far."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["asked_to_stop"]


@contextmanager
def asked_to_stop() -> Iterator[Callable[[], bool]]:
    """Give a function that tells whether Ctrl-C was pressed; the second time it interrupts."""
    before = signal.getsignal(signal.SIGINT)
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or before in (signal.SIG_IGN, None):
        yield lambda: False
        return
    asked: list[bool] = []

    def ask(*_: Any) -> None:
        asked.append(True)
        signal.signal(signal.SIGINT, before)

    signal.signal(signal.SIGINT, ask)
    try:
        yield lambda: bool(asked)
    finally:
        signal.signal(signal.SIGINT, before)
