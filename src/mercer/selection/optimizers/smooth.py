"""L-BFGS-B of SciPy, for criteria without noise (Byrd et al. 1995)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from mercer.selection.history import Watched

__all__ = ["LBFGS"]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class LBFGS:
    """Quasi-Newton steps within the range of the parameters.

    A full metric is searched in the chart of its start.

    Attributes
    ----------
    n_iterations : int
        Most iterations; each takes one evaluation or a few.
    tol : float
        Largest entry of the projected gradient at the end, and relative change of the value.
    """

    n_iterations: int = 100
    tol: float = 1e-5

    def minimize(self, watched: Watched, theta: FloatArray) -> str:
        """Search from ``theta``; returns the status."""
        options = {"maxiter": self.n_iterations, "gtol": self.tol, "ftol": self.tol**2}
        scale = watched.objective.task.target_scale

        def scaled(point: FloatArray) -> tuple[float, FloatArray]:
            # squared errors have the unit of the targets, the limits have none
            value, gradient = watched.gradient(point)
            return value / scale**2, gradient / scale**2

        found = minimize(
            scaled,
            theta,
            jac=True,
            bounds=watched.bounds,
            method="L-BFGS-B",
            options=options,
        )
        if not np.abs(watched.first_gradient).any():
            return "flat"
        return "converged" if found.success else "max-evals"
