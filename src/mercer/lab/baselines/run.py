"""What the baselines share: limits, reports, counters and the certificate at the end."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer.gram import Gram
from mercer.lab.baselines.baseline import Baseline
from mercer.problem import Problem, Solution, Status, certify
from mercer.solvers.runs.progress import Callback, Progress
from mercer.solvers.runs.start import feasible_start
from mercer.solvers.smo.trace import POINT

__all__ = ["BaselineRun", "check_one_group", "check_trace"]

FloatArray = NDArray[np.float64]

_POLL_SECONDS = 0.05


def check_one_group(name: str, problem: Problem) -> None:
    """Refuse problems without exactly one group that holds every variable."""
    if problem.n_groups == 1 and (problem.group == 0).all():
        return
    got = f"{problem.n_groups} groups" if problem.n_groups != 1 else "variables outside the group"
    raise ValueError(
        f"solver={name!r} takes problems with one group that holds every variable (a machine "
        f"with one bias), got {got}; the solvers 'smo' and 'chunked' take any groups"
    )


def check_trace(trace: bool | int) -> None:
    """Refuse what is no stride."""
    if not trace >= 0:
        raise ValueError(f"trace must be a bool or a number of iterations, got {trace!r}")


class BaselineRun(ABC):
    """One solve in double precision, step by step.

    Parameters are those of :func:`mercer.solvers.solve`, after the solver that starts the run.
    A subclass keeps ``objective`` and ``violation`` up to date.
    """

    def __init__(
        self,
        solver: Baseline,
        problem: Problem,
        gram: Gram,
        *,
        start: ArrayLike | None,
        tol: float,
        max_iter: int,
        max_time: float | None,
        callback: Callback | None,
    ) -> None:
        check_one_group(solver.name, problem)
        self.solver, self.problem, self.gram, self.tol = solver, problem, gram, tol
        self.began = time.perf_counter()
        self.deadline = np.inf if max_time is None else self.began + max_time
        self.limit = max(10**7, 100 * problem.n_variables) if max_iter < 0 else max_iter
        self.callback, self.next_poll = callback, self.began
        self.kernel = gram.native("double")
        self._before = gram.n_evaluations, self.kernel.n_misses, self.kernel.n_hits
        self.coef = feasible_start(problem, start)
        self.iterations, self.status = 0, "converged"
        self.missed = "precision-limit"  # the status if the certificate disagrees
        self.stride, self.points = int(solver.trace), []  # type: int, list[tuple[Any, ...]]
        self.violation = np.inf
        gradient = problem.linear - problem.ridge * self.coef - self.values_at(slice(None))
        self.objective = 0.5 * float(self.coef @ (problem.linear + gradient))
        self.prepare(gradient)

    @abstractmethod
    def prepare(self, gradient: FloatArray) -> None:
        """Take what is needed of the gradient at the start."""

    @abstractmethod
    def step(self) -> bool:
        """One iteration; false if there is none left to take, for the reason in ``status``."""

    def solution(self) -> Solution:
        """Iterate, then certify."""
        while self.may_go_on() and self.step():
            pass
        certificate = certify(self.problem, self.gram, self.coef)
        self.violation, self.objective = certificate.violation, certificate.objective
        self.record(gap=np.inf if certificate.gap is None else certificate.gap, is_last=True)
        if self.status == "converged" and not certificate.is_within(self.tol):
            self.status = self.missed
        evaluations, misses, hits = self._before
        trace: dict[str, Any] = {
            "iterations": self.iterations,
            "rows_computed": self.kernel.n_misses - misses,
            "rows_hit": self.kernel.n_hits - hits,
        }
        if self.stride:
            trace["points"] = np.array(self.points, dtype=POINT)
        status: Status = self.status  # type: ignore[assignment]
        return Solution(
            coef=self.coef,
            **vars(certificate),
            n_iter=self.iterations,
            n_kernel=self.gram.n_evaluations - evaluations,
            seconds=time.perf_counter() - self.began,
            status=status,
            solver=self.solver.name,
            trace=trace,
        )

    def may_go_on(self) -> bool:
        """Look at the clock; now and then report and ask."""
        now = time.perf_counter()
        if now > self.deadline:
            self.status = "max-time"
        elif self.callback is not None and now >= self.next_poll:
            self.next_poll = now + _POLL_SECONDS
            progress = Progress(
                self.iterations,
                self.violation,
                self.objective,
                self.problem.n_variables,
                now - self.began,
            )
            if self.callback(progress):
                self.status = "callback"
        return self.status == "converged"

    def may_step(self) -> bool:
        """Whether the limit leaves room for one more iteration."""
        if self.iterations >= self.limit:
            self.status = "max-iter"
        return self.status == "converged"

    def seconds_left(self) -> float:
        """Time until the deadline."""
        return max(self.deadline - time.perf_counter(), 0.0)

    def values_at(self, variables: Any) -> FloatArray:
        """(K coef) of some variables, from the nonzero coefficients."""
        index = self.problem.index
        support = np.flatnonzero(self.coef)
        rows = np.ascontiguousarray(index[variables])
        if not len(support):
            return np.zeros(len(rows))
        weights = self.coef[support][:, None]
        values: FloatArray = self.kernel.product(index[support], weights, rows)[0]
        return values

    def record(
        self, pair: tuple[int, int] = (-1, -1), *, gap: float = np.inf, is_last: bool = False
    ) -> None:
        """Add the state before a step to the trace."""
        if not self.stride or (self.iterations % self.stride and not is_last):
            return
        seconds = time.perf_counter() - self.began
        state = (self.iterations, seconds, self.violation, self.objective, gap)
        rows = self.kernel.n_misses - self._before[1]
        self.points.append((*state, *pair, np.nan, np.nan, "", False, rows))
