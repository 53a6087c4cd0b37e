"""Sequential minimal optimization on the general problem."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer import _core
from mercer.gram import Gram
from mercer.gram.native import Precision
from mercer.problem import Problem, Solution
from mercer.solvers.runs.certified import CertifiedRun
from mercer.solvers.runs.progress import Callback
from mercer.solvers.smo.selection import RELATED, SelectionPolicy, resolve_selection
from mercer.solvers.smo.step import STEPS, StepPolicy, resolve_step
from mercer.solvers.smo.trace import Trace

__all__ = ["NEWTON_LIMIT", "Smo", "native_options"]

Stopping = Literal["margin", "violation", "gap", "maximum-gain", "relative-change"]

_PLANNED = ("auto", "second-order", "most-violating", "greedy")  # by step="auto"
NEWTON_LIMIT = 400  # free variables up to which a joint Newton step is cheap


@dataclass(frozen=True)
class Smo:
    """Moves two variables at a time (one if it has no group), from any feasible point.

    Accepts every :class:`Problem`: any box, any groups, any ridge, any kernel. With a kernel that
    is not positive semi-definite it ends at a point without violation, which need not be optimal.

    Parameters
    ----------
    selection : str or SelectionPolicy, default="auto"
        Which pair to move. "second-order" and "most-violating" are the classic policies;
        "hybrid-maximum-gain" asks for fewer kernel rows in more iterations; "auto" is
        second order as long as the rows it needs fit into the cache, hybrid maximum gain
        after that. For study: "greedy" (the best of all pairs), "maximum-gain" (may get
        stuck), "one-row-maximum-gain", "recent-maximum-gain", "cached-maximum-gain",
        "large-maximum-gain" (more than two variables), "recall" (second order, or the pair
        before the last).
    step : str or StepPolicy, default="auto"
        How far to move it. "newton" goes to the maximum along the pair or to the box;
        "planning-ahead" also considers the next step; "auto" is planning ahead, or newton if the
        selection relies on the rows of the last pair or on larger sets; "over-relaxed" goes 10 %
        further; "momentum" adds the last displacement as a second direction, "conjugate" also
        chooses the pair accordingly; "cycle-breaking" follows the sum of the steps since a pair
        last occurred; "four-vector" also moves a pair of another group, as in both of two hulls;
        "gradient-projection" moves all free variables along their gradient, for as many kernel
        rows.
    stopping : str, default="margin"
        What the tolerance bounds: the largest KKT violation in units of the margin (1
        wherever the problem has a linear term, as for SVC and SVR; less for the nu family
        and hulls), "violation" itself, or the relative duality "gap". Two rules of the
        literature are there for study, as they may end far from the optimum: the length of the
        Newton step of "maximum-gain" (docs/theory/smo.md#stopping), and the "relative-change" of
        the dual value in one step, which is cheap to state and free of scale.
    shrinking : bool, default=True
        Whether to leave out variables that seem to stay at a bound.
    refine : bool, default=True
        Whether to finish problems with few free variables by joint Newton steps, to the
        accuracy of the arithmetic (double precision kernel values only). False gives the
        algorithms of the literature.
    trace : bool or int, default=False
        Whether to record every iteration, or every so many (see mercer.solvers.smo.Trace).

    Examples
    --------
    >>> from mercer import SVC, Smo
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]
    >>> SVC(solver=Smo(selection="most-violating", step="newton")).fit(X, y).solver_
    'smo'
    """

    selection: str | SelectionPolicy = "auto"
    step: str | StepPolicy = "auto"
    stopping: Stopping = "margin"
    shrinking: bool = True
    refine: bool = True
    trace: bool | int = False

    def __post_init__(self) -> None:
        selection, step = resolve_selection(self.selection), self.step_policy
        if self.stopping not in get_args(Stopping):
            raise ValueError(f"stopping must be one of {get_args(Stopping)}, got {self.stopping!r}")
        if not self.trace >= 0:
            raise ValueError(f"trace must be a bool or a number of iterations, got {self.trace!r}")
        if self.stopping == "maximum-gain" and selection.name not in RELATED:
            raise ValueError(
                f"stopping='maximum-gain' needs a selection by maximum gain, one of {RELATED}; "
                f"got selection={selection.name!r}"
            )
        if selection.name == "large-maximum-gain" and step.name != "newton":
            raise ValueError(
                "selection='large-maximum-gain' moves more than a pair and works with "
                f"step='newton' only, got step={step.name!r}"
            )
        if selection.name == "recall" and step.name == "planning-ahead":
            others = tuple(name for name in STEPS if name != "planning-ahead")
            raise ValueError(
                "step='planning-ahead' recalls pairs itself: use it with "
                "selection='second-order', or selection='recall' with a step of "
                f"{others}"
            )

    name = "smo"

    @property
    def step_policy(self) -> StepPolicy:
        """What ``step`` stands for."""
        if self.step != "auto":
            return resolve_step(self.step)
        plans = resolve_selection(self.selection).name in _PLANNED
        return resolve_step("planning-ahead" if plans else "newton")

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
        """Solve ``problem`` with the kernel values of ``gram``.

        Kernel values in single precision are used as far as they carry; if the
        certificate, computed in double precision, then misses the tolerance, the run
        goes on in double precision.
        """
        return _Run(
            self, problem, gram, start, tol, max_iter, max_time, callback, self.stopping
        ).solution()


@lru_cache(maxsize=32)
def native_options(smo: Smo) -> _core.SmoOptions:
    """What does not change between native runs of a solver; every run takes a copy."""
    options = _core.SmoOptions()
    resolve_selection(smo.selection).configure(options)
    smo.step_policy.configure(options)
    options.stop_by_step = smo.stopping == "maximum-gain"
    options.stop_by_change = smo.stopping == "relative-change"
    options.trace_stride = int(smo.trace)
    options.shrinking = smo.shrinking
    return options


class _Run(CertifiedRun):
    name = "smo"

    def __init__(self, smo: Smo, *args: Any) -> None:
        super().__init__(*args)
        self.smo = smo
        self.recorded = Trace()

    def native_run(
        self, precision: Precision, tolerance: float, gradient: NDArray[np.float64] | None
    ) -> _core.SmoResult:
        return _core.smo_solve(
            self.problem._native,
            self.gram.native(precision),
            self._options(precision, tolerance),
            self.coef,
            gradient,
            self.monitor(),
        )

    def _options(self, precision: Precision, tolerance: float) -> _core.SmoOptions:
        options = _core.SmoOptions(native_options(self.smo))
        options.tolerance = tolerance
        options.max_iterations = max(self.left, 0)
        options.max_seconds = self.deadline.seconds_left
        options.gradient_error = self.anchor.error  # used if a gradient is given
        if self.smo.refine and precision == "double" and self.stopping != "relative-change":
            options.newton_limit = NEWTON_LIMIT
        return options

    def record(self, result: Any) -> None:
        self.recorded.add(result)
        self.trace = self.recorded.as_mapping()
