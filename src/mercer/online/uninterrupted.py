"""Bookkeeping that Ctrl-C and errors do not cut in two."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from typing import Any

__all__ = ["as_it_was", "uninterrupted"]

_OWN = signal.default_int_handler


class uninterrupted:
    """Raise ``KeyboardInterrupt`` after the block, if Ctrl-C is pressed inside.

    Only the main thread is interrupted, and only where Python's own handler is at work; elsewhere
    nothing happens here. A class: what contextlib makes of a generator takes twice as long, and a
    row of a stream passes four of these.
    """

    def __enter__(self) -> None:
        self._pressed: list[Any] = []
        is_main = threading.current_thread() is threading.main_thread()
        self._is_guarded = is_main and signal.getsignal(signal.SIGINT) is _OWN
        if self._is_guarded:
            signal.signal(signal.SIGINT, lambda *event: self._pressed.append(event))

    def __exit__(self, *error: object) -> None:
        if self._is_guarded:
            signal.signal(signal.SIGINT, _OWN)
        if self._pressed:
            raise KeyboardInterrupt


@contextmanager
def as_it_was(machine: Any) -> Iterator[None]:
    """Leave a machine as it was if the block ends with an error before an example is learned."""
    before = dict(vars(machine))
    learned = copy(before.get("_learned"))
    n_seen = 0 if learned is None else learned.n_seen
    try:
        yield
    except BaseException:
        now = vars(machine).get("_learned")
        if now is None or now.n_seen <= n_seen:
            machine.__dict__.clear()
            machine.__dict__.update(before)
            if learned is not None:
                machine._learned = learned  # the other one may have moved on
        raise
