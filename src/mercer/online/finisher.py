"""Machines that have learned from a stream made optimal, and examples taken out of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import ConvergenceWarning

from mercer._warning import warn
from mercer.gram.native import take_rows
from mercer.machines.early_end import early_end
from mercer.machines.kernel_values import make_gram
from mercer.machines.solving import display_of
from mercer.online.call_watch import CallWatch
from mercer.online.finishing import Finished, finished
from mercer.online.history import Examples, History
from mercer.online.kept_rows import Ids
from mercer.online.learned import Learned
from mercer.online.stream import State
from mercer.online.uninterrupted import uninterrupted
from mercer.solvers.runs.deadline import Deadline

__all__ = ["Finisher"]

FloatArray = NDArray[np.float64]


@dataclass
class Finisher:
    """Finishes what was learned, from where it stands.

    Attributes
    ----------
    machine : OnlineMachine
        Its parameters say how.
    learned : Learned
        What is made optimal: changed at once, when the optimum is known.
    deadline : Deadline
        When to end.
    watch : CallWatch
        Hears how far it is.
    """

    machine: Any
    learned: Learned
    deadline: Deadline
    watch: CallWatch

    def finish(self) -> None:
        """The optimum of all examples that are at hand."""
        learned = self.learned
        if learned.history:
            self.finish_all(learned.history.all(), learned.history, learned.n_seen)
        else:
            self.finish_kept()

    def finish_kept(self) -> None:
        """The optimum of the examples that the stream keeps."""
        stream = self.learned.stream
        state = stream.state()
        if not len(state["ids"]):
            return
        terms, weight = state["terms"], np.ones(len(state["terms"]))
        solver = self.machine.solver
        found = self._optimum(stream.rows(), terms, state["beta"], weight, solver)
        with uninterrupted():
            stream.restart(found.beta)
            self.learned.moved(self.machine, found)
        self._warn_if_early()

    def finish_all(self, examples: Examples, history: History | None, n_seen: int) -> None:
        """The optimum of these examples; the stream goes on from its support vectors.

        ``history`` and ``n_seen`` are what there is once it is known.
        """
        terms = self.learned.task.terms(*examples[1:3])
        self._take_over(examples, terms, self.machine.solver, history, n_seen)

    def forget(self, ids: ArrayLike) -> None:
        """The optimum of all remembered examples but these."""
        learned, places = self.learned, self._places_of(ids)
        if not len(places):
            return self.finish()
        assert learned.history is not None
        examples = learned.history.all()
        terms = learned.task.terms(*examples[1:3])
        terms.reshape(len(terms), -1, 3)[places, :, 1:] = 0.0
        left = learned.history.without(places)
        return self._take_over(examples, terms, "active-set", left, learned.n_seen)

    def _places_of(self, ids: ArrayLike) -> NDArray[np.intp]:
        """Where examples are among the remembered ones."""
        wanted = np.unique(np.asarray(ids).ravel())
        if len(wanted) and wanted.dtype.kind not in "iu":
            raise TypeError(f"ids must be integers, got an array of {wanted.dtype}")
        history = self.learned.history
        assert history is not None
        places = history.places_of(wanted.astype(np.int64))
        if (places < 0).any():
            raise ValueError(
                f"ids must be positions of examples that are kept, got {wanted[places < 0][0]}"
            )
        return places

    def _take_over(
        self,
        examples: Examples,
        terms: FloatArray,
        solver: Any,
        history: History | None,
        n_seen: int,
    ) -> None:
        learned, (rows, _, weight, ids) = self.learned, examples
        found = self._optimum(rows, terms, self._start(ids), weight, solver)
        support = np.flatnonzero(found.beta.any(axis=1))
        state: State = {
            "slots": np.arange(len(support)),
            "ids": ids[support],
            "terms": terms[support],
            "beta": found.beta[support],
            "gradient": None,
        }
        with uninterrupted():
            learned.stream.begin(state, take_rows(rows, support))
            learned.history, learned.n_seen = history, n_seen
            learned.moved(self.machine, found)
        self._warn_if_early()

    def _start(self, ids: Ids) -> FloatArray:
        """The variables of all rows as the stream has them."""
        state = self.learned.stream.state()
        start = np.zeros((len(ids), state["beta"].shape[1]))
        places = np.minimum(np.searchsorted(ids, state["ids"]), len(ids) - 1)
        is_there = ids[places] == state["ids"]
        start[places[is_there]] = state["beta"][is_there]
        return start

    def _optimum(
        self, rows: Any, terms: FloatArray, beta: FloatArray, weight: FloatArray, solver: Any
    ) -> Finished:
        machine, learned = self.machine, self.learned
        n_functions = learned.task.n_functions
        callback = self.watch.callback and self.watch.hear
        with display_of(machine, n_functions) as display:
            return finished(
                make_gram(machine, learned.kernel, rows, weight),
                terms,
                beta,
                n_functions=n_functions,
                solver=solver,
                tol=machine.tol,
                deadline=self.deadline,
                callback=display.watch(0, callback) if display else callback,
            )

    def _warn_if_early(self) -> None:
        certified = self.learned.certified
        if certified["fit_status_"]:
            message = early_end(self.machine, certified["solutions_"], "problems")
            warn(message, ConvergenceWarning)
