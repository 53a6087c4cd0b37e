"""Fits of classifiers to chunks of the rows, side by side: by joblib or by an executor."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from numpy.typing import NDArray
from sklearn.base import clone

from mercer.predictions.class_values import OneClass
from mercer.predictions.given_rows import fit_machine, with_one_thread
from mercer.predictions.stacked_rows import some_rows

__all__ = ["ChunkFits", "fit_chunk"]

FloatArray = NDArray[np.float64]
IndexArray = NDArray[np.intp]
_AHEAD = 8  # chunks that are handed to an executor before the first of them has come back


@dataclass(frozen=True, eq=False)
class ChunkFits:
    """What is to be fitted to what.

    Attributes
    ----------
    machines : list of classifiers
        All of them are fitted to every chunk.
    X : rows
        All rows; those of a chunk are taken when its turn comes.
    y : ndarray of shape (n_rows,)
        Classes.
    weight : ndarray of shape (n_rows,) or None
        Weights.
    chunks : list of ndarray
        Rows of each chunk.
    """

    machines: list[Any]
    X: Any
    y: NDArray[Any]
    weight: FloatArray | None
    chunks: list[IndexArray]

    def by_joblib(self, n_jobs: int | None) -> list[Any]:
        """On threads, or on what ``joblib.parallel_config`` says."""
        has_company = effective_n_jobs(n_jobs) > 1
        jobs = (delayed(fit_chunk)(*work, has_company) for work in self._works())
        return list(Parallel(n_jobs=n_jobs, prefer="threads")(jobs))

    def by_executor(self, executor: Any) -> list[Any]:
        """On anything with ``submit``; what is still to come is cancelled where one fails."""
        waiting: deque[Any] = deque()
        done = []
        try:
            for work in self._works():
                if len(waiting) == _AHEAD:
                    done.append(waiting.popleft().result())
                waiting.append(executor.submit(fit_chunk, *work, True))
            while waiting:
                done.append(waiting.popleft().result())
        finally:
            for future in waiting:
                future.cancel()
        return done

    def _works(self) -> Iterator[tuple[Any, Any, NDArray[Any], FloatArray | None]]:
        """A machine with its rows: only these travel to another process."""
        for rows in self.chunks:
            y = self.y[rows]
            weight = None if self.weight is None else self.weight[rows]
            # where there is one class there is nothing to train on
            own = some_rows(self.X, rows) if _are_several(y) else None
            for machine in self.machines:
                yield machine, own, y, weight


def _are_several(y: NDArray[Any]) -> bool:
    return bool((y != y[0]).any())


def fit_chunk(
    machine: Any, X: Any, y: NDArray[Any], weight: FloatArray | None, has_company: bool
) -> Any:
    """A classifier trained on a chunk; beside others it has one thread."""
    if not _are_several(y):
        return OneClass(y[:1])
    own = clone(machine)
    return fit_machine(with_one_thread(own) if has_company else own, X, y, weight)
