"""Support vector classifiers on a grid of C and gamma, each from its neighbour."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer.formulations import svc
from mercer.gram import Expansion, Gram
from mercer.kernels import Kernel, Precomputed
from mercer.native_kernel import take_rows
from mercer.paths.held_out import held_out_rows, held_out_scores
from mercer.paths.inputs import make_kernel, read_inputs
from mercer.paths.moving import MovingSolution
from mercer.problem import Certificate, Problem, Solution, assess
from mercer.solvers import solve

__all__ = ["Grid", "svc_grid"]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Grid:
    """Solutions for every pair of a gamma and a C, made by :func:`svc_grid`.

    Attributes
    ----------
    gamma : ndarray of shape (n_gamma,)
        The widths; NaN for a kernel that was given as it is.
    C : ndarray of shape (n_C,)
        The prices, ascending.
    solutions : ndarray of shape (n_gamma, n_C) of Solution
        Each with its certificate; None where ``max_time`` came first.
    scores : ndarray of shape (n_gamma, n_C) or None
        Share of held-out rows that are predicted right; None without ``cv``.
    classes : ndarray of shape (2,)
        The labels.
    """

    gamma: FloatArray
    C: FloatArray
    solutions: NDArray[Any]
    scores: FloatArray | None
    classes: NDArray[Any]
    kernels: tuple[Kernel, ...]
    rows: Any

    @property
    def best(self) -> tuple[int, int]:
        """Positions of the gamma and the C with the best score; the smallest of equal ones."""
        if self.scores is None:
            raise ValueError("there are no scores: give cv to svc_grid, or use score(X, y)")
        i, j = np.unravel_index(np.nanargmax(self.scores), self.scores.shape)
        return int(i), int(j)

    def decision_function(self, X: Any, i: int, j: int) -> FloatArray:
        """Values of the machine with ``gamma[i]`` and ``C[j]``; positive is ``classes[1]``."""
        return self._values(X, i, [j])[:, 0]

    def score(self, X: Any, y: ArrayLike) -> FloatArray:
        """Share of the rows that each machine predicts right: shape (n_gamma, n_C)."""
        positive = np.asarray(y) == self.classes[1]
        out = np.full(self.solutions.shape, np.nan)
        for i, row in enumerate(self.solutions):
            solved = [j for j, solution in enumerate(row) if solution is not None]
            if solved:
                right = (self._values(X, i, solved) > 0) == positive[:, None]
                out[i, solved] = right.mean(axis=0)
        return out

    def _values(self, X: Any, i: int, columns: Sequence[int]) -> FloatArray:
        found = [self.solutions[i, j] for j in columns]
        weights = np.column_stack([solution.coef for solution in found])
        used = np.flatnonzero(weights.any(axis=1))
        is_stored = isinstance(self.kernels[i], Precomputed)
        rows = used if is_stored else take_rows(self.rows, used)
        values = Expansion(self.kernels[i], rows, weights[used]).evaluate(X)[0]
        return np.asarray(values + [float(solution.multiplier[0]) for solution in found])


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
    sample_weight: ArrayLike | None = None,
    tol: float = 1e-3,
    cache_size: float = 100.0,
    n_threads: int | None = None,
    max_time: float | None = None,
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
        How ``scores`` are found: on held-out rows of machines trained without them. All
        folds share the kernel values of a gamma.
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
    deadline = np.inf if max_time is None else time.perf_counter() + max_time
    costs, widths = _positive("Cs", Cs), _positive("gammas", gammas)
    inputs = read_inputs(X, y, sample_weight, kernel)
    if isinstance(X, Gram):
        raise TypeError("X must be rows, got a Gram: each gamma has kernel values of its own")
    problem = svc(inputs.sign, 1.0, inputs.weight).problem
    folds = held_out_rows(cv, inputs)
    kernels = [
        make_kernel(kernel, inputs.rows, inputs.weight, degree=degree, gamma=gamma, coef0=coef0)
        for gamma in (["scale"] if gammas is None else widths)
    ]
    solutions = np.full((len(kernels), len(costs)), None, dtype=object)
    scores = np.full(solutions.shape, np.nan)
    for i, made in enumerate(kernels):
        gram = Gram(
            made, inputs.rows, cache_size=cache_size, precision="double", n_threads=n_threads
        )
        begin = solutions[i - 1, 0].coef / costs[0] if i and solutions[i - 1, 0] else None
        for j, solution in enumerate(_column(problem, gram, costs, begin, tol, deadline)):
            solutions[i, j] = solution
        if folds:
            scores[i] = held_out_scores(problem, gram, costs, folds, inputs, tol, deadline)
    names = np.array([getattr(made, "gamma", np.nan) for made in kernels], dtype=np.float64)
    return Grid(
        names, costs, solutions, scores if folds else None, inputs.classes, tuple(kernels),
        inputs.rows,
    )  # fmt: skip


def _positive(name: str, values: ArrayLike | None) -> FloatArray:
    array = np.sort(np.atleast_1d(np.asarray([1.0] if values is None else values, np.float64)))
    if array.ndim != 1 or not len(array) or not ((array > 0) & np.isfinite(array)).all():
        raise ValueError(f"{name} must be positive numbers, got {values!r}")
    return array


def _column(
    problem: Problem,
    gram: Gram,
    costs: FloatArray,
    begin: FloatArray | None,
    tol: float,
    deadline: float,
) -> list[Solution]:
    """The solutions of one kernel for ascending C, as many as there is time for.

    Their certificates need every kernel value of a support vector once, for all C together.
    """
    moving = MovingSolution(problem, gram, float(costs[0]), begin, tol)
    points: list[tuple[Problem, FloatArray]] = []
    marks = [(time.perf_counter(), gram.n_evaluations, 0)]
    for C in costs:
        status = moving.to(C, max_time=deadline - time.perf_counter())
        if status == "max-time":
            break
        points.append((moving.basis.problem, moving.basis.coef))
        marks.append((time.perf_counter(), gram.n_evaluations, moving.basis.n_iterations))
    certificates = _certificates(gram, points)
    solutions = []
    for k, certificate in enumerate(certificates):
        seconds, n_kernel, n_iter = np.subtract(marks[k + 1], marks[k])
        scaled, coef = points[k]
        if certificate.violation > tol:
            # rounding has spoiled the gradient it was solved with
            solutions.append(solve(scaled, gram, "active-set", start=coef, tol=tol))
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
    return [
        assess(problem, coef, np.ascontiguousarray(column), True)
        for (problem, coef), column in zip(points, values.T, strict=True)
    ]
