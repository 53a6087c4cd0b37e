"""CMA-ES of the package ``cma``, for criteria without gradients (Hansen 2006)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mercer.selection.history import Watched

__all__ = ["CMA"]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class CMA:
    """Covariance matrix adaptation.

    Attributes
    ----------
    step : float
        First standard deviation, in units of theta: logarithms.
    n_generations : int or None
        Generations; None means ``100 sqrt(n)`` for n parameters.
    population : int or None
        Points of a generation; None means ``max(5, 4 + floor(3 log n))``.
    tol : float
        Values and steps that differ by less end the search.
    seed : int
        Of its draws.
    """

    step: float = 1.5
    n_generations: int | None = None
    population: int | None = None
    tol: float = 1e-3
    seed: int = 1

    def minimize(self, watched: Watched, theta: FloatArray) -> str:
        """Search from ``theta``; returns the status."""
        try:
            import cma
        except ImportError as error:
            raise ImportError(
                "the optimizer CMA needs the package cma: pip install 'mercer[tune]'"
            ) from error
        n = len(theta)
        if n == 1:
            raise ValueError("CMA needs at least two parameters, got 1: use a grid")
        low, high = watched.bounds.T
        generations = self.n_generations or int(np.ceil(100 * np.sqrt(n)))
        options = {
            "popsize": self.population or max(5, 4 + int(3 * np.log(n))),
            "maxiter": generations,
            "bounds": [[None if np.isinf(b) else float(b) for b in side] for side in (low, high)],
            "tolx": self.tol,
            "tolfun": 1e-12,
            "verbose": -9,
            "seed": self.seed,
        }
        search = cma.CMAEvolutionStrategy(np.clip(theta, low, high).tolist(), self.step, options)
        while not search.stop():
            points = search.ask()
            search.tell(points, [watched.value(np.asarray(point)) for point in points])
        if "maxiter" in search.stop():
            return "max-evals"
        return "flat" if np.ptp(watched.history.values) == 0.0 else "converged"
