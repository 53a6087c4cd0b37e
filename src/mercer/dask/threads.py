"""One thread of BLAS for all tasks of a process that run at once."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

from mercer._threads import blas_threads

__all__ = ["one_blas_thread"]


class _Limit:
    """The limit of the process: set by the first task that comes, lifted by the last that goes."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.users = 0
        self.limit: AbstractContextManager[object] | None = None

    def enter(self) -> None:
        with self.lock:
            if self.users == 0:
                self.limit = blas_threads(1)
            self.users += 1

    def leave(self) -> None:
        with self.lock:
            self.users -= 1
            if self.users == 0 and self.limit is not None:
                self.limit.__exit__(None, None, None)
                self.limit = None


_LIMIT = _Limit()


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Sums of BLAS in an order that does not depend on the threads a worker has.

    The number of threads of BLAS belongs to the process: tasks that set and reset it on their own
    would undo each other's setting.
    """
    _LIMIT.enter()
    try:
        yield
    finally:
        _LIMIT.leave()
