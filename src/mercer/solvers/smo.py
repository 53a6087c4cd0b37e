"""Sequential minimal optimization on the general problem."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from mercer import _core
from mercer.gram import Gram
from mercer.native_kernel import Precision
from mercer.problem import Certificate, Problem, Solution, certify
from mercer.solvers.progress import Callback, monitor
from mercer.solvers.selection import RELATED, SelectionPolicy, resolve_selection
from mercer.solvers.start import feasible_start
from mercer.solvers.step import STEPS, StepPolicy, resolve_step
from mercer.solvers.trace import Trace

__all__ = ["Smo"]

Stopping = Literal["margin", "violation", "gap", "maximum-gain"]

_NEWTON_LIMIT = 400  # free variables up to which a joint Newton step is cheap


@dataclass(frozen=True)
class Smo:
    """Two variables at a time (without a group: one), from any feasible point.

    Accepts every :class:`Problem`: any box, any groups, any ridge, any kernel. Kernels
    that are not positive semi-definite end at a point without violation, which need not
    be the best one.

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
    step : str or StepPolicy, default="newton"
        How far to move it. "newton" goes to the maximum along the pair or to the box;
        "planning-ahead" looks at the next step, too; "over-relaxed" goes 10 % further;
        "momentum" adds the last displacement as a second direction, "conjugate" also
        chooses the pair accordingly; "cycle-breaking" follows what pairs that come back
        have done since.
    stopping : {"margin", "violation", "gap", "maximum-gain"}, default="margin"
        What the tolerance bounds: the largest KKT violation in units of the margin (1
        wherever the problem has a linear term, as for SVC and SVR; less for the nu family
        and hulls), the violation itself, the relative duality gap, or the length of a step
        of maximum gain. The last is the rule of the paper on maximum gain, for study: it
        may end far from the optimum (spec 001, 2.10).
    shrinking : bool, default=True
        Whether to leave out variables that seem to have settled at a bound.
    refine : bool, default=True
        Whether to finish problems with few free variables by joint Newton steps, to the
        accuracy of the arithmetic (double precision kernel values only). False gives the
        algorithms of the literature.
    trace : bool or int, default=False
        Whether to record every iteration, or every so many (see :class:`Trace`).
    """

    selection: str | SelectionPolicy = "auto"
    step: str | StepPolicy = "newton"
    stopping: Stopping = "margin"
    shrinking: bool = True
    refine: bool = True
    trace: bool | int = False

    def __post_init__(self) -> None:
        selection, step = resolve_selection(self.selection), resolve_step(self.step)
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
        run = _Run(self, problem, gram, start, tol, max_iter, max_time, callback)
        return run.solution()


class _Run:
    """One solve: native runs, each followed by a certificate, until it is good enough."""

    def __init__(
        self,
        smo: Smo,
        problem: Problem,
        gram: Gram,
        start: ArrayLike | None,
        tol: float,
        max_iter: int,
        max_time: float | None,
        callback: Callback | None,
    ) -> None:
        self.smo, self.problem, self.gram, self.tol = smo, problem, gram, tol
        self.began = time.perf_counter()
        self.deadline = np.inf if max_time is None else self.began + max_time
        self.evaluations = gram.n_evaluations
        self.left = max(10**7, 100 * problem.n_variables) if max_iter < 0 else max_iter
        self.callback = callback
        self.coef = feasible_start(problem, start)
        self.trace = Trace()
        self.status = "converged"

    def solution(self) -> Solution:
        precision = self.gram.precision
        # A single-precision run aims a little lower: its own rounding must fit in the rest.
        tolerance = self.tol * (0.9 if precision == "single" else 1.0)
        certificate = self._native_run(precision, tolerance, None)
        for _ in range(12):
            if self._is_over(precision, certificate):
                break
            if precision == "single":
                precision = "double"
            else:
                tolerance = 0.1 * min(tolerance, max(certificate.violation, 1e-300))
            before = certificate.violation, certificate.gap
            certificate = self._native_run(precision, tolerance, certificate)
            if (certificate.violation, certificate.gap) == before:
                self.status = "precision-limit"
        else:
            if not self._is_over(precision, certificate):
                self.status = "precision-limit"
        return self._wrap(certificate)

    def _is_over(self, precision: Precision, certificate: Certificate) -> bool:
        """Whether the last native run was the last; one that stalled may go on in double."""
        good = self._is_good(certificate)
        if self.status == "precision-limit" and (good or precision == "single"):
            self.status = "converged"
        if self.status == "stuck" and good:
            self.status = "converged"
        return good or self.status != "converged"

    def _is_good(self, certificate: Certificate) -> bool:
        if self.smo.stopping == "maximum-gain":
            return self.status == "converged"
        if self.smo.stopping == "gap" and certificate.relative_gap is not None:
            return certificate.relative_gap <= self.tol
        unit = self._unit(certificate) if self.smo.stopping == "margin" else 1.0
        return certificate.violation <= self.tol * unit

    def _unit(self, certificate: Certificate) -> float:
        """The unit of a violation, at most 1.

        Without a linear term the gradient scales with the coefficients, and a violation
        means something only next to the margin they make (spec 004, 3.4): half the
        difference of the two groups' multipliers, or the one group's own. Where the margin
        vanishes (hulls that overlap, spec 004, P5) a millionth of the largest gradient
        such coefficients can have takes its place.
        """
        if self.problem.linear.any() or self.problem.n_groups == 0:
            return 1.0
        multiplier = certificate.multiplier
        margin = abs(multiplier[0]) if len(multiplier) == 1 else np.ptp(multiplier) / 2
        largest = np.abs(self.coef).sum() * np.abs(self.gram.diagonal()).max()
        return float(min(max(margin, 1e-6 * largest), 1.0)) or 1.0

    def _native_run(
        self, precision: Precision, tolerance: float, known: Certificate | None
    ) -> Certificate:
        p = self.problem
        result = _core.smo_solve(
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
            None if known is None else known.gradient,
            monitor(self.callback),
        )
        self.status = result.status
        self.left -= result.iterations
        self.trace.add(result)
        return certify(p, self.gram, self.coef)

    def _options(self, precision: Precision, tolerance: float) -> Any:
        options = _core.SmoOptions()
        resolve_selection(self.smo.selection).configure(options)
        resolve_step(self.smo.step).configure(options)
        options.stop_by_step = self.smo.stopping == "maximum-gain"
        options.trace_stride = int(self.smo.trace)
        options.shrinking = self.smo.shrinking
        options.tolerance = tolerance
        options.max_iterations = max(self.left, 0)
        options.max_seconds = min(max(self.deadline - time.perf_counter(), 0.0), 1e300)
        if self.smo.refine and precision == "double":
            options.newton_limit = _NEWTON_LIMIT
        return options

    def _wrap(self, certificate: Certificate) -> Solution:
        return Solution(
            coef=self.coef,
            **vars(certificate),
            n_iter=self.trace.iterations,
            n_kernel=self.gram.n_evaluations - self.evaluations,
            seconds=time.perf_counter() - self.began,
            status=self.status,  # type: ignore[arg-type]
            solver=self.smo.name,
            trace=self.trace.as_mapping(),
        )
