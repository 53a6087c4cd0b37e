"""Large chunks solved in the cache: the fast trainer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer import _core
from mercer.gram import Gram
from mercer.native_kernel import Precision
from mercer.problem import Problem, Solution
from mercer.solvers.certified import CertifiedRun
from mercer.solvers.progress import Callback, monitor

__all__ = ["Chunked"]


@dataclass(frozen=True)
class Chunked:
    """About a thousand variables at a time, solved on a dense square in the cache.

    SvmFu (spec 003, 2.7-2.9) on today's hardware: kernel values are recomputed by fused
    micro-kernels rather than stored. Accepts every :class:`~mercer.Problem`.

    Parameters
    ----------
    chunk_size : int, default=1024
        Variables solved together.
    keep : float, default=0.5
        Largest share of a chunk that stays for the next one.
    shrinking : bool, default=True
        Whether to leave out variables that seem to have settled at a bound.
    """

    chunk_size: int = 1024
    keep: float = 0.5
    shrinking: bool = True

    def __post_init__(self) -> None:
        if not self.chunk_size >= 2:
            raise ValueError(f"chunk_size must be at least 2, got {self.chunk_size!r}")
        if not 0 <= self.keep < 1:
            raise ValueError(f"keep must lie in [0, 1), got {self.keep!r}")

    name = "chunked"

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
        """Solve ``problem`` with the kernel values of ``gram``."""
        return _Run(self, problem, gram, start, tol, max_iter, max_time, callback).solution()


class _Run(CertifiedRun):
    name = "chunked"

    def __init__(self, solver: Chunked, *args: Any) -> None:
        super().__init__(*args)
        self.solver = solver

    def native_run(
        self, precision: Precision, tolerance: float, gradient: NDArray[np.float64] | None
    ) -> Any:
        p = self.problem
        options = _core.ChunkedOptions()
        options.tolerance = tolerance
        options.chunk_size = min(self.solver.chunk_size, max(p.n_variables, 2))
        options.keep = int(self.solver.keep * options.chunk_size)
        options.max_iterations = max(self.left, 0)
        options.max_seconds = self.seconds_left()
        options.shrinking = self.solver.shrinking
        self.gradient = np.empty(p.n_variables)
        return _core.chunked_solve(
            self.gram.native(precision),
            p.index,
            p.linear,
            p.lower,
            p.upper,
            p.ridge,
            p.group,
            p.n_groups,
            options,
            self.coef,
            gradient,
            self.gradient,
            monitor(self.callback),
        )
