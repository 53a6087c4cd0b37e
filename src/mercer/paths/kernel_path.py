"""Support vector classifiers for every width of the Gaussian kernel, as an object."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer.gram import Expansion, Gram
from mercer.kernels import Gaussian
from mercer.native_kernel import take_rows
from mercer.paths.certified import certify_machine
from mercer.problem import Certificate, Problem, Solution

__all__ = ["KernelPath", "between"]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class KernelPath:
    """Machines for every gamma between the first and the last, made by :func:`kernel_path`.

    Attributes
    ----------
    gamma : ndarray of shape (n_solutions,)
        Where the solutions are, ascending.
    C : float
        The price of the loss.
    solutions : tuple of Solution
        The solution at each gamma, with its certificate.
    scores : ndarray of shape (n_solutions,) or None
        Share of held-out rows that are predicted right; None without ``cv``.
    gap : float
        Bound of the relative duality gap at every gamma from the first to the last.
    status : str
        "gamma_max", or "max-time" if it ended early.
    classes : ndarray of shape (2,)
        The labels.
    """

    gamma: FloatArray
    C: float
    solutions: tuple[Solution, ...]
    scores: FloatArray | None
    gap: float
    status: str
    classes: NDArray[Any]
    problem: Problem
    rows: Any

    def _mean(self, gamma: float) -> tuple[int, float]:
        """The solution on the left of a gamma and the share of the one on its right."""
        low, high = self.gamma[0], self.gamma[-1]
        if not low * (1 - 1e-12) <= gamma <= high * (1 + 1e-12):
            raise ValueError(f"gamma must lie in [{low:.6g}, {high:.6g}], got {gamma}")
        k = int(np.clip(np.searchsorted(self.gamma, gamma, "right") - 1, 0, len(self.gamma) - 1))
        if k == len(self.gamma) - 1:
            return k, 0.0
        width = np.log(self.gamma[k + 1] / self.gamma[k])
        return k, float(np.clip(np.log(gamma / self.gamma[k]) / width, 0.0, 1.0))

    def coef(self, gamma: float) -> FloatArray:
        """Coefficient of each row at ``gamma``."""
        k, share = self._mean(gamma)
        right = self.solutions[min(k + 1, len(self.solutions) - 1)]
        return between(self.problem, self.solutions[k].coef, right.coef, share)

    def intercept(self, gamma: float) -> float:
        """The bias at ``gamma``."""
        k, share = self._mean(gamma)
        right = self.solutions[min(k + 1, len(self.solutions) - 1)]
        left = self.solutions[k].multiplier[0]
        return float(left + share * (right.multiplier[0] - left))

    def certificate(self, gamma: float) -> Certificate:
        """How good the machine at ``gamma`` is, computed afresh."""
        gram = Gram(Gaussian(float(gamma)), self.rows, precision="double")
        return certify_machine(self.problem, gram, self.coef(gamma), self.intercept(gamma))

    def decision_function(self, X: Any, gamma: float) -> FloatArray:
        """Values of the machine at ``gamma``; positive means ``classes[1]``."""
        coef = self.coef(gamma)
        used = np.flatnonzero(coef)
        kernel = Gaussian(float(gamma))
        expansion = Expansion(kernel, take_rows(self.rows, used), coef[used, None])
        return np.asarray(expansion.evaluate(X)[0][:, 0] + self.intercept(gamma))

    def predict(self, X: Any, gamma: float) -> NDArray[Any]:
        """Class of each row at ``gamma``."""
        return np.asarray(self.classes[(self.decision_function(X, gamma) > 0).astype(np.intp)])

    def score(self, X: Any, y: ArrayLike) -> FloatArray:
        """Share of the rows that each of the solutions predicts right."""
        labels = np.asarray(y)
        return np.array([(self.predict(X, gamma) == labels).mean() for gamma in self.gamma])


def between(problem: Problem, left: FloatArray, right: FloatArray, share: float) -> FloatArray:
    """A point of the chord; what does not move stays what it is, to the last digit."""
    return np.clip(left + share * (right - left), problem.lower, problem.upper)
