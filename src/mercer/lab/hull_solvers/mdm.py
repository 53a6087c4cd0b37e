"""The algorithm of Mitchell, Demyanov and Malozemov, and what makes it faster."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from numpy.typing import ArrayLike

from mercer.gram import Gram
from mercer.lab.hull_solvers.family import Begin, check_begin, check_hulls, first_point
from mercer.problem import Problem, Solution
from mercer.solvers.runs.progress import Callback
from mercer.solvers.smo.solver import Smo

__all__ = ["Mdm"]

Step = Literal["plain", "momentum", "cycle-breaking", "four-vector", "gradient-projection"]
Stopping = Literal["margin", "violation", "gap", "relative-change"]

_SELECTION = {1: "most-violating", 2: "second-order"}
_STEPS = {
    "plain": "newton",
    **{name: name for name in ("momentum", "cycle-breaking", "four-vector", "gradient-projection")},
}


@dataclass(frozen=True)
class Mdm:
    """Coefficient moves from the worst row of a hull to the best one, and so on.

    Mitchell et al. 1974 for one hull, Lopez Lazaro 2011, algorithm 8, for two of them that may be
    reduced. Each step is one of SMO with the most violating pair
    (docs/theory/hulls.md#mdm-is-smo). Accepts problems about points of hulls.

    Parameters
    ----------
    order : {1, 2}, default=1
        Whether the pair is the one that violates most, or one of most gain.
    step : str, default="plain"
        How far to go: "plain" to the maximum between both rows or to the end of a bound;
        "momentum" with the last displacement as a second direction, "cycle-breaking" along what
        pairs that come back have done since, "four-vector" in both hulls at once,
        "gradient-projection" with all coefficients that are at no bound (Rosen 1960).
    begin : {"auto", "barycentres", "sparse"}, default="auto"
        Where to start: the mean of each hull's rows, which takes all kernel values once, or as
        few rows as have the sum; "auto" is the first up to 5,000 variables.
    stopping : {"margin", "violation", "gap", "relative-change"}, default="margin"
        What the tolerance bounds, as for :class:`~mercer.Smo`.
    trace : bool or int, default=False
        Whether to record every iteration, or every so many.

    Examples
    --------
    >>> from mercer.hull import nearest_points
    >>> from mercer.lab import Mdm
    >>> nearest_points([[0, 0], [0, 2]], [[3, 1], [4, 0]], solver=Mdm(step="momentum")).status
    'converged'
    """

    order: Literal[1, 2] = 1
    step: Step = "plain"
    begin: Begin = "auto"
    stopping: Stopping = "margin"
    trace: bool | int = False

    name = "mdm"

    def __post_init__(self) -> None:
        if self.order not in _SELECTION:
            raise ValueError(f"order must be 1 or 2, got {self.order!r}")
        if self.step not in _STEPS:
            raise ValueError(f"step must be one of {tuple(_STEPS)}, got {self.step!r}")
        check_begin(self.begin)
        self.as_smo()

    def as_smo(self) -> Smo:
        """The same steps as policies of SMO."""
        return Smo(
            selection=_SELECTION[self.order],
            step=_STEPS[self.step],
            stopping=self.stopping,
            shrinking=False,
            refine=False,
            trace=self.trace,
        )

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
        found = self.as_smo().solve(
            problem,
            gram,
            start=first_point(problem, start, self.begin),
            tol=tol,
            max_iter=max_iter,
            max_time=max_time,
            callback=callback,
        )
        return replace(found, solver=self.name)
