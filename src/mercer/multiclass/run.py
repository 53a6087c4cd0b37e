"""Chunks of rows, solved on their kernel matrix in the core; products bring the rest up to date.

Decomposition in the manner of SvmFu (Rifkin 2002, section 2.4), with all variables of a row in one
step (Crammer & Singer 2001, section 6).
"""

from __future__ import annotations

import time

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer import _core
from mercer.gram import Gram
from mercer.gram.native import Precision
from mercer.multiclass.block_steps import BlockSteps
from mercer.multiclass.certificate import assess_multiclass, expand_multiclass, row_violations
from mercer.multiclass.class_steps import class_steps
from mercer.multiclass.newton import count_free, newton_step
from mercer.multiclass.pace import Pace
from mercer.multiclass.problem import MulticlassProblem
from mercer.multiclass.spread import spread
from mercer.multiclass.stopping import Target
from mercer.problem import Certificate, Solution
from mercer.solvers.runs.deadline import Deadline
from mercer.solvers.runs.progress import Callback, Progress, continued, monitor
from mercer.solvers.solving import solve

__all__ = ["Run"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]
_CHUNK = 1024  # rows
_WHOLE = 1024  # rows of a problem that is one chunk
_POLISHED_ROWS = 200  # most of a problem whose last digits are found
_POLISHED_FREE = 400  # most of its free variables
_VAIN_ROUNDS = 5  # that do not halve the violation
_ROUNDED = 1e-13  # violation that is rounding, in margins
_GAIN = 0.1  # what single precision must leave of a violation to go on
_DEEPER = 0.3  # of a violation that leaves too large a gap
_INNER = 0.1  # share of the largest violation that a chunk is solved to
_CLASS_INNER = 0.5  # and of its own that a class step is solved to
_BURST = 20  # steps of each row of a chunk before others have their turn
_REPORT_SECONDS = 0.05


