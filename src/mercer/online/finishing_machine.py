"""Online machines made optimal, and examples taken out of them."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from mercer.gram.native import take_rows
from mercer.machines.solving import display_of
from mercer.online.finishing import Finished, finished
from mercer.online.kept_rows import Ids
from mercer.online.learned import LearnedMachine
from mercer.solvers.runs.deadline import Deadline

__all__ = ["FinishingMachine"]

FloatArray = NDArray[np.float64]


class FinishingMachine(LearnedMachine):
    """Finishing and forgetting."""

    def finish(self) -> Self:
        """Make the solution optimal, with a certificate in ``solutions_``.

        On the examples that are kept, or with ``keep_rows=True`` on all that were seen: then it is
        that of a batch machine. Learning may go on afterwards.

        Returns
        -------
        self : object
        """
        check_is_fitted(self)
        self._validate_params()
        self._check_fixed()
        deadline = Deadline.after(self.max_time)
        if self._history is not None and len(self._history):
            self._finish_all(*self._history.all(), deadline)
        else:
            self._finish_kept(deadline)
        return self

    def _finish_kept(self, deadline: Deadline) -> None:
        state = self._stream.state()
        if not len(state["ids"]):
            return
        found = self._finished(self._stream.rows(), state["terms"], state["beta"], deadline)
        self._stream.restart(found.beta)
        self._changed(found)
        self._warn_if_early()

    def _finish_all(
        self,
        X: Any,
        targets: NDArray[Any],
        weight: FloatArray,
        ids: Ids,
        deadline: Deadline,
        solver: Any = None,
        left_out: NDArray[np.intp] | None = None,
    ) -> None:
        """The optimum of all rows but some; the stream goes on from its support vectors."""
        terms = self._terms(targets, weight)
        if left_out is not None:
            terms.reshape(len(terms), -1, 3)[left_out, :, 1:] = 0.0
        found = self._finished(X, terms, self._start(ids), deadline, solver, weight)
        support = np.flatnonzero(found.beta.any(axis=1))
        state = {
            "slots": np.arange(len(support)),
            "ids": ids[support],
            "terms": terms[support],
            "beta": found.beta[support],
            "gradient": None,
        }
        self._stream.begin(state, take_rows(X, support))
        self._changed(found)
        self._warn_if_early()

    def _start(self, ids: Ids) -> FloatArray:
        """The variables of all rows as the stream has them."""
        state = self._stream.state()
        start = np.zeros((len(ids), state["beta"].shape[1]))
        places = np.minimum(np.searchsorted(ids, state["ids"]), len(ids) - 1)
        is_there = ids[places] == state["ids"]
        start[places[is_there]] = state["beta"][is_there]
        return start

    def _finished(
        self,
        rows: Any,
        terms: FloatArray,
        beta: FloatArray,
        deadline: Deadline,
        solver: Any = None,
        weight: FloatArray | None = None,
    ) -> Finished:
        weight = np.ones(len(terms)) if weight is None else weight
        with display_of(self, self._n_functions) as display:
            callback = display.watch(0, self.callback) if display else self.callback
            return finished(
                self._make_gram(self.kernel_, rows, weight),
                terms,
                beta,
                n_functions=self._n_functions,
                solver=self.solver if solver is None else solver,
                tol=self.tol,
                deadline=deadline,
                callback=callback,
            )

    def _warn_if_early(self) -> None:
        if self.fit_status_:
            self._warn_not_converged()

    def forget(self, ids: ArrayLike) -> Self:
        """Remove examples as if they had never been seen; needs ``keep_rows=True`` or a window.

        The machine becomes the optimum of all other examples, certified in ``solutions_``: the
        active-set method goes on from the present solution with the boxes of the removed examples
        collapsed to zero.

        Parameters
        ----------
        ids : array-like of int
            Positions of the examples in the stream, counted from 0.

        Returns
        -------
        self : object
        """
        check_is_fitted(self)
        self._validate_params()
        self._check_fixed()
        if not self.keep_rows and self.window is None:
            raise ValueError(
                "forget needs all examples that count: construct the machine with "
                "keep_rows=True or a window, got keep_rows=False"
            )
        wanted = np.unique(np.asarray(ids).ravel())
        if len(wanted) and wanted.dtype.kind not in "iu":
            raise TypeError(f"ids must be integers, got an array of {wanted.dtype}")
        assert self._history is not None
        places = self._history.places_of(wanted.astype(np.int64))
        if (places < 0).any():
            raise ValueError(
                f"ids must be positions of examples that are kept, got {wanted[places < 0][0]}"
            )
        return self._forget_places(places) if len(places) else self.finish()

    def _forget_places(self, places: NDArray[np.intp]) -> Self:
        assert self._history is not None
        rows, targets, weight, seen = self._history.all()
        deadline = Deadline.after(self.max_time)
        self._finish_all(rows, targets, weight, seen, deadline, "active-set", places)
        self._history.drop(places)
        return self
