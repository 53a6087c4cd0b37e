"""The algorithms of Gilbert and of Schlesinger and Kozinec: towards extreme points."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer import _core
from mercer.gram import Gram
from mercer.gram.native import Precision
from mercer.lab.hull_solvers.family import Begin, check_begin, check_hulls, first_point
from mercer.problem import Problem, Solution
from mercer.solvers.runs.certified import CertifiedRun
from mercer.solvers.runs.margin import largest_diagonal
from mercer.solvers.runs.progress import Callback

__all__ = ["POINT", "Gilbert", "Gsk"]

Stopping = Literal["gap", "relative-change"]
POINT = np.dtype([("iteration", "i8"), ("seconds", "f8"), ("objective", "f8"), ("gap", "f8")])
_NO_MARGIN = 1e-6  # of what the coefficients could make of the kernel, in place of an optimum of 0


@dataclass(frozen=True)
class _TowardsVertices:
    """Points of hulls that move towards extreme points of these."""

    begin: Begin = "auto"
    stopping: Stopping = "gap"
    trace: bool | int = False

    name: ClassVar[str]
    _is_joint: ClassVar[bool]

    def __post_init__(self) -> None:
        check_begin(self.begin)
        if self.stopping not in ("gap", "relative-change"):
            raise ValueError(f"stopping must be 'gap' or 'relative-change', got {self.stopping!r}")
        if not self.trace >= 0:
            raise ValueError(f"trace must be a bool or a number of iterations, got {self.trace!r}")

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
        """Solve ``problem``; see :func:`mercer.solve`."""
        check_hulls(self.name, problem)
        first = first_point(problem, start, self.begin)
        run = _Run(self, problem, gram, first, tol, max_iter, max_time, callback, self.stopping)
        return run.solution()


@dataclass(frozen=True)
class Gsk(_TowardsVertices):
    """The point of one hull at a time moves towards an extreme point of it.

    Franc & Hlavac 2003; for reduced hulls Lopez Lazaro 2011, section 4.2.3.1. Coefficients never
    become 0: the gap closes slowly, and the KKT violation stays. Every step asks for as many
    kernel rows as an extreme point has members, 1/mu of them. Accepts problems about points of
    hulls.

    Parameters
    ----------
    begin : {"auto", "barycentres", "sparse"}, default="auto"
        Where to start: the mean of each hull's rows, which takes all kernel values once, or as
        few rows as have the sum; "auto" is the first up to 5,000 variables.
    stopping : {"gap", "relative-change"}, default="gap"
        What the tolerance bounds: the duality gap relative to the larger of both values, or the
        relative change of the dual value in one step, which proves nothing.
    trace : bool or int, default=False
        Whether to record every iteration, or every so many.

    Examples
    --------
    >>> from mercer.hull import nearest_points
    >>> from mercer.lab import Gsk
    >>> nearest_points([[0, 0], [0, 2]], [[3, 1], [4, 0]], solver=Gsk()).status
    'converged'
    """

    name = "gsk"
    _is_joint = False


@dataclass(frozen=True)
class Gilbert(_TowardsVertices):
    """The points of all hulls move together towards extreme points (Gilbert 1966).

    For one hull the same as :class:`Gsk`; for two this is Gilbert's algorithm on the differences
    of their points. Accepts problems about points of hulls.

    Parameters
    ----------
    begin, stopping, trace
        As for :class:`Gsk`.

    Examples
    --------
    >>> from mercer.hull import nearest_points
    >>> from mercer.lab import Gilbert
    >>> nearest_points([[0, 0], [0, 2]], [[3, 1], [4, 0]], solver=Gilbert()).status
    'converged'
    """

    name = "gilbert"
    _is_joint = True


class _Run(CertifiedRun):
    def __init__(self, solver: _TowardsVertices, *args: Any) -> None:
        super().__init__(*args)
        self.solver, self.name = solver, solver.name
        self.points: list[tuple[float, ...]] = []

    def native_run(
        self, precision: Precision, tolerance: float, gradient: NDArray[np.float64] | None
    ) -> _core.FrankWolfeResult:
        options = _core.FrankWolfeOptions()
        options.joint = self.solver._is_joint
        options.tolerance = tolerance
        options.least_size = self._least_size()
        options.stop_by_change = self.stopping == "relative-change"
        options.max_iterations = max(self.left, 0)
        options.max_seconds = self.deadline.seconds_left
        options.trace_stride = int(self.solver.trace)
        gram: Any = self.gram.native(precision)
        return _core.frank_wolfe(self.problem._native, gram, options, self.coef, self.monitor())

    def _least_size(self) -> float:
        """What takes the place of the optimum where that is 0."""
        if self.problem.linear.any():
            return 0.0
        largest = largest_diagonal(self.problem, self.gram)
        return _NO_MARGIN * float(np.abs(self.problem.group_sum).sum()) ** 2 * largest

    def record(self, result: Any) -> None:
        before = self.trace["iterations"]
        self.points += [(before + i, *rest) for i, *rest in result.trace]
        super().record(result)
        if self.solver.trace:
            self.trace["points"] = np.array(self.points, dtype=POINT)
