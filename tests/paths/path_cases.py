"""Helpers of the path tests: random problems, and how wrong a path is somewhere."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mercer.paths import Path, svc_path
from mercer.problem import Certificate, Problem, certify
from mercer.problem.family import Family
from solvers.active_set_cases import Case, slope_noise

FloatArray = NDArray[np.float64]

# The toy problem of Sentelle 2014, table 6.1.
TOY_ROWS = np.array([[0.7, 0.3], [0.5, 0.5], [2, 2], [1, 3], [0.75, 0.75], [1.75, 1.75]])
TOY_LABELS = np.array([1, 1, -1, -1, 1, -1])


def path_of(case: Case, **options: object) -> Path:
    options = {"sample_weight": case.weight, "C_max": 1e3} | options
    return svc_path(case.X, case.y, kernel=case.kernel, **options)


def solution_at(path: Path, C: float) -> tuple[Problem, FloatArray, Certificate]:
    """The problem at C, its variables on the path, and their certificate."""
    problem, coef = Family(path.problem).at(C), path.solutions.variables(C)
    return problem, coef, certify(problem, path.gram, coef)


def violation(path: Path, C: float) -> float:
    """Largest KKT violation with the bias of the path, in units of y f.

    What the rounding of the gradient itself makes of a solution is taken off.
    """
    problem, coef, found = solution_at(path, C)
    slope = found.gradient - path.intercept(C)
    worst = max(
        np.max(slope[coef < problem.upper], initial=0.0),
        np.max(-slope[coef > problem.lower], initial=0.0),
    )
    assert found.infeasibility <= 1e-9 * max(1.0, np.abs(coef).sum())
    return max(worst - 300 * slope_noise(problem, path.gram, coef), 0.0)


def some_C(path: Path, rng: np.random.Generator, count: int) -> list[float]:
    """Breakpoints, and values below, between and beyond them."""
    if path.status == "trivial":
        return [0.01, 1.0, 100.0]
    low, high = 0.3 * path.first_event, min(path.end, 3.0 * float(path.C[-1]))
    between = np.exp(rng.uniform(*np.log(sorted((low, high))), count))
    # a path that begins beyond C_max is constant up to there
    return [min(C, 2e3) for C in (*rng.choice(path.C, count).tolist(), *between.tolist())]
