"""Runs that end with a certificate: native work, checked in double precision, until it holds."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer import _core
from mercer.gram import Gram
from mercer.gram.native import Precision
from mercer.problem import Certificate, Problem, Solution, certify
from mercer.problem.certificate import assess, definiteness_at, rounding_error
from mercer.solvers.runs.deadline import Deadline
from mercer.solvers.runs.margin import largest_diagonal, violation_scale
from mercer.solvers.runs.progress import Callback, monitor
from mercer.solvers.runs.selective_certificate import Anchor, KnownGradient, selective_certificate
from mercer.solvers.runs.start import are_sums_worth, feasible_start

__all__ = ["CertifiedRun"]


# What a run in single precision must leave of a violation for another one to follow.
_GAIN = 0.1
# Times the tolerance: where slopes err by more, runs in double precision do not end by themselves.
_FAR = 100.0
_SHORT = 10_000  # steps of such runs
# Relative, of an objective.
_ROUNDING = 1e-6


class CertifiedRun(ABC):
    """One solve: single precision as far as it carries, then double.

    Rounding in single precision grows with the way from the point whose gradient is known: a
    second run, from the gradient of the certificate, goes on where the first one had to end. A run
    whose rounding may be as large as its objective ends, and double precision goes on. Of the
    points between runs the best is kept: no result is worse than its start.

    Parameters are those of :func:`mercer.solvers.solve`; ``stopping`` says what ``tol``
    bounds.
    """

    name: str
    # A single-precision run aims a little lower: its own rounding must fit in the rest.
    single_share = 0.9
    single_only = False

    def __init__(
        self,
        problem: Problem,
        gram: Gram,
        start: ArrayLike | None,
        tol: float,
        max_iter: int,
        max_time: float | None,
        callback: Callback | None,
        stopping: str = "margin",
        start_gradient: KnownGradient | None = None,
    ) -> None:
        self.problem, self.gram, self.tol, self.stopping = problem, gram, tol, stopping
        self.began = time.perf_counter()
        self.deadline = Deadline.after(max_time)
        self.evaluations = gram.n_evaluations
        self.left = max(10**7, 100 * problem.n_variables) if max_iter < 0 else max_iter
        self.callback = callback
        self.coef = feasible_start(problem, start)
        is_kept = start is not None and np.array_equal(self.coef, start)
        self.start_gradient = start_gradient if is_kept else None
        self.start = self.coef.copy()
        self.best: tuple[NDArray[np.float64], Certificate] | None = None
        self.drifted = self.is_short = False
        self.anchor = Anchor()
        self.gradient: NDArray[np.float64] | None = None
        self.trace: dict[str, Any] = {"iterations": 0}
        self.status = "converged"
        self._good: Certificate | None = None  # the last one that was found to be

    @abstractmethod
    def native_run(
        self, precision: Precision, tolerance: float, gradient: NDArray[np.float64] | None
    ) -> Any:
        """Moves ``coef`` until the violation is within ``tolerance``; returns the result.

        May leave the gradient of the point, in the precision of the run, in ``gradient``.
        """

    def monitor(self) -> Callable[..., bool] | None:
        """The callback as the core calls it, with the steps and the time of all native runs."""
        if self.callback is None:
            return None
        return monitor(self.callback, self.trace["iterations"], self.began)

    def record(self, result: Any) -> None:
        """Adds what a native run counted to the trace."""
        for name, value in result.counters.items():
            self.trace[name] = self.trace.get(name, 0) + value

    def solution(self) -> Solution:
        """The point, its certificate and its cost."""
        precision = self.first_precision()
        tolerance = self.tol * (self.single_share if precision == "single" else 1.0)
        certificate = self._run(precision, tolerance, self.start_gradient)
        carries = not self.drifted
        for _ in range(12):
            if self._is_over(precision, certificate):
                break
            tolerance = min(tolerance, self.tol * self._violation_scale(certificate))
            if precision == "double" or certificate.violation <= tolerance:
                tolerance = 0.1 * min(tolerance, max(certificate.violation, 1e-300))
                carries = False
            precision = "single" if carries and precision == "single" else "double"
            if precision == "double" and self.single_only:
                self.status = "precision-limit"
                break
            before = certificate
            certificate = self._run(precision, tolerance, before)
            carries = not self.drifted and certificate.violation <= _GAIN * before.violation
            same = (certificate.violation, certificate.gap) == (before.violation, before.gap)
            if same and self.status in ("converged", "precision-limit"):
                self.status, self.drifted = "precision-limit", False
        else:
            if not self._is_over(precision, certificate):
                self.status = "precision-limit"
        return self._wrap(certificate)

    def first_precision(self) -> Precision:
        """Along a flat direction without end rounding decides: that needs all digits."""
        if self.gram.precision == "double":
            return "double"
        return "double" if self.problem.may_be_unbounded else "single"

    def _is_over(self, precision: Precision, certificate: Certificate) -> bool:
        """Whether the last native run was the last; one that stalled may go on in double.

        One that drifted may go on from a gradient that is exact again.
        """
        good = self._is_good(certificate)
        if self.status == "precision-limit" and (precision == "single" or self.drifted):
            self.status = "converged"
        # whatever ended the run: what was asked for is there
        if good and self.status != "unbounded":
            self.status = "converged"
        if not good and self.status == "converged":
            aim = self.tol * self._violation_scale(certificate)
            if certificate.violation <= aim and certificate.is_hidden(aim):
                # small enough, and no other would be known to be
                self.status = "precision-limit"
            elif precision == "double":
                self._limit_noise(aim, certificate)
        return good or self.status != "converged"

    def _limit_noise(self, aim: float, certificate: Certificate) -> None:
        """Let the next run be short if its slopes err by more than what it is to remove.

        Where that is far more than is asked for, such a run would not end by itself.
        """
        noise = 2.0 * rounding_error(self.problem, self.gram, self.coef)
        if _FAR * aim < noise < np.inf and certificate.violation <= noise:
            self.left = min(self.left, max(_SHORT, 50 * self.problem.n_variables))
            self.is_short = True

    def _run(
        self, precision: Precision, tolerance: float, known: KnownGradient | Certificate | None
    ) -> Certificate:
        """A native run from a point whose gradient may be known."""
        if known is not None:
            self.anchor = Anchor(self.coef.copy(), known.error, known.corrections)
        result = self.native_run(precision, tolerance, None if known is None else known.gradient)
        self.status, self.drifted = result.status, result.drifted
        if self.status == "unbounded" and not self.problem.may_be_unbounded:
            # rounding has hidden the curvature of the ridge
            self.status = "precision-limit"
        if self.is_short and self.status == "max-iter":
            self.status = "precision-limit"
        self.left -= result.iterations
        self.record(result)
        is_start = known is None and result.iterations == 0
        if self.drifted or is_start or result.status == "callback" or result.violation == np.inf:
            # gradients that drifted, or were not computed or brought up to date, say nothing; a
            # start that was optimal is certified as well as it was before
            self.gradient = None
        if self.gram.shift is not None:
            self.problem._native.restore_sums(self.coef)
        found = self.certificate(precision)
        if are_sums_worth(self.problem, self.coef, found):
            self.problem._native.restore_sums(self.coef)
            found = certify(self.problem, self.gram, self.coef)
        return self._better(self._with_digits(found))

    def _with_digits(self, found: Certificate) -> Certificate:
        """The certificate or, if rounding matters to it, one with twice the digits if there is."""
        accuracy = _core.ACCURATE * self.tol
        if (
            found.rounding <= accuracy * self._violation_scale(found)
            or self.gram.features() is None
        ):
            return found
        return certify(
            self.problem, self.gram, self.coef, accuracy=accuracy * self._violation_scale(found)
        )

    def _better(self, found: Certificate) -> Certificate:
        """The certificate of the point found or, if that was better, of the best one before.

        Rounding lets the objective fall a little where the violation does, too.
        """
        if self._is_good(found):
            return found
        if self.best is None:
            self.best = (self.start, self._start_certificate())
        coef, best = self.best
        fall = best.objective - found.objective
        allowed = _ROUNDING * abs(best.objective) if found.violation < best.violation else 0.0
        if fall <= allowed:
            self.best = (self.coef.copy(), found)
            return found
        self.coef[:] = coef
        return best

    def _start_certificate(self) -> Certificate:
        known, p = self.start_gradient, self.problem
        if known is None:
            return certify(p, self.gram, self.start)
        values = p.linear - p.ridge * self.start - known.gradient
        found = assess(p, self.start, values, definiteness_at(p, self.gram, self.start))
        rounding = rounding_error(p, self.gram, self.start)
        error = max(known.error, rounding)
        return replace(found, error=error, rounding=rounding, corrections=known.corrections)

    def certificate(self, precision: Precision) -> Certificate:
        """That of the point a run in ``precision`` came to."""
        if self.gradient is None:
            return certify(self.problem, self.gram, self.coef)
        return selective_certificate(
            self.problem, self.gram, self.coef, self.gradient, self.anchor, precision
        )

    def _is_good(self, certificate: Certificate) -> bool:
        if certificate is self._good:
            return True
        if not certificate.is_feasible:
            return False
        if self.stopping in ("maximum-gain", "relative-change"):
            return self.status == "converged"
        if self.stopping == "gap" and certificate.gap is not None:
            return self._gap_error(certificate) <= self.tol * self._size(certificate)
        if not certificate.is_within(self.tol * self._violation_scale(certificate)):
            return False
        self._good = certificate
        return True

    def _gap_error(self, certificate: Certificate) -> float:
        """What the gap may be: as for the objective, rounding counts once for each coefficient."""
        assert certificate.gap is not None
        if certificate.rounding == np.inf:
            return certificate.gap
        return max(certificate.gap, certificate.rounding * float(np.abs(self.coef).sum()))

    def _violation_scale(self, certificate: Certificate) -> float:
        """The scale of a violation: the margin, if that is what stopping goes by."""
        if self.stopping != "margin" or self.problem.linear_size > 0.0:
            return 1.0
        return violation_scale(self.problem, self.gram, self.coef, certificate)

    def _size(self, certificate: Certificate) -> float:
        """The scale of a gap: the larger of both values.

        Where hulls overlap the optimum is 0, and a millionth of what the coefficients could
        make of the kernel takes its place (docs/theory/problem.md#hulls-that-overlap).
        """
        size = max(abs(certificate.objective), abs(certificate.primal or 0.0))
        if self.problem.linear.any():
            return size
        largest = np.abs(self.coef).sum() ** 2 * largest_diagonal(self.problem, self.gram)
        return float(max(size, _core.VANISHING * largest))

    def _wrap(self, certificate: Certificate) -> Solution:
        return Solution(
            coef=self.coef,
            **vars(certificate),
            n_iter=self.trace["iterations"],
            n_kernel=self.gram.n_evaluations - self.evaluations,
            seconds=time.perf_counter() - self.began,
            status=self.status,  # type: ignore[arg-type]
            solver=self.name,
            trace=self.trace,
        )
