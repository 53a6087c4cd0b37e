"""Support vector classifiers on a grid of C and gamma, each from its neighbour."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer._floating import without_warnings
from mercer.formulations import svc
from mercer.gram import Gram
from mercer.paths.approximate.moving import MovingSolution
from mercer.paths.inputs.data import KernelChoice, read_inputs
from mercer.paths.inputs.limits import Limits, PathCallback, PathProgress, check_callback
from mercer.paths.inputs.numbers import plain, positive_vector, real
from mercer.paths.inputs.training_rows import check_bounds
from mercer.paths.results.grid import Grid
from mercer.paths.validation.held_out import held_out_scores
from mercer.paths.validation.scoring import Scoring
from mercer.paths.validation.splits import read_splits
from mercer.problem import Certificate, Problem, Solution, certify_expansion
from mercer.solvers import solve
from mercer.solvers.runs.deadline import Deadline

__all__ = ["svc_grid"]

FloatArray = NDArray[np.float64]


@without_warnings
def svc_grid(
    X: Any,
    y: ArrayLike,
    *,
    Cs: ArrayLike,
    gammas: ArrayLike | None = None,
    kernel: Any = "rbf",
    degree: int = 3,
    coef0: float = 0.0,
    cv: Any = None,
    groups: ArrayLike | None = None,
    scoring: Any = None,
    class_weight: Any = None,
    sample_weight: ArrayLike | None = None,
    tol: float = 1e-3,
    cache_size: float = 100.0,
    n_threads: int | None = None,
    max_time: float | None = None,
    callback: PathCallback | None = None,
    verbose: bool | int = False,
) -> Grid:
    """Support vector classifiers for all pairs of C and gamma (Sentelle 2014, chapter 7).

    For each gamma C goes up: the free rows of one solution are those the next one begins
    with. The first one begins with the coefficients it had for the gamma before.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_rows, n_features)
        Training rows; for ``kernel="precomputed"`` the kernel matrix.
    y : array-like of shape (n_rows,)
        Labels of two classes.
    Cs : array-like of shape (n_C,)
        Prices, positive; sorted.
    gammas : array-like of shape (n_gamma,), default=None
        Widths of a kernel given by name; None for one gamma, "scale", or a kernel without.
    kernel, degree, coef0
        As in :class:`SVC`; the kernel must be positive semi-definite.
    cv : int, cross-validation generator or iterable, default=None
        How ``scores`` are found: on held-out rows of machines trained on exactly the rows that
        a split says. All splits share the kernel values of a gamma; "scale" is resolved once,
        on all rows.
    groups : array-like of shape (n_rows,), default=None
        Groups of rows, handed to ``cv``.
    scoring : str or callable, default=None
        What ``scores`` are, as in scikit-learn; None for the share of right predictions.
    class_weight : dict or "balanced", default=None
        As in :class:`SVC`; "balanced" means the training rows of each split.
    sample_weight : array-like of shape (n_rows,), default=None
        Weights, of rows and of their scores.
    tol : float, default=1e-3
        Largest KKT violation.
    cache_size : float, default=100.0
        Memory for kernel rows that are not free, in MB.
    n_threads : int, default=None
        Threads; None means ``OMP_NUM_THREADS`` or all CPUs.
    max_time : float, default=None
        Seconds after which the grid is returned as far as it is filled.
    callback : callable, default=None
        Called with a :class:`PathProgress` after each solution, whose events are the solutions
        so far; a true value ends the grid, which is returned as far as it is filled.
    verbose : bool, default=False
        Whether to show the progress.

    Returns
    -------
    Grid

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from mercer import svc_grid
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X = (X - X.mean(0)) / X.std(0)
    >>> grid = svc_grid(X, y, Cs=[0.1, 1, 10], gammas=[0.01, 0.1], cv=5)
    >>> grid.scores.shape
    (2, 3)
    """
    deadline = Deadline.after(max_time)
    costs = positive_vector("Cs", Cs)
    widths = ["scale"] if gammas is None else positive_vector("gammas", gammas).tolist()
    if not 0 <= real("tol", tol) < np.inf:
        raise ValueError(f"tol must not be negative, and finite, got {plain(tol)!r}")
    if isinstance(X, Gram):
        raise TypeError("X must be rows, got a Gram: each gamma has kernel values of its own")
    inputs = read_inputs(X, y, sample_weight, kernel, class_weight)
    weight = inputs.full_weight()
    check_bounds("Cs", float(costs[-1]), weight)
    problem = svc(inputs.sign, 1.0, weight).problem
    splits = read_splits(cv, inputs, groups)
    measure = None if scoring is None else Scoring.read(scoring)
    choices = [
        KernelChoice(kernel, degree, gamma, coef0, None, cache_size, n_threads) for gamma in widths
    ]
    sources = [choice.values(X, inputs.rows, inputs.weight, inputs.training) for choice in choices]
    solutions = np.full((len(choices), len(costs)), None, dtype=object)
    scores = np.full(solutions.shape, np.nan)
    asked = Limits(deadline=deadline, callback=check_callback(callback))
    with asked.shown(verbose) as limits:
        watch = _Watch(limits)
        for i, values in enumerate(sources):
            if watch.is_over:
                break
            begin = solutions[i - 1, 0].coef / costs[0] if i and solutions[i - 1, 0] else None
            for j, solution in enumerate(_column(problem, values.gram, costs, begin, tol, watch)):
                solutions[i, j] = solution
            if splits and not watch.is_over:
                scores[i] = held_out_scores(
                    inputs, values.gram, costs, splits, tol, deadline, measure
                )
            values.forget()
    is_full = all(solution is not None for solution in solutions.flat)
    is_full = is_full and not (splits and np.isnan(scores).any())
    return Grid(
        gamma=np.array([getattr(v.kernel, "gamma", np.nan) for v in sources], dtype=np.float64),
        C=costs,
        solutions=solutions,
        scores=scores if splits else None,
        status="complete" if is_full else watch.status or "max-time",
        classes=inputs.classes,
        kernel_values=tuple(sources),
    )


class _Watch:
    """The clock and the callback of a grid, which is called with each solution."""

    def __init__(self, limits: Limits) -> None:
        self.limits, self.began, self.n_solutions, self.status = limits, time.perf_counter(), 0, ""

    @property
    def is_over(self) -> bool:
        """Whether the grid has to end."""
        return bool(self.status) or self.limits.deadline.is_over

    def tell(self, C: float, n_free: int) -> bool:
        """Report one more solution; whether the callback wants to end."""
        self.n_solutions += 1
        seconds = time.perf_counter() - self.began
        report = self.limits.callback
        if report is not None and report(PathProgress(self.n_solutions, C, n_free, seconds)):
            self.status = "callback"
        return bool(self.status)


def _column(
    problem: Problem,
    gram: Gram,
    costs: FloatArray,
    begin: FloatArray | None,
    tol: float,
    watch: _Watch,
) -> list[Solution]:
    """The solutions of one kernel for ascending C, as many as there is time for.

    Their certificates need every kernel value of a support vector once, for all C together.
    """
    moving = MovingSolution(problem, gram, float(costs[0]), begin, tol)
    points: list[tuple[Problem, FloatArray]] = []
    marks = [(time.perf_counter(), gram.n_evaluations, 0)]
    for C in costs:
        left = watch.limits.deadline.seconds_left
        status = moving.to(C, max_time=left, callback=watch.limits.watch(float(C)))
        if status in ("max-time", "callback"):
            watch.status = status
            break
        points.append((moving.basis.problem, moving.basis.coef))
        marks.append((time.perf_counter(), gram.n_evaluations, moving.basis.n_iterations))
        if watch.tell(float(C), len(moving.basis.free)):
            break
    certificates = _certificates(gram, points)
    solutions = []
    for k, certificate in enumerate(certificates):
        seconds, n_kernel, n_iter = np.subtract(marks[k + 1], marks[k])
        scaled, coef = points[k]
        if not (certificate.is_within(tol) and certificate.is_feasible):
            # rounding has spoiled the gradient it was solved with, or the sum of the point
            left = watch.limits.deadline.seconds_left
            solutions.append(solve(scaled, gram, "active-set", start=coef, tol=tol, max_time=left))
            continue
        solutions.append(
            Solution(
                coef=coef, **vars(certificate), n_iter=int(n_iter), n_kernel=int(n_kernel),
                seconds=float(seconds), status="converged", solver="active-set",
            )
        )  # fmt: skip
    return solutions


def _certificates(gram: Gram, points: list[tuple[Problem, FloatArray]]) -> list[Certificate]:
    if not points:
        return []
    weights = np.column_stack([problem.row_coef(coef, gram.n_rows) for problem, coef in points])
    used = np.flatnonzero(weights.any(axis=1))
    values = gram.product(used, weights[used], precision="double")
    gram.inspect(np.abs(weights).max(axis=1))
    return [
        certify_expansion(problem, gram, coef, np.ascontiguousarray(column))
        for (problem, coef), column in zip(points, values.T, strict=True)
    ]
