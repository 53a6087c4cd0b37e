"""Searches that repeat a search: from several starts, and until nothing improves."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mercer.selection.history import History, SearchEnd, Watched
from mercer.selection.optimizers.rprop import IRpropPlus

__all__ = ["Patience", "Restarts"]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class Restarts:
    """The same search from several points: criteria have several optima.

    A full metric is searched in the chart of the first start.

    Attributes
    ----------
    optimizer : object
        What searches.
    n_starts : int
        Searches: from the start, then from points drawn around it.
    spread : float
        Standard deviation of these points, in units of theta: logarithms.
    seed : int
        Of the draws.
    """

    optimizer: Any = field(default_factory=IRpropPlus)
    n_starts: int = 5
    spread: float = 1.5
    seed: int = 0

    def minimize(self, watched: Watched, theta: FloatArray) -> str:
        """Search from all starts; returns the status of the last search."""
        random, space = np.random.default_rng(self.seed), watched.objective.space
        low, high = watched.bounds.T
        status = "converged"
        for k in range(self.n_starts):
            step = self.spread * random.normal(size=len(theta)) if k else np.zeros(len(theta))
            watched.objective.space = space
            status = self.optimizer.minimize(watched, np.clip(theta + step, low, high))
        return status


@dataclass(frozen=True)
class Patience:
    """A search that ends early, when its best point stays the best.

    Attributes
    ----------
    optimizer : object
        What searches.
    n_evals : int
        Evaluations without a better one after which it ends.
    tol : float
        By which share of its size a value has to be better.
    """

    optimizer: Any = field(default_factory=IRpropPlus)
    n_evals: int = 20
    tol: float = 1e-3

    def minimize(self, watched: Watched, theta: FloatArray) -> str:
        """Search from ``theta``; returns the status."""
        given, ended = watched.budget, []

        def watch(history: History) -> bool:
            if self._waits_in_vain(watched.sign * np.asarray(history.values)):
                ended.append(True)
            return bool(ended) or bool(given.callback is not None and given.callback(history))

        watched.budget = replace(given, callback=watch)
        try:
            status: str = self.optimizer.minimize(watched, theta)
        except SearchEnd:
            if not ended:
                raise
            status = "converged"
        finally:
            watched.budget = given
        return status

    def _waits_in_vain(self, values: FloatArray) -> bool:
        """Whether the last evaluations, of values to be small, were no better than those before."""
        before, last = values[: -self.n_evals], values[-self.n_evals :]
        if not len(before):
            return False
        best = float(before.min())
        return not float(last.min()) < best - self.tol * abs(best)
