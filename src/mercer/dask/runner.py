"""Where tasks run: on the workers of a client, or on the threads of this process."""

from __future__ import annotations

from types import TracebackType
from typing import Any, Self

import dask
from dask import delayed

__all__ = ["Runner", "make_runner"]


class Runner:
    """Tasks on threads of this process: what there is without a client."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        return None

    def share(self, value: Any) -> Any:
        """A value that many tasks read, sent once."""
        return delayed(value, pure=False, traverse=False)

    def start(self, tasks: list[Any]) -> list[Any]:
        """Begin with some delayed tasks, which are needed later."""
        return [
            delayed(value, pure=False, traverse=False)
            for value in dask.compute(*tasks, scheduler="threads")
        ]

    def death(self, started: Any) -> str | None:
        """Which task has ended worker after worker; None if this one came to its end."""
        return None

    def results(self, tasks: list[Any]) -> list[Any]:
        """The results of these tasks, in their order."""
        return list(dask.compute(*tasks, scheduler="threads"))

    def forget(self, started: list[Any]) -> None:
        """Release the started tasks."""

    def drop(self, started: list[Any]) -> None:
        """Release failed tasks, so that their inputs can be computed again."""


class ClientRunner(Runner):
    """Tasks on the workers of a client of ``dask.distributed``.

    No task has a worker of its own, and what is shared is made by a task, so that the scheduler
    can make again whatever a lost worker held. Whatever ends a block of ``with`` other than its
    last line (an error, Ctrl-C) cancels what is still to come.
    """

    def __init__(self, client: Any) -> None:
        self.client = client
        self._futures: list[Any] = []
        self._shared: list[Any] = []

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        futures, self._futures, self._shared = self._futures, [], []
        self.drop(futures)

    def share(self, value: Any) -> Any:
        """A value that many tasks read; a lost copy is made again from that of the scheduler."""
        future = self.client.compute(delayed(value, pure=False, traverse=False))
        self._futures.append(future)
        self._shared.append(future)
        return future

    def start(self, tasks: list[Any]) -> list[Any]:
        """Begin with some delayed tasks; their results stay on the workers."""
        futures = list(self.client.compute(tasks))
        self._futures.extend(futures)
        return futures

    def death(self, started: Any) -> str | None:
        """Wait; the key of the task that ended too many workers, if one did."""
        from distributed import KilledWorker

        error = started.exception()
        if error is None:
            return None
        if isinstance(error, KilledWorker):
            return str(error.task)
        raise error

    def results(self, tasks: list[Any]) -> list[Any]:
        """The results of these tasks, in their order."""
        futures = self.start(tasks)
        found = self.client.gather(futures)
        self.forget(futures)
        return list(found)

    def forget(self, started: list[Any]) -> None:
        """Release the started tasks, so that workers can free them once nothing needs them."""
        gone = set(map(id, started))
        self._futures = [future for future in self._futures if id(future) not in gone]
        self._shared = [future for future in self._shared if id(future) not in gone]

    def drop(self, started: list[Any]) -> None:
        """Release now, even if other names refer to them, and restore lost shared values.

        The scheduler then cancels what is no longer needed, and forgets what has failed.
        """
        for future in started:
            future.release()
        self.forget(started)
        lost = [future for future in self._shared if future.status == "error"]
        if lost:
            self.client.retry(lost)


def make_runner(client: Any) -> Runner:
    """That of a client; of None that of the current client, or of this process."""
    if client is not None:
        return ClientRunner(client)
    try:
        from distributed import get_client

        return ClientRunner(get_client())
    except (ImportError, ValueError):
        return Runner()
