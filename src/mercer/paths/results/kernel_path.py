"""Support vector classifiers for every width of the Gaussian kernel, as an object."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer.gram import Gram
from mercer.gram.native import count_rows
from mercer.kernels import Gaussian
from mercer.paths.inputs.kernel_values import KernelValues
from mercer.paths.inputs.numbers import plain, real
from mercer.paths.inputs.training_rows import TrainingRows, read_labels, read_weight
from mercer.paths.results.certified import certify_machine
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
        Share of held-out rows that are predicted right, or what ``scoring`` says, the mean
        over the splits; NaN where ``max_time`` came first, None without ``cv``.
    gap : float
        Bound of the relative duality gap at every gamma from the first to the last.
    status : str
        "gamma_max", or why it ended early: "max-events", "max-time", "callback",
        "precision-limit" (rounding allows no such accuracy). A first solution that was
        not finished is kept: its own ``status`` and certificate say what it is.
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
    training: TrainingRows

    def __repr__(self) -> str:
        low, high = self.gamma[0], self.gamma[-1]
        return (
            f"<KernelPath of {count_rows(self.rows)} rows: {len(self.gamma)} solutions from "
            f"gamma={low:.4g} to {high:.4g}, gap at most {self.gap:.2g}, {self.status}>"
        )

    def _mean(self, gamma: float) -> tuple[int, float]:
        """The solution on the left of a gamma and the share of the one on its right."""
        low, high = self.gamma[0], self.gamma[-1]
        given, gamma = gamma, real("gamma", gamma)
        if not low * (1 - 1e-12) <= gamma <= high * (1 + 1e-12):
            raise ValueError(f"gamma must lie in [{low:.6g}, {high:.6g}], got {plain(given)}")
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
        return self._decide(self.training.check(X), gamma)

    def _decide(self, X: Any, gamma: float) -> FloatArray:
        coef, intercept = self.coef(gamma), self.intercept(gamma)
        values = KernelValues(Gaussian(float(gamma)), self.rows, self.training)
        return np.asarray(values.expand(X, coef[:, None])[:, 0] + intercept)

    def predict(self, X: Any, gamma: float) -> NDArray[Any]:
        """Class of each row at ``gamma``."""
        return np.asarray(self.classes[(self.decision_function(X, gamma) > 0).astype(np.intp)])

    def score(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> FloatArray:
        """Share of the rows that each of the solutions predicts right."""
        X = self.training.check(X)
        positive = read_labels(y, self.classes, count_rows(X)) == 1
        weight = read_weight(sample_weight, len(positive))
        right = [(self._decide(X, gamma) > 0) == positive for gamma in self.gamma]
        return np.asarray(np.array(right) @ weight / weight.sum())

    def plot(self, *, axes: Any = None) -> Any:
        """Support vectors and, if there are any, scores against gamma.

        Parameters
        ----------
        axes : matplotlib axes or sequence of them, default=None
            Where to draw; a new figure if None.

        Returns
        -------
        ndarray of matplotlib axes
        """
        from mercer.paths.results.plot_results import plot_kernel_path

        return plot_kernel_path(self, axes)


def between(problem: Problem, left: FloatArray, right: FloatArray, share: float) -> FloatArray:
    """A point of the chord; what does not move stays what it is, to the last digit."""
    return np.clip(left + share * (right - left), problem.lower, problem.upper)
