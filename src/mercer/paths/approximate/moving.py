"""A solution that moves from one C to the next (Sentelle 2014, algorithm 4)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mercer.gram import Gram
from mercer.problem import Problem
from mercer.problem.family import Family
from mercer.solvers import Basis
from mercer.solvers.runs.progress import Callback

__all__ = ["MovingSolution"]

FloatArray = NDArray[np.float64]


class MovingSolution:
    """Solutions at one C after the other, each from the one before.

    Parameters
    ----------
    problem : Problem
        The problem at C = 1.
    gram : Gram
        Kernel values.
    C : float
        Where to begin.
    coef : ndarray of shape (n_variables,) or None
        A point in the box at C = 1 to begin with; None for zero.
    tol : float, default=0.0
        Largest violation; 0 means to the accuracy of the arithmetic.
    """

    def __init__(
        self, problem: Problem, gram: Gram, C: float, coef: FloatArray | None, tol: float = 0.0
    ) -> None:
        self.family, self.C, self.tol = Family(problem), C, tol
        self.basis = Basis(self.family.at(C), gram, None if coef is None else C * coef)

    def to(self, C: float, *, max_time: float = np.inf, callback: Callback | None = None) -> str:
        """Move to ``C`` and solve; how that ended. No certificate is computed."""
        if C != self.C:
            self.basis.rescale(self.family.at(C), C / self.C)
            self.C = C
        return self.basis.improve(tol=self.tol, max_time=max_time, callback=callback)
