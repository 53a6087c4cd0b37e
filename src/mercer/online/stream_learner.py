"""How a machine learns: chunks of a stream, windows on it, and epochs of rows at hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from mercer._warning import warn
from mercer.gram.native import take_rows
from mercer.online.beginning import settled
from mercer.online.call_watch import CallWatch
from mercer.online.finisher import Finisher
from mercer.online.history import History
from mercer.online.intake import Intake, takes_whole
from mercer.online.judged import Judged
from mercer.online.learned import Learned, keeps_history
from mercer.online.uninterrupted import uninterrupted
from mercer.solvers.runs.deadline import Deadline

__all__ = ["StreamLearner"]

FloatArray = NDArray[np.float64]
_COUNTS = "; n_seen_ counts them"


@dataclass
class StreamLearner:
    """Chunks and epochs, each judged before it is learned where there are to be probabilities.

    Attributes
    ----------
    machine : OnlineMachine
        Its parameters say how.
    learned : Learned
        What is learned so far; another object once gamma is settled.
    watch : CallWatch
        Hears how far it is.
    """

    machine: Any
    learned: Learned
    watch: CallWatch

    def learn_chunk(self, X: Any, targets: NDArray[Any], weight: FloatArray) -> None:
        """Take in a chunk of a stream, in two halves where the second has to be judged."""
        learned = self.learned
        X, n = _of_one_kind(X, learned.is_sparse), len(weight)
        learn = self._learn_rows if self.machine.window is None else self._learn_window
        is_judged = getattr(self.machine, "probability", False)
        cut = n // 2 if is_judged and not learned.n_seen else 0
        for part in (slice(0, cut), slice(cut, n)):
            # not after a first half that was cut short
            if part.start < part.stop and (not cut or self.learned.n_seen == part.start):
                some = X[part], targets[part], weight[part]
                if is_judged:
                    self._judge(*some)
                learn(*some)
                if self.watch.is_over and part.stop < n:
                    return self._tell_of_early_end(f"{part.stop} of {n} rows of the chunk", _COUNTS)
        return None

    def learn_epochs(self, X: Any, targets: NDArray[Any], weight: FloatArray) -> None:
        """Take in all rows, ``n_epochs`` times, then finish."""
        machine, learned = self.machine, self.learned
        if machine.window is not None:
            return self.learn_chunk(X, targets, weight)
        deadline, n = Deadline.after(machine.max_time), len(weight)
        ids, random = np.arange(n), check_random_state(machine.random_state)
        learned.n_seen = n
        if learned.history is not None:
            learned.history.add(X, targets, weight, ids)
        for epoch in range(machine.n_epochs):
            order = random.permutation(n) if machine.shuffle else ids
            n_taken = self._learn_epoch(X, order, targets, weight, deadline)
            if n_taken < n or self.watch.is_over:
                learned.certified["fit_status_"] = 1
                which = f" in epoch {epoch + 1} of {machine.n_epochs}"
                which = which if machine.n_epochs > 1 else ""
                return self._tell_of_early_end(f"{n_taken} of {n} rows{which}")
        finisher = Finisher(machine, learned, deadline, self.watch)
        if machine.finishing == "all" and machine.max_support_vectors is None:
            finisher.finish_all((X, targets, weight, ids), learned.history, n)
        elif machine.finishing != "none":
            finisher.finish_kept()
        return None

    def _learn_epoch(
        self,
        X: Any,
        order: NDArray[np.intp],
        targets: NDArray[Any],
        weight: FloatArray,
        deadline: Deadline,
    ) -> int:
        """Take in all rows in this order; how many came in."""
        intake = Intake(self.machine, self.learned, deadline, self.watch)
        ids = np.arange(len(order))
        if getattr(self.machine, "probability", False) and self.learned.judged is None:
            first, second = np.array_split(order, 2)
            intake.take(X, first, targets, weight, ids)
            if self.watch.is_over:
                return intake.n_taken
            self._judge(take_rows(X, second), targets[second], weight[second])
        intake.take(X, order, targets, weight, ids)
        return intake.n_taken

    def _judge(self, X: Any, targets: NDArray[Any], weight: FloatArray) -> None:
        """Remember the values of examples before they are learned."""
        learned = self.learned
        if learned.stream.n_kept and learned.task.has_values:
            values = learned.reading.values(X)
            learned.judged = Judged.after(learned.judged, values, targets, weight)

    def _learn_rows(self, X: Any, targets: NDArray[Any], weight: FloatArray) -> None:
        if self.learned.waits:
            self._settle(X, weight)
        machine, learned = self.machine, self.learned
        n, first = len(weight), learned.n_seen
        ids = np.arange(first, first + n)
        intake = Intake(machine, learned, Deadline.after(machine.max_time), self.watch)
        try:
            intake.take(X, np.arange(n), targets, weight, ids)
        finally:
            with uninterrupted():
                done = intake.n_taken
                if learned.history is not None:
                    learned.history.add(X[:done], targets[:done], weight[:done], ids[:done])
                if not keeps_history(machine, learned.waits):
                    learned.history = None
                learned.n_seen = first + done
        if done < n:
            self._tell_of_early_end(f"{done} of {n} rows of the chunk", _COUNTS)

    def _learn_window(self, X: Any, targets: NDArray[Any], weight: FloatArray) -> None:
        """The optimum of the last examples, a chunk among them."""
        machine, learned = self.machine, self.learned
        present = np.flatnonzero(weight > 0)
        n_seen = learned.n_seen + len(weight)
        ids = np.arange(learned.n_seen, n_seen)[present]
        deadline = Deadline.after(machine.max_time)
        if learned.waits:
            is_whole = not learned.history and takes_whole(machine, learned, len(present))
            learned = settled(machine, learned, X, weight, is_whole=is_whole)
        before = learned.history or History()
        new = (take_rows(X, present), targets[present], weight[present], ids)
        history = before.followed_by(*new, most=machine.window)
        if history:
            finisher = Finisher(machine, learned, deadline, self.watch)
            finisher.finish_all(history.all(), history, n_seen)
        else:  # no example has come yet, or none is left
            learned.n_seen = n_seen
        self.learned = learned

    def _settle(self, X: Any, weight: FloatArray) -> None:
        """Choose gamma from the first rows, with a chunk; learn those before it anew."""
        machine, before = self.machine, self.learned.history
        n_present = int(np.count_nonzero(weight > 0))
        is_whole = not before and takes_whole(machine, self.learned, n_present)
        again = settled(machine, self.learned, X, weight, is_whole=is_whole)
        if before:
            rows, targets, its_weight, ids = before.all()
            intake = Intake(machine, again, Deadline.after(None), CallWatch(None))  # all of them
            intake.take(rows, np.arange(len(ids)), targets, its_weight, ids, one_by_one=True)
        self.learned = again

    def _tell_of_early_end(self, what: str, more: str = "") -> None:
        warn(
            f"{type(self.machine).__name__} took in {what} before {self.watch.what_ended} "
            f"ended it{more}",
            ConvergenceWarning,
        )


def _of_one_kind(X: Any, is_sparse: bool) -> Any:
    """Rows of a chunk, sparse or dense as those of the first were."""
    if is_sparse == sp.issparse(X) or not hasattr(X, "shape"):
        return X
    return sp.csr_matrix(X) if is_sparse else X.toarray()
