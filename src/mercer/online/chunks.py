"""Large chunks of a stream, each learned as a whole: kept examples and chunk in one problem."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.gram import Gram
from mercer.gram.native import take_rows
from mercer.online.call_watch import CallWatch
from mercer.online.finishing import Finished, finished
from mercer.online.kept_rows import Ids, stacked
from mercer.online.stream import State, Stream
from mercer.online.uninterrupted import uninterrupted
from mercer.solvers.chunked import Chunked
from mercer.solvers.runs.deadline import Deadline
from mercer.solvers.runs.progress import Callback, Progress
from mercer.solvers.runs.selective_certificate import KnownGradient, product_error

__all__ = ["ChunkLearner"]

FloatArray = NDArray[np.float64]
# Rows of one problem next to the kept ones; more are taken in parts.
MOST_ROWS = 10_000
_SEEDS = 5  # examples that stay while a function waits for its other class
# Share of the tolerance that errors of gradients may take which are followed from chunk to chunk.
_MOST_ERROR = 0.5


@dataclass
class ChunkLearner:
    """Takes in examples many at a time (docs/theory/online.md#a-chunk-at-a-time).

    Attributes
    ----------
    stream : Stream
        Where the examples go.
    make_gram : callable
        Kernel values of rows, which have weights.
    tol : float
        KKT violation up to which a problem is solved.
    slack : float
        How far from the margin an example without a coefficient may lie to be kept.
    deadline : Deadline
        When to end.
    watch : CallWatch
        Knows whether the call is to end.
    callback : callable or None
        Called with a :class:`Progress`; a true value ends it.
    """

    stream: Stream
    make_gram: Callable[[Any, FloatArray], Gram]
    tol: float
    slack: float
    deadline: Deadline
    watch: CallWatch
    callback: Callback | None
    is_converged: bool = True

    def take(self, X: Any, order: NDArray[np.intp], ids: Ids, terms: FloatArray) -> None:
        """Take in the examples ``order`` of ``X``; ``stream.n_taken`` counts them."""
        stream = self.stream
        stream.n_taken = 0
        while stream.n_taken < len(order) and self.is_converged:
            if self.deadline.is_over or self.watch.is_over:
                break
            some = order[stream.n_taken : stream.n_taken + MOST_ROWS]
            self._take_part(take_rows(X, some), ids[some], terms[some])

    def _take_part(self, X: Any, ids: Ids, terms: FloatArray) -> None:
        state = self.stream.state()
        n_kept, n_new = len(state["ids"]), len(ids)
        fresh = np.flatnonzero(~np.isin(ids, state["ids"]))  # of a later epoch: some are kept
        if len(fresh) < n_new:
            X, ids, terms = take_rows(X, fresh), ids[fresh], terms[fresh]
        rows = stacked([self.stream.rows(), X]) if n_kept else X
        ids, terms = np.concatenate([state["ids"], ids]), np.concatenate([state["terms"], terms])
        beta = np.zeros((len(ids), state["beta"].shape[1]))
        beta[:n_kept] = state["beta"]
        gram = self.make_gram(rows, np.ones(len(ids)))
        found = finished(
            gram,
            terms,
            beta,
            n_functions=self.stream.rules.n_functions,
            solver=Chunked(),
            tol=self.tol,
            deadline=self.deadline,
            callback=self._counting(self.stream.n_taken),
            known=self._known(gram, state, terms),
        )
        kept = self._wanted(found, terms)
        has_error = gram.shift is None
        after = {
            "slots": np.arange(len(kept)),
            "ids": ids[kept],
            "terms": terms[kept],
            "beta": found.beta[kept],
            "gradient": found.gradient[kept],
            "gradient_error": found.gradient_error if has_error else None,
            "n_merged": state["n_merged"],
        }
        # an interrupt before this leaves the stream as it was before the part
        with uninterrupted():
            self.stream.begin(after, take_rows(rows, kept))
            self.stream.n_taken += n_new
            self.is_converged = all(s.status == "converged" for s in found.solutions)

    def _counting(self, n_taken: int) -> Callback | None:
        """The callback, with counts of examples instead of the steps of a solver."""
        callback = self.callback
        if callback is None:
            return None

        def watch(progress: Progress) -> object:
            return callback(replace(progress, iteration=n_taken))

        return watch

    def _known(self, gram: Gram, state: State, terms: FloatArray) -> list[KnownGradient] | None:
        """Gradients at the start: those of kept examples are there, others take a product."""
        errors, n_kept = state["gradient_error"], len(state["ids"])
        is_good = errors is not None and gram.shift is None
        if not n_kept or not is_good or not errors.max() <= _MOST_ERROR * self.tol:
            return None
        rules = self.stream.rules
        # said in full: a later epoch may bring no new row
        n_functions, n_variables = rules.n_functions, rules.variables_per_row
        coef = state["beta"].reshape(n_kept, n_functions, n_variables).sum(axis=2)
        support = np.flatnonzero(coef.any(axis=1))
        new = np.arange(n_kept, len(terms))
        values = gram.product(support, coef[support], rows=new)
        linear = terms[n_kept:, ::3].reshape(len(new), n_functions, n_variables)
        there = state["gradient"].reshape(n_kept, n_functions, n_variables)
        gradient = np.concatenate([there, linear - values[:, :, None]])
        return [
            KnownGradient(
                np.ascontiguousarray(gradient[:, f].T).ravel(),
                max(float(errors[f]), product_error(gram.precision, coef[:, f])),
            )
            for f in range(n_functions)
        ]

    def _wanted(self, found: Finished, terms: FloatArray) -> NDArray[np.intp]:
        """Examples with a coefficient, or so near to the margin that they may get one soon."""
        n, n_functions = len(terms), self.stream.rules.n_functions
        parts = terms.reshape(n, n_functions, -1, 3)
        lower, upper = parts[..., 1], parts[..., 2]
        beta, gradient = (x.reshape(lower.shape) for x in (found.beta, found.gradient))
        slope = gradient - found.intercept[:, None]
        is_near = (beta < upper) & (slope > -self.slack) | (beta > lower) & (slope < self.slack)
        is_paired = np.asarray((upper > 0.0).any(axis=(0, 2)) & (lower < 0.0).any(axis=(0, 2)))
        is_wanted = (is_near & is_paired[:, None] | (beta != 0.0)).any(axis=(1, 2))
        if not is_paired.all():
            is_wanted[:_SEEDS] = True
        return np.flatnonzero(is_wanted)
