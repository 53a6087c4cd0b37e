"""Sequential minimal optimization on the general problem."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer import _core
from mercer.gram import Gram
from mercer.native_kernel import Precision
from mercer.problem import Problem, Solution
from mercer.solvers.certified import CertifiedRun
from mercer.solvers.progress import Callback, monitor

__all__ = ["Smo"]

Selection = Literal["second-order", "most-violating"]
Step = Literal["newton"]
Stopping = Literal["violation", "gap"]

_NEWTON_LIMIT = 400  # free variables up to which a joint Newton step is cheap


@dataclass(frozen=True)
class Smo:
    """Two variables at a time (without a group: one), from any feasible point.

    Accepts every :class:`Problem`: any box, any groups, any ridge, any kernel. Kernels
    that are not positive semi-definite end at a point without violation, which need not
    be the best one.

    Parameters
    ----------
    selection : {"second-order", "most-violating"}, default="second-order"
        Which pair to move.
    step : {"newton"}, default="newton"
        How far to move it.
    stopping : {"violation", "gap"}, default="violation"
        What the tolerance bounds: the largest KKT violation, or the relative duality gap.
    shrinking : bool, default=True
        Whether to leave out variables that seem to have settled at a bound.
    refine : bool, default=True
        Whether to finish problems with few free variables by joint Newton steps, to the
        accuracy of the arithmetic (double precision kernel values only).
    """

    selection: Selection = "second-order"
    step: Step = "newton"
    stopping: Stopping = "violation"
    shrinking: bool = True
    refine: bool = True

    def __post_init__(self) -> None:
        for name, allowed in (("selection", Selection), ("step", Step), ("stopping", Stopping)):
            if getattr(self, name) not in get_args(allowed):
                raise ValueError(
                    f"{name} must be one of {get_args(allowed)}, got {getattr(self, name)!r}"
                )

    name = "smo"

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


class _Run(CertifiedRun):
    name = "smo"

    def __init__(self, smo: Smo, *args: Any) -> None:
        super().__init__(*args)
        self.smo = smo

    def native_run(
        self, precision: Precision, tolerance: float, gradient: NDArray[np.float64] | None
    ) -> Any:
        p = self.problem
        return _core.smo_solve(
            self.gram.native(precision),
            p.index,
            p.linear,
            p.lower,
            p.upper,
            p.ridge,
            p.group,
            p.n_groups,
            self._options(precision, tolerance),
            self.coef,
            gradient,
            monitor(self.callback),
        )

    def _options(self, precision: Precision, tolerance: float) -> Any:
        options = _core.SmoOptions()
        options.selection = self.smo.selection
        options.step = self.smo.step
        options.shrinking = self.smo.shrinking
        options.tolerance = tolerance
        options.max_iterations = max(self.left, 0)
        options.max_seconds = self.seconds_left()
        if self.smo.refine and precision == "double":
            options.newton_limit = _NEWTON_LIMIT
        return options
