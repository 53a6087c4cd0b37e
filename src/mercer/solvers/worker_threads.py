"""Threads that take one piece of work after the other, as long as there are any.

The native loops leave the interpreter to others, so that threads of Python share the processor.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol

from mercer._floating import without_warnings

__all__ = ["WorkQueue", "WorkerThreads"]

_PATIENCE = 1000  # milliseconds until a thread is taken for one that was never started
_LOOK = 0.05  # seconds between two looks of whoever waits


class WorkQueue(Protocol):
    """Pieces of work in their order; one thread at a time asks it."""

    def take(self) -> Any:
        """The next piece; None if others have all that is left."""

    def give_back(self, piece: Any) -> None:
        """After a piece is done."""


class WorkerThreads:
    """Threads that serve a queue; with ``n_threads=1`` the calling thread does the work.

    Parameters
    ----------
    queue : WorkQueue
        Where work comes from, and where it goes when it is done.
    n_threads : int
        How many there are.
    """

    def __init__(self, queue: WorkQueue, n_threads: int) -> None:
        self.queue, self.n_threads = queue, n_threads
        self._changed = threading.Condition()
        self._error: BaseException | None = None
        self._is_over = False

    @contextmanager
    def at_work(self, work: Callable[[Any], None]) -> Iterator[None]:
        """Do ``work`` on every piece; at the end what is not done is left."""
        self._work = work
        n = self.n_threads if self.n_threads > 1 else 0
        threads = [threading.Thread(target=self._serve, daemon=True) for _ in range(n)]
        try:
            for thread in threads:
                thread.start()
            yield
        finally:
            self._is_over = True
            _join_started(threads)

    def wait_for(
        self, is_ready: Callable[[], bool], look: Callable[[], object] | None = None
    ) -> None:
        """Until the queue ``is_ready``; what went wrong in any thread before that comes out here.

        Whoever waits calls ``look`` about every 50 ms.
        """
        while self.n_threads == 1 and not is_ready() and self._take_turn():
            pass
        while not self._is_settled(is_ready, None if look is None else _LOOK):
            assert look is not None  # else there is no end of the wait before that
            look()

    def _is_settled(self, is_ready: Callable[[], bool], seconds: float | None) -> bool:
        """Wait; whether the queue is ready now. Raises what went wrong before that."""
        with self._changed:
            # Python takes a thread whose join was interrupted for one that has ended
            self._changed.wait_for(lambda: self._error is not None or is_ready(), seconds)
            if self._error is not None and not is_ready():
                raise self._error
            return is_ready()

    def end_if_over(self) -> None:
        """For whoever watches a native loop: end it at once if its results are not wanted."""
        if self._is_over:
            raise _Over

    def _take_turn(self) -> bool:
        with self._changed:
            piece = None if self._is_over else self.queue.take()
            self._changed.notify_all()  # that nothing is left may be what others wait for
        if piece is None:
            return False
        self._work(piece)
        with self._changed:
            self.queue.give_back(piece)
            self._changed.notify_all()
        return True

    @without_warnings  # a thread does not inherit that of its maker
    def _serve(self) -> None:
        try:
            while self._take_turn():
                pass
        except _Over:
            pass
        except BaseException as error:
            with self._changed:
                self._error = self._error or error
                self._is_over = True
                self._changed.notify_all()


class _Over(Exception):
    """Another thread has failed, or the maker has left."""


def _join_started(threads: Iterable[threading.Thread]) -> None:
    """Wait for threads; an interrupt may have come before all were started.

    Or in the middle of a start: such a thread cannot be joined before it has taken its first step.
    """
    for thread in threads:
        for _ in range(_PATIENCE):
            if thread.is_alive() or thread not in threading.enumerate():
                break
            time.sleep(1e-3)
        if thread.is_alive():
            thread.join()
