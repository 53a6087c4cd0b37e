"""Steps of many rows at once, for problems that steps of single rows are slow on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer.gram import Gram
from mercer.lowrank.incomplete_cholesky import incomplete_cholesky
from mercer.multiclass.certificate import certify_multiclass
from mercer.multiclass.interior import interior_points
from mercer.multiclass.newton import count_free, newton_step
from mercer.multiclass.problem import MulticlassProblem
from mercer.problem import Certificate

__all__ = ["BlockSteps"]

FloatArray = NDArray[np.float64]
_NEWTON_FREE = 1000  # most free variables of a Newton step
_NEWTON_ROUNDS = 5  # at least, before the central path is followed
_PATH_VARIABLES = 2000  # most of a problem whose central path is followed by a matrix of them
_PATH_SYSTEM = 1500  # most classes times rank of one that is followed by its weights
_PATH_PRODUCTS = 2e9  # most multiplications of a step of that
_RANK_ROUNDS = 2  # of other steps before the rank is found out


class BlockSteps:
    """Newton steps and, when these took as long as that, once the end of the central path."""

    def __init__(self, problem: MulticlassProblem, gram: Gram) -> None:
        self.problem, self.gram = problem, gram
        n, n_others = int((problem.upper > 0.0).sum()), problem.n_classes - 1
        self.is_small = n * n_others <= _PATH_VARIABLES
        # 35 factors of n n_others variables for each 20 n steps of rows, 25 times as slow
        self.path_round = max(_NEWTON_ROUNDS, round(0.012 * n * n_others**3 / problem.n_classes))
        self.path_steps = np.inf
        self.n_rounds = 0
        self.factor: FloatArray | None = None
        self.end: tuple[FloatArray, Certificate] | None = None

    @property
    def is_exhausted(self) -> bool:
        """Whether no more is to be expected than there was."""
        return self.is_small and self.n_rounds >= 4 * self.path_round

    def next(
        self, alpha: FloatArray, slope: FloatArray, n_steps: int, may_go_on: Callable[[], bool]
    ) -> FloatArray:
        """The point after the next one; ``n_steps`` of rows were made so far."""
        self.n_rounds += 1
        if self._is_path_due(n_steps):
            return self._along_path(alpha, slope, may_go_on)
        if count_free(self.problem, alpha) > _NEWTON_FREE:
            return alpha
        return newton_step(self.problem, self.gram, alpha, slope)

    def _is_path_due(self, n_steps: int) -> bool:
        if self.is_small:
            return self.n_rounds == self.path_round
        if self.n_rounds == _RANK_ROUNDS:
            self._find_factor()
        if n_steps < self.path_steps:
            return False
        self.path_steps = np.inf
        return True

    def _along_path(
        self, alpha: FloatArray, slope: FloatArray, may_go_on: Callable[[], bool]
    ) -> FloatArray:
        """The best point near the solution, or this one if it is better."""
        p, gram = self.problem, self.gram
        best = alpha
        objective = 0.5 * p.scale * float(p.margin * alpha.sum() + (alpha * slope).sum())
        for point in interior_points(p, gram, may_go_on, self.factor):
            found = certify_multiclass(p, gram, point)
            if found.objective > objective:
                best, objective = point, found.objective
                self.end = point.copy(), found
        return best

    def _find_factor(self) -> None:
        """F with K = F F' and orthogonal columns, if it has few: linear kernels of few features.

        The path takes some 35 steps; half their multiplications are done in other steps first.
        """
        n_classes, n = self.problem.n_classes, self.problem.n_rows
        most = min(_PATH_SYSTEM // n_classes, int(np.sqrt(_PATH_PRODUCTS / n) / n_classes))
        if not 0 < most < n:
            return
        found = incomplete_cholesky(_Doubles(self.gram), most)
        rank = len(found.pivots)
        if found.residual.any() or not rank:
            return
        left, sizes, _ = np.linalg.svd(found.factor, full_matrices=False)
        self.factor = left * sizes
        products = n * (n_classes * rank) ** 2 + (n_classes * rank) ** 3 / 3
        self.path_steps = 0.5 * 35 * products / (2 * n_classes * min(n, 1024))

    def nearer(self, alpha: FloatArray, found: Certificate) -> tuple[FloatArray, Certificate]:
        """The end of the central path if its gap is smaller, else this point.

        Where rounding hides slopes, steps that gain little may lose all of the primal.
        """
        if self.end is None or self.end[1].gap is None or found.gap is None:
            return alpha, found
        return self.end if self.end[1].gap < found.gap else (alpha, found)


class _Doubles:
    """The kernel values of a Gram in double precision: rounding has a rank, too."""

    def __init__(self, gram: Gram) -> None:
        self.gram, self.n_rows = gram, gram.n_rows

    def diagonal(self) -> FloatArray:
        return self.gram.diagonal(precision="double")

    def block(self, rows: ArrayLike, columns: ArrayLike) -> NDArray[Any]:
        return self.gram.block(rows, columns, precision="double")
