"""Chunks of rows, solved on their kernel matrix in the core; products bring the rest up to date.

Decomposition in the manner of SvmFu (Rifkin 2002, section 2.4), with all variables of a row in one
step (Crammer & Singer 2001, section 6).
"""

from __future__ import annotations

import time

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer import _core
from mercer._floating import without_warnings
from mercer._memory import require_memory
from mercer.gram import Gram
from mercer.gram.native import Precision
from mercer.multiclass.certificate import assess_multiclass, expand_multiclass, row_violations
from mercer.multiclass.leaps import Leaps
from mercer.multiclass.newton import count_free, newton_step
from mercer.multiclass.problem import MulticlassProblem
from mercer.problem import Certificate, Solution
from mercer.solvers.runs.deadline import Deadline
from mercer.solvers.runs.progress import Callback, Progress, monitor

__all__ = ["solve_multiclass"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]
_CHUNK = 1024  # rows
_WHOLE = 1024  # rows of a problem that is one chunk
_POLISHED_ROWS = 200  # most of a problem whose last digits are found
_POLISHED_FREE = 400  # most of its free variables
_VAIN_ROUNDS = 5  # that do not halve the violation
_ROUNDED = 1e-13  # violation that is rounding, in margins
_GAIN = 0.1  # what single precision must leave of a violation to go on
_INNER = 0.1  # share of the largest violation that a chunk is solved to
_REPORT_SECONDS = 0.05


@without_warnings
def solve_multiclass(
    problem: MulticlassProblem,
    gram: Gram,
    *,
    start: ArrayLike | None = None,
    tol: float = 1e-3,
    max_iter: int = -1,
    max_time: float | None = None,
    callback: Callback | None = None,
) -> Solution:
    """Solve a multiclass problem.

    Parameters
    ----------
    problem : MulticlassProblem
        What to solve.
    gram : Gram
        Kernel values of its rows.
    start : array-like of shape (n_classes, n_rows), default=None
        Where to start; moved into the bounds if it is not feasible.
    tol : float, default=1e-3
        Largest KKT violation accepted.
    max_iter : int, default=-1
        Bound on the steps, each of all variables of a row; -1 means ``max(10**7, 100 * n_rows)``.
    max_time : float, default=None
        Bound on the seconds.
    callback : callable, default=None
        Called with a :class:`~mercer.solvers.Progress` about every 50 ms; a true value ends the
        run.

    Returns
    -------
    Solution
        ``coef`` are the variables, of shape (n_classes, n_rows), 0 for own classes, and
        ``gradient`` their slopes; there are no multipliers.
    """
    if not tol >= 0:
        raise ValueError(f"tol must not be negative, got {tol!r}")
    if gram.n_rows != problem.n_rows:
        raise ValueError(f"gram must have {problem.n_rows} rows, got {gram.n_rows}")
    require_memory(
        8.0 * 8.0 * problem.n_rows * problem.n_classes,
        f"a machine of {problem.n_classes} classes on {problem.n_rows} rows",
        "choose multiclass='one-vs-all', or fewer rows",
    )
    gram.check_values()
    return _Run(problem, gram, start, tol, max_iter, max_time, callback).solution()


class _Run:
    """One solve: in the precision of the Gram until its certificate holds, else in double."""

    def __init__(
        self,
        problem: MulticlassProblem,
        gram: Gram,
        start: ArrayLike | None,
        tol: float,
        max_iter: int,
        max_time: float | None,
        callback: Callback | None,
    ) -> None:
        self.problem, self.gram, self.tol, self.callback = problem, gram, tol, callback
        self.began, self.deadline = time.perf_counter(), Deadline.after(max_time)
        self.evaluations = gram.n_evaluations
        self.left = max(10**7, 100 * problem.n_rows) if max_iter < 0 else max_iter
        self.n_iter = self.n_chunks = 0
        self.alpha = problem.feasible(start)
        self.values = expand_multiclass(problem, gram, self.alpha)
        self.objective, self.worst, self.n_active = 0.0, np.inf, 0
        self.leaps = Leaps(problem, gram)
        self.present = np.flatnonzero(problem.upper > 0.0)
        self.chunk: IntArray = np.empty(0, dtype=np.intp)
        self.next_report = self.began + _REPORT_SECONDS
        self.status = "converged"

    def solution(self) -> Solution:
        """The point, its certificate and its cost."""
        precision: Precision = self.gram.precision
        tolerance = self.tol
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
        elif found.violation > self.tol:
            self.alpha, found = self.leaps.nearer(self.alpha, found)
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
        if found.is_feasible and found.is_within(self.tol):
            self.status = "converged"
            return True
        if found.violation <= self.tol and found.is_hidden(self.tol):
            self.status = "precision-limit"
        return self.status != "converged"

    def _follow(self, precision: Precision, tolerance: float) -> None:
        """Chunk after chunk until no row violates by more than ``tolerance``."""
        p = self.problem
        while self.status == "converged":
            slope = p.slopes(self.values)
            violation = row_violations(p, self.alpha, slope)
            worst = self.worst = float(violation.max(initial=0.0))
            self.n_active = int((violation > 0.0).sum())
            if not worst > tolerance or not self._may_go_on():
                return
            self.chunk = self._choose(violation, tolerance)
            if len(self.chunk) < len(self.present):
                self._solve_chunk(precision, max(0.5 * tolerance, _INNER * worst))
            else:
                self._solve_whole(precision, tolerance)

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

    def _solve_whole(self, precision: Precision, tolerance: float) -> None:
        """Steps of all rows; if many are not enough one of many rows at once follows."""
        may_step = self.gram.is_positive_definite
        self._solve_chunk(precision, tolerance, self._burst if may_step else None)
        if self.status == "max-iter" and may_step and self.left > 0:
            self.status = "converged"
            self.alpha = self.leaps.next(self.alpha, self.values, self._may_go_on)
            self.values = expand_multiclass(self.problem, self.gram, self.alpha)
            if self.leaps.is_exhausted and self._certificate().is_hidden(self.tol):
                self.status = "precision-limit"

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
        self.alpha[:, rows] = alpha.T
        if len(rows) == len(self.present):
            self.values[:, rows] = values
        else:
            self._spread(part.coefficients(alpha.T - before), precision)
        if result.status != "converged":
            self.status = result.status

    def _options(self, tolerance: float, max_steps: int | None) -> _core.MulticlassOptions:
        options = _core.MulticlassOptions()
        options.tolerance = tolerance
        options.max_steps = self.left if max_steps is None else min(self.left, max_steps)
        options.max_seconds, options.objective = self.deadline.seconds_left, self.objective
        return options

    def _spread(self, change: FloatArray, precision: Precision) -> None:
        """Add what a change of the coefficients of the chunk does to the values of all rows."""
        moved = change.any(axis=0)
        if moved.any():
            rows, weights = self.chunk[moved], change[:, moved].T
            self.values += self.gram.product(rows, weights, precision=precision).T

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
