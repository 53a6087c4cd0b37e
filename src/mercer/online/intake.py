"""Examples on their way into a stream: many in one problem, few row by row."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from mercer._threads import resolve_threads
from mercer._warning import warn
from mercer.machines.kernel_values import make_gram
from mercer.machines.solving import display_of
from mercer.online.call_watch import CallWatch
from mercer.online.chunks import ChunkLearner
from mercer.online.kept_rows import Ids
from mercer.online.learned import Learned
from mercer.online.parameters import rules_of
from mercer.online.stream import Stream
from mercer.online.uninterrupted import uninterrupted
from mercer.solvers.runs.deadline import Deadline
from mercer.solvers.runs.progress import Callback, Progress

__all__ = ["Intake"]

FloatArray = NDArray[np.float64]
_LARGE = 100  # rows from which a chunk is learned as a whole
_REPORT = 0.05  # seconds between two calls of the callback


@dataclass
class Intake:
    """Takes examples in, as the parameters of a machine say.

    Attributes
    ----------
    machine : OnlineMachine
        Its parameters say how.
    learned : Learned
        Where the examples go.
    deadline : Deadline
        When to end.
    watch : CallWatch
        Hears how far it is.
    n_taken : int
        How many of the examples that were given last are in, those without weight included.
    """

    machine: Any
    learned: Learned
    deadline: Deadline
    watch: CallWatch
    n_taken: int = 0

    def take(
        self,
        X: Any,
        order: NDArray[np.intp],
        targets: NDArray[Any],
        weight: FloatArray,
        ids: Ids,
        *,
        one_by_one: bool = False,
    ) -> None:
        """Take in the rows ``order`` of ``X``, except those without weight.

        ``ids`` has those of all rows of ``X``.
        """
        machine, learned = self.machine, self.learned
        present = np.flatnonzero(weight[order] > 0)
        stream = learned.stream
        stream.n_taken = 0
        stream.follow(rules_of(machine, learned.task, learned.kernel))
        stream.packing.n_threads = resolve_threads(machine.n_threads)
        terms, rows = learned.task.terms(targets, weight), order[present]
        try:
            with display_of(machine) as display:
                callback = self.watch.callback and self.watch.hear
                callback = display.watch(0, callback) if display else callback
                if not one_by_one and takes_whole(machine, learned, len(rows)):
                    self._take_whole(X, rows, ids, terms, callback)
                else:
                    stream.take(X, rows, ids, terms, self.deadline, _watch(callback))
        finally:
            with uninterrupted():
                taken = stream.n_taken
                self.n_taken = len(order) if taken == len(present) else int(present[taken])
                self.watch.n_before += self.n_taken
                learned.moved(machine)

    def _take_whole(
        self,
        X: Any,
        rows: NDArray[np.intp],
        ids: Ids,
        terms: FloatArray,
        callback: Callback | None,
    ) -> None:
        machine, learned = self.machine, self.learned
        gram_of = partial(make_gram, machine, learned.kernel)
        learner = ChunkLearner(
            *(learned.stream, gram_of, machine.tol, learned.task.slack, self.deadline),
            *(self.watch, callback),
        )
        learner.take(X, rows, ids, terms)
        if not learner.is_converged and learned.stream.n_taken == len(rows):
            name, cause = type(machine).__name__, self.watch.what_ended
            warn(
                f"{name} took in {len(rows)} rows, but {cause} ended it before their problem was "
                "solved; finish() goes on",
                ConvergenceWarning,
            )


def takes_whole(machine: Any, learned: Learned, n: int) -> bool:
    """Whether so many examples are learned in one problem with the kept ones.

    Many are, and so are few where the kernel rows of one by one would take too much memory.
    """
    is_free = machine.selection == "auto" and machine.max_support_vectors is None
    if not is_free or learned.kernel.form().reads_python:
        return False
    stream = learned.stream
    # rows that grow one by one leave gaps of about their own size
    size = 2 * (4 if stream.packing.precision == "single" else 8)
    row_bytes = size * (stream.n_kept + n) ** 2
    return n >= _LARGE or row_bytes > stream.rules.max_row_bytes


def _watch(callback: Callback | None) -> Callable[[Stream], object] | None:
    """Reports the progress of a stream, and says whether to stop."""
    if callback is None:
        return None
    began = last = time.perf_counter()

    def watch(stream: Stream) -> bool:
        nonlocal last
        now = time.perf_counter()
        if now - last < _REPORT:
            return False
        last = now
        learner = stream.learner
        violation, objective = learner.violations().max(), learner.objectives().sum()
        report = Progress(stream.n_taken, violation, objective, stream.n_kept, now - began)
        return bool(callback(report))

    return watch
