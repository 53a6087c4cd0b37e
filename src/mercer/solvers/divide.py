"""Exact by division: cells first, then all rows from where the cells ended."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer._warning import warn
from mercer.gram import Gram
from mercer.problem import Problem, Solution
from mercer.solvers.auto import Auto
from mercer.solvers.cells import between_cells, nested_cells
from mercer.solvers.parts import most_variables, solve_parts, suits_parts
from mercer.solvers.runs.deadline import Deadline
from mercer.solvers.runs.progress import Callback, Progress, continued

__all__ = ["Divide"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]
_APART = 0.3  # kernel values between cells, of those within, above which dividing does not pay
_BATCH = 8  # cells between two calls of a callback


@dataclass(frozen=True)
class Divide:
    """Solves cells of rows first, then all rows starting from there.

    Rows are cut, level by level, into cells that are well separated in the feature space of the
    kernel; cells of the lowest level are solved exactly and in parallel, those of each further
    level start from the cells they contain, and the last problem is that of all rows (DC-SVM, Hsieh
    et al. 2014). It ends as every solver does, with a certificate over all rows: what the cells
    bring is a start, so the result does not depend on them.

    It takes problems with at most one group, of sum 0, one variable for each row and bounded
    coefficients: classifiers with the hinge, squared hinge or pinball loss, one-vs-one too, and
    machines of quantiles. Where kernel values between cells are as large as within them (small
    gamma) cells say nothing of the whole: there is a warning, and all rows are solved at
    once. "auto" never chooses it, because it was not faster on any large set:
    docs/scale.md#exact-by-division has what was measured, and why.

    Parameters
    ----------
    cell_size : int, default=2000
        Rows of the smallest cells, at most; problems of fewer rows are not divided.
    branches : int, default=8
        Cells that a cell of the next level consists of, at most.
    n_levels : int, default=1
        Levels of cells that are solved, from the smallest on.
    random_state : int, default=0
        Draws the landmarks of the cells.

    Examples
    --------
    >>> from mercer import SVC
    >>> from mercer.lab import make_chessboard
    >>> from mercer.solvers import Divide
    >>> X, y = make_chessboard(3000, random_state=0)
    >>> SVC(C=10.0, gamma=20.0, solver=Divide(cell_size=500)).fit(X, y).solver_
    'divide'
    """

    cell_size: int = 2000
    branches: int = 8
    n_levels: int = 1
    random_state: int = 0

    name = "divide"

    def __post_init__(self) -> None:
        least = {"cell_size": 2, "branches": 2, "n_levels": 1, "random_state": 0}
        for name, low in least.items():
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, Integral) or value < low:
                raise ValueError(f"{name} must be an integer of at least {low}, got {value!r}")

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
        """Solve ``problem``; a ``start`` that is given takes the place of the cells."""
        _check(problem)
        run = _Run(problem, gram, tol, max_iter, max_time, callback)
        if start is None and problem.n_variables > self.cell_size:
            start = self._start(run)
        return run.whole(start, self.name)

    def _start(self, run: _Run) -> FloatArray | None:
        """Where the cells end; None if they say nothing of the whole."""
        rng = np.random.default_rng(self.random_state)
        rows = run.problem.index
        levels = nested_cells(run.gram, rows, self.cell_size, self.branches, rng)
        run.trace["cells"] = len(levels[0])
        between = run.trace["between_cells"] = between_cells(run.gram, rows, levels[0], rng)
        if between > _APART:
            warn(
                f"dividing does not pay: kernel values between cells are {between:.2f} of those "
                "within (small gamma); all rows are solved at once, as solver='auto' does"
            )
            return None
        coef = np.zeros(run.problem.n_variables)
        for cells in levels[: self.n_levels]:
            if run.solve_cells(cells, coef):
                break
        run.trace["cell_seconds"] = time.perf_counter() - run.began
        return coef


def _check(problem: Problem) -> None:
    """Refuses what cells cannot be cut from, and says what would work."""
    if problem.n_groups > 1 or problem.group_sum.any() or not problem._native.is_zero_feasible():
        raise ValueError(
            "solver='divide' takes problems with at most one group, of sum 0, and boxes that "
            "hold 0, which machines of nu, one-class machines and hulls are not: use 'auto'"
        )
    if problem.may_be_unbounded:
        raise ValueError("solver='divide' needs a finite box or a ridge (C): use 'auto'")
    if len(np.unique(problem.index)) != problem.n_variables:
        raise ValueError(
            "solver='divide' takes one variable for each row, and regression with a tube has two: "
            "use 'auto'"
        )


class _Run:
    """One solve: what was spent so far, and what is left of the limits."""

    def __init__(
        self,
        problem: Problem,
        gram: Gram,
        tol: float,
        max_iter: int,
        max_time: float | None,
        callback: Callback | None,
    ) -> None:
        self.problem, self.gram, self.tol = problem, gram, tol
        self.max_iter, self.callback = max_iter, callback
        self.deadline = Deadline.after(max_time)
        self.began, self.evaluations = time.perf_counter(), gram.n_evaluations
        self.n_iter, self.is_over = 0, False
        self.trace: dict[str, Any] = {}

    def limits(self) -> dict[str, Any]:
        """The remaining steps and time."""
        left = self.max_iter if self.max_iter < 0 else max(self.max_iter - self.n_iter, 0)
        return {"max_iter": left, "max_time": self.deadline.seconds_left}

    def solve_cells(self, cells: list[IntArray], coef: FloatArray) -> bool:
        """Bring ``coef`` to the optimum of each cell; whether a limit has ended it."""
        most = most_variables(self.gram) if suits_parts(self.gram) else 0
        few = [cell for cell in cells if len(cell) <= most]
        for batch in self._batches(few):
            self._solve_together(batch, coef)
            if self._ends(coef):
                return True
        for cell in cells:
            if len(cell) > most:
                found = Auto().solve(
                    _part(self.problem, cell), self.gram, start=coef[cell], tol=self.tol,
                    **self.limits(),
                )  # fmt: skip
                coef[cell] = found.coef
                self.n_iter += found.n_iter
                if self._ends(coef):
                    return True
        return False

    def _batches(self, cells: list[IntArray]) -> Iterator[list[IntArray]]:
        """All cells at once, or some at a time if somebody watches."""
        step = len(cells) if self.callback is None else _BATCH
        for k in range(0, len(cells), max(step, 1)):
            yield cells[k : k + step]

    def _solve_together(self, cells: list[IntArray], coef: FloatArray) -> None:
        everything = np.concatenate(cells)
        offsets = np.concatenate([[0], np.cumsum([len(cell) for cell in cells])])
        found = solve_parts(
            _part(self.problem, everything), offsets, self.gram, tol=self.tol,
            start=coef[everything], **self.limits(),
        )  # fmt: skip
        # a point that is not the optimum of its cell is a start as well
        coef[everything] = found.solutions.coef
        self.n_iter += int(found.solutions.fields["n_iter"].sum())

    def _ends(self, coef: FloatArray) -> bool:
        limits = self.limits()
        is_spent = limits["max_iter"] == 0 or limits["max_time"] == 0.0
        if self.callback is not None:
            seconds = time.perf_counter() - self.began
            moved = int(np.count_nonzero(coef))
            progress = Progress(self.n_iter, np.inf, 0.0, moved, seconds, np.inf)
            self.is_over = bool(self.callback(progress))
        return is_spent or self.is_over

    def whole(self, start: ArrayLike | None, name: str) -> Solution:
        """All rows from the start, and the costs of the cells added."""
        spent = time.perf_counter() - self.began
        watch = continued(self.callback, iterations=self.n_iter, seconds=spent)
        if self.is_over:
            watch = _true
        found = Auto().solve(
            self.problem, self.gram, start=start, tol=self.tol, callback=watch, **self.limits()
        )
        return replace(
            found,
            solver=name,
            n_iter=found.n_iter + self.n_iter,
            n_kernel=self.gram.n_evaluations - self.evaluations,
            seconds=time.perf_counter() - self.began,
            trace={**found.trace, **self.trace},
        )


def _true(progress: Progress) -> bool:
    return True


def _part(problem: Problem, variables: IntArray) -> Problem:
    """The problem of some variables, with the same sums."""
    return Problem(
        linear=problem.linear[variables],
        lower=problem.lower[variables],
        upper=problem.upper[variables],
        index=problem.index[variables],
        ridge=problem.ridge[variables],
        group=problem.group[variables],
        group_sum=problem.group_sum,
    )