class Run:
    """One solve: in the precision of the Gram until its certificate holds, else in double."""

    def __init__(
        self,
        problem: MulticlassProblem,
        gram: Gram,
        start: ArrayLike | None,
        target: Target,
        max_iter: int,
        max_time: float | None,
        callback: Callback | None,
    ) -> None:
        self.problem, self.gram, self.target, self.callback = problem, gram, target, callback
        self.began, self.deadline = time.perf_counter(), Deadline.after(max_time)
        self.evaluations = gram.n_evaluations
        self.left = max(10**7, 100 * problem.n_rows) if max_iter < 0 else max_iter
        self.n_iter = self.n_chunks = 0
        self.alpha = problem.feasible(start)
        self.values = expand_multiclass(problem, gram, self.alpha)
        self.objective, self.worst, self.n_active = 0.0, np.inf, 0
        self.block_steps = BlockSteps(problem, gram)
        self.present = np.flatnonzero(problem.upper > 0.0)
        self.chunk: IntArray = np.empty(0, dtype=np.intp)
        self.next_report = self.began + _REPORT_SECONDS
        self.pace = Pace(len(self.present), self.block_steps.is_small)
        self.status = "converged"

    def solution(self) -> Solution:
        """The point, its certificate and its cost."""
        precision: Precision = self.gram.precision
        tolerance = self.target.first_violation(self.problem)
        found = self._certificate()
        for _ in range(12):
            if self._is_over(found):
                break
            before, self.status = found.violation, "converged"
            # rounding in single precision must fit in the rest
            self._follow(precision, 0.9 * tolerance if precision == "single" else tolerance)
            self.values = expand_multiclass(self.problem, self.gram, self.alpha)
            found = self._certificate()
            if precision == "double":
                tolerance = 0.1 * min(tolerance, found.violation)
            elif self.status == "precision-limit":
                precision, self.status = "double", "converged"
            elif found.violation > _GAIN * before:
                precision = "double"
        else:
            if not self._is_over(found):
                self.status = "precision-limit"
        if self.status == "converged" and self._is_polish_cheap():
            found = self._polished(found)
        elif not self.target.accepts(found):
            self.alpha, found = self.block_steps.nearer(self.alpha, found)
        return self._wrap(found)

    def _is_polish_cheap(self) -> bool:
        is_small = len(self.present) <= _POLISHED_ROWS and self.gram.is_positive_definite
        return is_small and count_free(self.problem, self.alpha) <= _POLISHED_FREE

    def _polished(self, found: Certificate) -> Certificate:
        """Newton steps, and steps of rows for what they leave, until rounding is all there is."""
        best, n_vain = (self.alpha.copy(), found), 0
        self.chunk = self.present
        while n_vain < _VAIN_ROUNDS and found.violation > _ROUNDED * self.problem.margin:
            if self.left <= 0 or self.deadline.is_over:
                break
            self.alpha = newton_step(self.problem, self.gram, self.alpha, found.gradient)
            self.values = expand_multiclass(self.problem, self.gram, self.alpha)
            found = self._certificate()
            self._solve_chunk("double", 0.5 * found.violation, self._burst)
            self.values = expand_multiclass(self.problem, self.gram, self.alpha)
            found = self._certificate()
            n_vain += 1
            if found.violation < 0.5 * best[1].violation:
                best, n_vain = (self.alpha.copy(), found), 0
        self.alpha, self.status = best[0], "converged"
        return best[1]

    @property
    def _burst(self) -> int:
        """Steps of the rows of a whole problem between Newton steps."""
        return max(20 * len(self.present), 1000)

    def _certificate(self) -> Certificate:
        found = assess_multiclass(self.problem, self.gram, self.alpha, self.values)
        self.objective = found.objective
        return found

    def _is_over(self, found: Certificate) -> bool:
        """Whether the certificate holds, or nothing more can be done."""
        if self.target.accepts(found):
            self.status = "converged"
            return True
        if self.target.is_hidden(found, self.alpha):
            self.status = "precision-limit"
        return self.status != "converged"

    def _follow(self, precision: Precision, tolerance: float) -> None:
        """Chunk after chunk until no row violates by more than ``tolerance``, and the gap holds."""
        p = self.problem
        while self.status == "converged":
            slope = p.slopes(self.values)
            violation = row_violations(p, self.alpha, slope)
            worst = self.worst = float(violation.max(initial=0.0))
            self.n_active = int((violation > 0.0).sum())
            if not worst > tolerance:
                if not worst > 0.0 or self._has_gap(slope):
                    return
                tolerance = _DEEPER * worst
            if not self._may_go_on():
                return
            self.chunk = self._choose(violation, tolerance)
            self._step(precision, tolerance)

    def _has_gap(self, slope: FloatArray) -> bool:
        is_bound = self.gram.definiteness != "refuted"
        return not is_bound or self.target.is_gap_small(self.problem, self.alpha, slope)

    def _may_go_on(self) -> bool:
        """Whether no limit is reached; what callbacks hear of between chunks."""
        now = time.perf_counter()
        if self.left <= 0:
            self.status = "max-iter"
        elif self.deadline.is_over:
            self.status = "max-time"
        elif self.callback is not None and now > self.next_report:
            self.next_report = now + _REPORT_SECONDS
            seconds = now - self.began
            report = Progress(self.n_iter, self.worst, self.objective, self.n_active, seconds)
            self.status = "callback" if self.callback(report) else self.status
        return self.status == "converged"

    def _choose(self, violation: FloatArray, tolerance: float) -> IntArray:
        """The rows of the next chunk, ascending: the worst, and free ones of the last chunk.

        These take up to half of it: moving others alone would undo what they were given.
        """
        if len(self.present) <= _WHOLE:
            return self.present
        wrong = np.flatnonzero(violation > tolerance)
        wrong = wrong[np.argsort(-violation[wrong], kind="stable")]
        last = self.alpha[:, self.chunk]
        is_free = ((last > 0.0) & (last < self.problem.upper[self.chunk])).any(axis=0)
        free = self.chunk[is_free]
        free = free[np.argsort(-violation[free], kind="stable")]
        rows = np.concatenate([wrong[: _CHUNK // 2], free, wrong[_CHUNK // 2 :]])
        first = np.sort(np.unique(rows, return_index=True)[1])
        return np.sort(rows[first[:_CHUNK]])

    def _step(self, precision: Precision, tolerance: float) -> None:
        """Steps of the rows of a chunk; if many are not enough steps of all rows follow."""
        is_whole = len(self.chunk) == len(self.present)
        inner = tolerance if is_whole else max(0.5 * tolerance, _INNER * self.worst)
        may_step = self.gram.is_positive_definite
        self._solve_chunk(precision, inner, _BURST * len(self.chunk) if may_step else None)
        if self.status == "max-iter" and may_step and self.left > 0:
            self.status = "converged"
        if may_step and self.status == "converged" and self.pace.is_due:
            self._block_step(precision, tolerance)

    def _block_step(self, precision: Precision, tolerance: float) -> None:
        """Steps of all rows: of the functions of classes, of free variables, or to the end."""
        steps, objective = self.n_iter, self.objective
        if not self.block_steps.is_small:
            self._step_classes(precision, tolerance)
        self.pace.end_turn(self.n_iter - steps, self.objective - objective)
        if not self._may_go_on():
            return
        before, slope = self.alpha, self.problem.slopes(self.values)
        self.alpha = self.block_steps.next(before, slope, self.n_iter, self._may_go_on)
        if self.alpha is before:
            return
        self.values = expand_multiclass(self.problem, self.gram, self.alpha)
        if self.block_steps.is_exhausted and self._certificate().is_hidden(self.target.tol):
            self.status = "precision-limit"

    def _step_classes(self, precision: Precision, tolerance: float) -> None:
        """A round of steps in the functions of one or two classes."""
        p = self.problem
        for step in class_steps(p, self.alpha, self.values, tolerance):
            worst = step.violation
            if worst <= tolerance:
                continue
            if not self._may_go_on():
                return
            found = solve(
                step.two_class_problem(),
                self.gram,
                tol=max(0.5 * tolerance, _CLASS_INNER * worst),
                max_iter=self.left,
                max_time=self.deadline.seconds_left,
                callback=self._watch(),
            )
            self.n_iter += found.n_iter
            self.left -= found.n_iter
            self.objective += p.scale * found.objective / step.curvature
            t = step.amounts(found.coef)
            step.move(self.alpha, t)
            moved = np.flatnonzero(t)
            if len(moved):
                step.spread(self.values, self.gram.product(moved, t[moved], precision=precision))
            if found.status == "callback":
                self.status = "callback"

    def _watch(self) -> Callback | None:
        seconds = time.perf_counter() - self.began
        return continued(
            self.callback, iterations=self.n_iter, seconds=seconds, objective=self.objective
        )

    def _solve_chunk(
        self, precision: Precision, tolerance: float, max_steps: int | None = None
    ) -> None:
        rows = self.chunk
        part = self.problem.on_rows(rows)
        before = self.alpha[:, rows]
        alpha = before.T.copy(order="C")
        values = np.ascontiguousarray(self.values[:, rows])
        result = _core.multiclass_solve(
            part.loss,
            self._options(tolerance, max_steps),
            self.gram.block(rows, rows, precision=precision).astype(np.float64, copy=False),
            part.labels,
            part.upper,
            alpha,
            values,
            monitor(self.callback, self.n_iter, self.began),
        )
        self.n_iter += result.steps
        self.left -= result.steps
        self.n_chunks += 1
        self.objective += part.scale * result.gain
        self.pace.add_rows(result.steps, part.scale * result.gain)
        self.alpha[:, rows] = alpha.T
        if len(rows) == len(self.present):
            self.values[:, rows] = values
        else:
            spread(self.gram, rows, part.coefficients(alpha.T - before), self.values, precision)
        if result.status != "converged":
            self.status = result.status

    def _options(self, tolerance: float, max_steps: int | None) -> _core.MulticlassOptions:
        options = _core.MulticlassOptions()
        options.tolerance = tolerance
        options.max_steps = self.left if max_steps is None else min(self.left, max_steps)
        options.max_seconds, options.objective = self.deadline.seconds_left, self.objective
        return options

    def _wrap(self, found: Certificate) -> Solution:
        return Solution(
            coef=self.alpha,
            **vars(found),
            n_iter=self.n_iter,
            n_kernel=self.gram.n_evaluations - self.evaluations,
            seconds=time.perf_counter() - self.began,
            status=self.status,  # type: ignore[arg-type]
            solver="chunked",
            trace={"chunks": self.n_chunks},
        )
