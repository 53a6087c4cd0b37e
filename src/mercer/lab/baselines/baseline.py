"""The one way into every baseline."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from mercer.gram import Gram
from mercer.problem import Problem, Solution
from mercer.solvers.runs.progress import Callback

if TYPE_CHECKING:
    from mercer.lab.baselines.run import BaselineRun

__all__ = ["Baseline"]


class Baseline(ABC):
    """A solver for study: a description, and a run that follows it step by step."""

    name: str
    trace: bool | int

    @abstractmethod
    def _run(self, problem: Problem, gram: Gram, **limits: Any) -> BaselineRun:
        """A run on one problem."""

    def solve(
        self,
        problem: Problem,
        gram: Gram,
        *,
        start: ArrayLike | None = None,
        tol: float = 1e-3,
        max_iter: int = -1,
        max_time: float | None = None,
        callback: Callback | None = None,
    ) -> Solution:
        """Solve ``problem`` until no violation exceeds ``tol``; see :func:`mercer.solve`."""
        return self._run(
            problem,
            gram,
            start=start,
            tol=tol,
            max_iter=max_iter,
            max_time=max_time,
            callback=callback,
        ).solution()
