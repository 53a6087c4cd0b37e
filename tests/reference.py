"""Reference solvers and a dense kernel matrix: slow, plain, and independent of the library.

``smo`` works in any number type (float, Fraction) on anything with the fields of a Problem.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import clarabel
import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from mercer.problem import Certificate, Problem, Solution, certify

INFINITY = float("inf")
TAU = 1e-12


@dataclass(frozen=True, eq=False)
class DenseGram:
    """Kernel values held as one matrix."""

    K: NDArray[np.float64]
    definiteness: str = "known"

    def inspect(self, coef: NDArray[np.float64] | None = None) -> str:
        return self.definiteness

    @property
    def n_rows(self) -> int:
        return len(self.K)

    def diagonal(self) -> NDArray[np.float64]:
        return np.diagonal(self.K)

    def row(self, i: int) -> NDArray[np.float64]:
        return self.K[i]

    def block(
        self, rows: ArrayLike, columns: ArrayLike, *, precision: str | None = None
    ) -> NDArray[np.float64]:
        return self.K[np.ix_(rows, columns)]

    def product(
        self, columns: ArrayLike | None, weights: ArrayLike, *, precision: str | None = None
    ) -> NDArray[np.float64]:
        return (self.K if columns is None else self.K[:, columns]) @ np.asarray(weights)


@dataclass
class Point:
    """Where the reference SMO stands; ``pairs`` lists its (rise, fall) in order."""

    coef: NDArray[Any]
    gradient: NDArray[Any]
    violation: Any = INFINITY
    pairs: list[tuple[int, int]] = field(default_factory=list)


def feasible_start(problem: Any, number: Callable[[Any], Any] = float) -> list[Any]:
    """Zero where the box allows it, then each group filled in order up to its sum."""
    coef = [number(min(max(0, a), b)) for a, b in zip(problem.lower, problem.upper, strict=True)]
    for g, total in enumerate(problem.group_sum):
        members = [i for i, group in enumerate(problem.group) if group == g]
        missing = number(total) - sum(coef[i] for i in members)
        for i in members:
            target = coef[i] + missing
            moved = number(min(max(target, problem.lower[i]), problem.upper[i]))
            missing -= moved - coef[i]
            coef[i] = moved
    return coef


def smo(
    problem: Any,
    K: Sequence[Sequence[Any]] | NDArray[Any],
    *,
    order: int = 2,
    tol: Any = 1e-10,
    max_iter: int = 100_000,
    start: Sequence[Any] | None = None,
    number: Callable[[Any], Any] = float,
) -> Point:
    """Sequential minimal optimization (Lopez Lazaro 2011, algorithm 9), the last index wins ties.

    Variables without a group are paired with a phantom that costs nothing, the last variable:
    so every step is a step of a pair.
    """
    m, dtype = len(problem.linear), float if number is float else object
    lower = np.array([*problem.lower, -INFINITY], dtype)
    upper = np.array([*problem.upper, INFINITY], dtype)
    Q = np.array([[number(0)] * (m + 1) for _ in range(m + 1)], dtype)
    for i in range(m):
        for j in range(m):
            Q[i, j] = number(K[problem.index[i]][problem.index[j]])
        Q[i, i] += number(problem.ridge[i])
    first = feasible_start(problem, number) if start is None else start
    coef = np.array([*map(number, first), number(0)], dtype)
    point = Point(coef, np.array([*map(number, problem.linear), number(0)], dtype) - Q @ coef)
    group = np.array([*problem.group, -2])
    candidates = [(group == g, group == g) for g in range(len(problem.group_sum))]
    candidates += [(group == -1, group == -2), (group == -2, group == -1)]
    while len(point.pairs) < max_iter:
        pair, point.violation = _select(point, Q, lower, upper, candidates, order)
        if point.violation <= tol:
            break
        _step(point, pair, Q, lower, upper)
    point.coef, point.gradient = point.coef[:-1], point.gradient[:-1]
    return point


def _select(
    point: Point, Q: NDArray[Any], lower: Any, upper: Any, candidates: Any, order: int
) -> tuple[tuple[int, int], Any]:
    """The best pair over all candidates (who may rise, who may fall), and the violation."""
    best, choice, violation = 0, (0, 0), 0
    up, down = (point.coef < upper).astype(bool), (point.coef > lower).astype(bool)
    for rising, falling in candidates:
        rise, fall = np.flatnonzero(up & rising), np.flatnonzero(down & falling)
        if not (len(rise) and len(fall)):
            continue
        i = _last_max(rise, point.gradient[rise])
        slope = point.gradient[i] - point.gradient[fall]
        violation = max(violation, slope.max())
        curvature = Q[i, i] + np.diagonal(Q)[fall] - 2 * Q[i, fall]
        gain = slope if order == 1 else slope * abs(slope) / np.maximum(curvature, TAU)
        if gain.max() >= best:
            best, choice = gain.max(), (i, _last_max(fall, gain))
    return choice, violation


def _last_max(candidates: NDArray[np.intp], values: NDArray[Any]) -> int:
    return int(candidates[len(values) - 1 - np.argmax(values[::-1])])


def _step(point: Point, pair: tuple[int, int], Q: NDArray[Any], lower: Any, upper: Any) -> None:
    """Raise one variable and lower the other up to the optimum or the box, and snap."""
    i, j = pair
    room_up, room_down = upper[i] - point.coef[i], point.coef[j] - lower[j]
    curvature = Q[i, i] + Q[j, j] - 2 * Q[i, j]
    slope = point.gradient[i] - point.gradient[j]
    step = min(slope / curvature if curvature > TAU else INFINITY, room_up, room_down)
    if step == INFINITY:
        raise ValueError("the problem is unbounded")
    point.coef[i] = upper[i] if step == room_up else point.coef[i] + step
    point.coef[j] = lower[j] if step == room_down else point.coef[j] - step
    point.gradient -= step * (Q[i] - Q[j])
    point.pairs.append(pair)


def solve_qp(problem: Problem, K: NDArray[np.float64]) -> NDArray[np.float64]:
    """Optimum of the problem to about 1e-11 by an interior point method, inside the box."""
    m, pinned = problem.n_variables, problem.lower == problem.upper
    P = K[np.ix_(problem.index, problem.index)] + np.diag(problem.ridge)
    rise, fall = np.isfinite(problem.upper) & ~pinned, np.isfinite(problem.lower) & ~pinned
    sums = [problem.group == g for g in range(problem.n_groups)]
    A = np.vstack([*sums, np.eye(m)[pinned], np.eye(m)[rise], -np.eye(m)[fall]])
    upper, lower = problem.upper, problem.lower
    b = np.concatenate([problem.group_sum, lower[pinned], upper[rise], -lower[fall]])
    x = minimize_qp(P, -problem.linear, A, b, n_equal=problem.n_groups + pinned.sum())
    return np.clip(x, lower, upper)


def minimize_qp(P: Any, q: Any, A: Any, b: Any, n_equal: int) -> NDArray[np.float64]:
    """Minimizer of x'Px/2 + q'x subject to Ax <= b, the first rows with equality.

    The tightest tolerance that can be reached: asked for too much, the solver gives up early.
    """
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    cones = [clarabel.ZeroConeT(n_equal), clarabel.NonnegativeConeT(len(b) - n_equal)]
    half = sparse.triu(sparse.csc_matrix(P), format="csc")
    data = half, np.asarray(q, float), sparse.csc_matrix(A, dtype=float), np.asarray(b, float)
    for tolerance in (1e-13, 1e-12, 1e-11, 1e-10, 1e-9, 1e-8, 1e-7):
        settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = tolerance
        result = clarabel.DefaultSolver(*data, cones, settings).solve()
        if result.status == clarabel.SolverStatus.Solved:
            return np.array(result.x)
    raise RuntimeError(f"the interior point method failed: {result.status}")


def as_solution(problem: Problem, gram: DenseGram, coef: ArrayLike) -> Solution:
    """A point with its certificate, as a solver would return it."""
    certificate = certify(problem, gram, coef)
    fields = {name: getattr(certificate, name) for name in Certificate.__dataclass_fields__}
    cost = {"n_iter": 0, "n_kernel": 0, "seconds": 0.0}
    return Solution(coef=np.asarray(coef, float), **fields, **cost, status="converged")
