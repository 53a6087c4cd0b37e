"""Steps of many rows at once, for small problems that steps of single rows are slow on."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from mercer.gram import Gram
from mercer.multiclass.certificate import assess_multiclass, certify_multiclass
from mercer.multiclass.interior import interior_points
from mercer.multiclass.newton import count_free, newton_step
from mercer.multiclass.problem import MulticlassProblem
from mercer.problem import Certificate

__all__ = ["Leaps"]

FloatArray = NDArray[np.float64]
_NEWTON_FREE = 1000  # most free variables of a Newton step
_NEWTON_ROUNDS = 5  # at least, before the central path is followed
_PATH_VARIABLES = 2000  # most of a problem whose central path is followed


class Leaps:
    """Newton steps and, when these took as long as that, once the end of the central path."""

    def __init__(self, problem: MulticlassProblem, gram: Gram) -> None:
        self.problem, self.gram = problem, gram
        n, n_others = int((problem.upper > 0.0).sum()), problem.n_classes - 1
        self.has_path = n * n_others <= _PATH_VARIABLES
        # 35 factors of n n_others variables for each 20 n steps of rows, 25 times as slow
        self.path_round = max(_NEWTON_ROUNDS, round(0.012 * n * n_others**3 / problem.n_classes))
        self.n_rounds = 0
        self.end: tuple[FloatArray, Certificate] | None = None

    @property
    def is_exhausted(self) -> bool:
        """Whether no more is to be expected than there was."""
        return self.n_rounds >= 4 * self.path_round

    def next(
        self, alpha: FloatArray, values: FloatArray, may_go_on: Callable[[], bool]
    ) -> FloatArray:
        """The point after the next one."""
        self.n_rounds += 1
        if self.has_path and self.n_rounds == self.path_round:
            return self._along_path(alpha, values, may_go_on)
        if count_free(self.problem, alpha) > _NEWTON_FREE:
            return alpha
        return newton_step(self.problem, self.gram, alpha, self.problem.slopes(values))

    def _along_path(
        self, alpha: FloatArray, values: FloatArray, may_go_on: Callable[[], bool]
    ) -> FloatArray:
        """The best point near the solution, or this one if it is better."""
        p, gram = self.problem, self.gram
        best, objective = alpha, assess_multiclass(p, gram, alpha, values).objective
        for point in interior_points(p, gram, may_go_on):
            found = certify_multiclass(p, gram, point)
            if found.objective > objective:
                best, objective = point, found.objective
                self.end = point.copy(), found
        return best

    def nearer(self, alpha: FloatArray, found: Certificate) -> tuple[FloatArray, Certificate]:
        """The end of the central path if its gap is smaller, else this point.

        Where rounding hides slopes, steps that gain little may lose all of the primal.
        """
        if self.end is None or self.end[1].gap is None or found.gap is None:
            return alpha, found
        return self.end if self.end[1].gap < found.gap else (alpha, found)
